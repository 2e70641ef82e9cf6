#include "reports/exchange/export_rows.h"

#include <algorithm>
#include <map>
#include <ostream>

namespace reports::exchange {

namespace {

// A frame's name in a line of folded stacks, where `;` separates frames.
std::string frameText(std::string name) {
  std::replace(name.begin(), name.end(), ';', ':');
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return name;
}

// Self times of nested slices, by stack.
class FoldedExport {
public:
  FoldedExport(Reader& reader, const ExportRequest& request) : m_rows(reader, request), m_request(request) {}

  ExportCounts write(std::ostream& out, Progress& progress, const std::stop_token& stop) {
    progress.phase("exporting");
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
      out << stack << ' ' << value << '\n';
      ++m_counts.stacks;
    }
    out.flush();
    if (!out) throw Error(ErrorCode::Io, "cannot write the stacks", "", "free some space and try again");
    return m_counts;
  }

private:
  int64_t valueOf(const ExportSlice& s, bool isDevice) const {
    if (m_request.byCycles) return isDevice ? s.cycles : 0;
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
      int64_t end, inside;
      std::size_t size; // of the stack's text with this frame
      int64_t value;
    };
    std::string stack = frameText(track.processName) + ";" + frameText(track.name);
    const std::size_t root = stack.size();
    std::vector<Open> open;
    const auto close = [&] {
      m_stacks[stack.substr(0, open.back().size)] += open.back().value - open.back().inside;
      open.pop_back();
      stack.resize(open.empty() ? root : open.back().size);
    };
    for (const ExportSlice& s : track.slices) {
      while (!open.empty() && open.back().end <= s.start) close();
      const int64_t value = valueOf(s, track.isDevice);
      if (!open.empty()) open.back().inside += value;
      stack += ";" + frame(s.name);
      open.push_back({s.end, 0, stack.size(), value});
    }
    while (!open.empty()) close();
  }

  // One for each sample: the stack that is open when it was taken. A file that had no time has no samples one by one.
  void addSamples(const ExportTrack& track) {
    if (track.instants.empty()) return addWeights(track);
    std::vector<const ExportSlice*> open;
    std::size_t next = 0;
    for (const Instant& sample : track.instants) {
      for (; next < track.slices.size() && track.slices[next].start <= sample.tick; ++next) {
        while (!open.empty() && open.back()->end <= track.slices[next].start) open.pop_back();
        open.push_back(&track.slices[next]);
      }
      while (!open.empty() && open.back()->end <= sample.tick) open.pop_back();
      std::string stack;
      for (const ExportSlice* s : open) stack += (stack.empty() ? "" : ";") + frame(s->name);
      if (!stack.empty()) ++m_stacks[stack];
    }
  }
  void addWeights(const ExportTrack& track) {
    constexpr int64_t kUnit = 1000;                           // kNanosecondsPerFoldedSample
    std::vector<std::pair<const ExportSlice*, int64_t>> open; // with what lies within
    std::string stack;
    const auto close = [&] {
      std::string text;
      for (const auto& [s, inside] : open) text += (text.empty() ? "" : ";") + frame(s->name);
      m_stacks[text] += (open.back().first->end - open.back().first->start - open.back().second) / kUnit;
      open.pop_back();
    };
    for (const ExportSlice& s : track.slices) {
      while (!open.empty() && open.back().first->end <= s.start) close();
      if (!open.empty()) open.back().second += s.end - s.start;
      open.emplace_back(&s, 0);
    }
    while (!open.empty()) close();
  }

  ExportRows m_rows;
  ExportRequest m_request;
  ExportCounts m_counts;
  std::map<std::string, int64_t> m_stacks;
  std::map<uint32_t, std::string> m_frames;
};

} // namespace

ExportCounts exportFolded(Reader& reader, const ExportRequest& request, std::ostream& out, Progress& progress,
                          std::stop_token stop) {
  return FoldedExport(reader, request).write(out, progress, stop);
}

} // namespace reports::exchange
