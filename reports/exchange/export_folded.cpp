#include "reports/exchange/export_rows.h"

#include "reports/core/text.h"
#include "reports/exchange/folded_stacks.h"
#include "reports/exchange/speedscope.h"
#include "reports/rows/slice_decode.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <unordered_map>

namespace reports::exchange {

namespace {

// A frame's name in a line of folded stacks, where `;` separates frames.
std::string frameText(std::string name) {
  std::replace(name.begin(), name.end(), ';', ':');
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return displayText(name, name.size() + 1); // other control characters would be executed by a terminal
}

// Self times of nested slices, by stack.
class FoldedExport {
public:
  FoldedExport(Reader& reader, const ExportRequest& request) : m_rows(reader, request), m_request(request) {}

  ExportCounts write(std::ostream& out, Progress& progress, const std::stop_token& stop) {
    progress.phase("exporting");
    if (m_rows.size() == 0)
      throw Error(ErrorCode::InvalidInput, "the report holds counters and no stacks", m_rows.reader().path().string(),
                  "choose another format with --format");
    findSampleCategories();
    for (int64_t i = 0; i < m_rows.size(); ++i) {
      progress.update(double(i) / double(m_rows.size()));
      const ExportTrack track = m_rows.track(i, stop);
      m_counts.slices += int64_t(track.slices.size());
      m_counts.tracks += !track.slices.empty();
      if (track.kind == "sample")
        addSamples(track);
      else if (!track.isAsync())
        addSlices(track);
    }
    for (const auto& [stack, value] : m_stacks) {
      if (value <= 0) continue;
      out << stack << ' ' << valueText(value) << '\n';
      ++m_counts.stacks;
    }
    out.flush();
    if (!out) throw Error(ErrorCode::Io, "cannot write the stacks", "", "free some space and try again");
    return m_rows.checked(m_counts);
  }

private:
  // A whole number, unless the weight has a fraction.
  static std::string valueText(double value) {
    constexpr double kMostExact = 1LL << 53;
    return value == std::floor(value) && value < kMostExact ? fmt::format("{}", int64_t(value)) : fmt::format("{}", value);
  }
  // Samples of several events or units must not be summed: their stacks then begin with the category.
  void findSampleCategories() {
    std::map<std::string, bool> names;
    m_rows.reader().forEach<HostThreadRow>("kind = 'sample'", {}, [&](const HostThreadRow& thread) {
      const auto chunk = m_rows.reader().first<SliceChunkRow>("track_id = ? AND slices > 0", {thread.trackId});
      if (chunk) names[m_rows.channel(decodeChunk(*chunk).categories.front())] = true;
    });
    m_hasSeveralCategories = names.size() > 1;
  }
  std::string startOf(const ExportTrack& track) const {
    if (!m_hasSeveralCategories || track.slices.empty()) return {};
    return frameText(m_rows.channel(track.slices.front().category));
  }
  int64_t valueOf(const ExportSlice& s, bool isDevice) const {
    if (m_request.byCycles) return isDevice ? s.cyclesInRange : 0;
    if (!m_request.range) return s.end - s.start;
    return std::max<int64_t>(0, std::min(s.end, m_request.range->end) - std::max(s.start, m_request.range->begin));
  }
  const std::string& frame(uint32_t name) {
    auto found = m_frames.find(name);
    if (found == m_frames.end()) found = m_frames.emplace(name, frameText(m_rows.reader().text(name))).first;
    return found->second;
  }

  void addSlices(const ExportTrack& track) {
    struct Open {
      int64_t end, value, inside;
      std::string stack;
    };
    const std::string root = frameText(track.processName) + ";" + frameText(track.name);
    std::vector<Open> open; // slices that overlap without nesting count as siblings
    const auto close = [&](const Open& slice) { m_stacks[slice.stack] += double(slice.value - slice.inside); };
    for (const ExportSlice& s : track.slices) {
      std::erase_if(open, [&](const Open& slice) {
        if (slice.end > s.start) return false;
        close(slice);
        return true;
      });
      const int64_t value = valueOf(s, track.isDevice);
      const auto around = std::find_if(open.rbegin(), open.rend(), [&](const Open& slice) { return slice.end >= s.end; });
      if (around != open.rend()) around->inside += value;
      open.push_back({s.end, value, 0, (around == open.rend() ? root : around->stack) + ";" + frame(s.name)});
    }
    for (const Open& slice : open) close(slice);
  }

  // Each sample adds its weight to its stack. Files without times have no single samples.
  void addSamples(const ExportTrack& track) {
    if (track.instants.empty()) return addWeights(track);
    const std::string start = startOf(track);
    std::vector<const ExportSlice*> open;
    std::size_t next = 0;
    for (const Instant& sample : track.instants) {
      for (; next < track.slices.size() && track.slices[next].start <= sample.tick; ++next) {
        while (!open.empty() && open.back()->end <= track.slices[next].start) open.pop_back();
        open.push_back(&track.slices[next]);
      }
      while (!open.empty() && open.back()->end <= sample.tick) open.pop_back();
      std::string stack = start;
      for (const ExportSlice* s : open) stack += (stack.empty() ? "" : ";") + frame(s->name);
      if (!open.empty()) m_stacks[stack] += weightOf(sample);
    }
  }
  // A sample's time in nanoseconds, or another weight in its unit; 1 if it has none.
  double weightOf(const Instant& sample) {
    if (sample.details < 0) return 1;
    const auto [found, isNew] = m_weights.try_emplace(sample.details, 1);
    if (!isNew) return found->second;
    const auto details = nlohmann::json::parse(m_rows.details(sample.details), nullptr, false);
    if (!details.is_object() || !details.contains("weight") || !details["weight"].is_number()) return 1;
    const std::string unit = details.contains("unit") && details["unit"].is_string() ? details["unit"].get<std::string>() : "";
    const auto nanoseconds = speedscopeNanoseconds(unit);
    found->second = details["weight"].get<double>();
    if (nanoseconds) found->second = std::round(found->second * double(*nanoseconds));
    return found->second;
  }
  void addWeights(const ExportTrack& track) {
    const std::string start = startOf(track);
    std::vector<std::pair<const ExportSlice*, int64_t>> open; // with the values of inner slices
    const auto close = [&] {
      std::string text = start;
      for (const auto& [s, inside] : open) text += (text.empty() ? "" : ";") + frame(s->name);
      m_stacks[text] += double(valueOf(*open.back().first, false) - open.back().second) / double(kNanosecondsPerFoldedSample);
      open.pop_back();
    };
    for (const ExportSlice& s : track.slices) {
      while (!open.empty() && open.back().first->end <= s.start) close();
      if (!open.empty()) open.back().second += valueOf(s, false);
      open.emplace_back(&s, 0);
    }
    while (!open.empty()) close();
  }

  ExportRows m_rows;
  ExportRequest m_request;
  ExportCounts m_counts;
  bool m_hasSeveralCategories = false;
  std::map<std::string, double> m_stacks;
  std::unordered_map<int32_t, double> m_weights; // weights of samples, by the id of their details
  std::map<uint32_t, std::string> m_frames;
};

} // namespace

ExportCounts exportFolded(Reader& reader, const ExportRequest& request, std::ostream& out, Progress& progress,
                          std::stop_token stop) {
  return FoldedExport(reader, request).write(out, progress, stop);
}

} // namespace reports::exchange
