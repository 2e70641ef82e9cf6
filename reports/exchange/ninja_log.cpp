#include "reports/exchange/ninja_log.h"

#include "reports/core/text.h"
#include "reports/exchange/details_json.h"
#include "reports/exchange/lane_finder.h"
#include "reports/exchange/text_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>

namespace reports::exchange {

namespace {

constexpr std::string_view kNinjaMagic = "# ninja log v";
constexpr int64_t kNanosecondsPerMillisecond = 1'000'000;
constexpr int64_t kMostMilliseconds = int64_t(366) * 86'400'000; // a year: later times are damage
// The lines of a log are out of order if it has more than kMostUnordered builds with fewer than kLeastOfBuild commands on
// average.
constexpr int64_t kMostUnordered = 8, kLeastOfBuild = 4;
constexpr std::size_t kMostLanes = 4096;              // more commands at once share the last lane, where the writer cuts overlaps
constexpr int kOldestVersion = 5, kNewestVersion = 7; // the versions have equal columns

// "start	end	mtime	output	hash of the command"; a command has a line for each of its outputs.
struct NinjaLine {
  int64_t start = 0, end = 0; // milliseconds since the build began
  std::string_view output, command;
};

std::optional<NinjaLine> ninjaLine(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::array<std::string_view, 5> fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::size_t tab = line.find('\t');
    if ((tab == std::string_view::npos) != (i + 1 == fields.size())) return std::nullopt;
    fields[i] = line.substr(0, tab);
    line.remove_prefix(tab == std::string_view::npos ? line.size() : tab + 1);
  }
  const auto number = [](std::string_view text) -> std::optional<int64_t> {
    int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool isTime =
        read.ec == std::errc() && read.ptr == text.data() + text.size() && value >= 0 && value <= kMostMilliseconds;
    return isTime ? std::optional(value) : std::nullopt;
  };
  const auto start = number(fields[0]), end = number(fields[1]);
  if (!start || !end || *end < *start || fields[3].empty()) return std::nullopt;
  return NinjaLine{*start, *end, fields[3], fields[4]};
}

class NinjaReader {
public:
  NinjaReader(Window& window, TraceAssembly& assembly) : m_lines(window), m_assembly(assembly) {}

  void read() {
    std::string_view line;
    if (m_lines.next(line)) checkVersion(line);
    int64_t lastEnd = 0;
    while (m_lines.next(line)) {
      if (line.empty() || line == "\r" || line.starts_with('#')) continue;
      const auto job = ninjaLine(line);
      if (!job) {
        m_assembly.counts().mend(Mend::LinesNotRead);
        continue;
      }
      if (job->end < lastEnd) finishBuild(); // ninja writes a line when a command ends: an earlier end belongs to the next build
      lastEnd = job->end;
      add(*job);
    }
    finishBuild();
    if (m_builds == 0) return;
    if (m_builds > kMostUnordered && m_drawn < m_builds * kLeastOfBuild)
      throw Error(ErrorCode::Unsupported, "ninja has compacted this log, so its lines are no longer in the order of their builds",
                  m_assembly.source().name, "delete the log, build everything again, and import the new log");
    m_assembly.counts().processes = 1;
    if (m_builds > 1)
      m_assembly.sink().add(
          ReportIssueRow{0, "notice", m_assembly.source().name,
                         "a log of ninja does not say when a build began: its builds are drawn one after another",
                         "read times within a build only", m_builds});
  }

private:
  struct Job {
    int64_t start, end;
    std::vector<std::string> outputs;
  };

  void checkVersion(std::string_view line) {
    int version = 0;
    if (line.ends_with('\r')) line.remove_suffix(1);
    line.remove_prefix(std::min(kNinjaMagic.size(), line.size()));
    std::from_chars(line.data(), line.data() + line.size(), version);
    if (version < kOldestVersion || version > kNewestVersion)
      throw Error(ErrorCode::Unsupported,
                  "is a log of ninja in version " + std::string(line.substr(0, 8)) + "; versions 5 to 7 are read",
                  m_assembly.source().name, "build with a ninja from 1.5 to 1.13");
  }
  // Outputs of one command are one job.
  void add(const NinjaLine& line) {
    const auto [known, isNew] = m_ofCommand.try_emplace({line.start, line.end, std::string(line.command)}, m_jobs.size());
    if (isNew) m_jobs.push_back({line.start, line.end, {}});
    m_jobs[known->second].outputs.push_back(validUtf8(line.output));
  }
  // Puts the commands of a build on the first free lanes. The build is drawn after the previous one.
  void finishBuild() {
    if (m_jobs.empty()) return;
    if (m_builds++ == 0) m_process = m_assembly.addProcess("ninja"), m_assembly.source().clock = "none";
    std::stable_sort(m_jobs.begin(), m_jobs.end(), [](const Job& a, const Job& b) { return a.start < b.start; });
    LaneFinder lanes(int(std::min(m_jobs.size(), kMostLanes)));
    int64_t last = 0;
    m_drawn += int64_t(m_jobs.size());
    for (const Job& job : m_jobs) {
      last = std::max(last, job.end);
      const int lane = lanes.take(job.start, job.end, 1);
      draw(laneOf(lane < 0 ? kMostLanes - 1 : std::size_t(lane)), job.start, job.end, nameOf(job),
           std::filesystem::path(job.outputs.front()).extension().string(), detailsOf(job));
    }
    m_spans.push_back({m_offset, m_offset + last});
    if (m_builds == 2) m_buildLane = m_assembly.addTrack(m_process, "builds");
    if (m_builds >= 2)
      for (; m_spansDrawn < m_spans.size(); ++m_spansDrawn) {
        const auto [from, to] = m_spans[m_spansDrawn];
        draw(m_buildLane, from - m_offset, to - m_offset, "build " + std::to_string(m_spansDrawn + 1), "build", -1);
      }
    m_offset += last;
    m_jobs.clear(), m_ofCommand.clear();
  }
  std::size_t laneOf(std::size_t lane) {
    if (lane == m_lanes.size()) m_lanes.push_back(m_assembly.addTrack(m_process, "commands " + std::to_string(lane + 1)));
    return m_lanes[lane];
  }
  static std::string nameOf(const Job& job) {
    const std::size_t others = job.outputs.size() - 1;
    return job.outputs.front() + (others == 0 ? "" : " and " + std::to_string(others) + (others == 1 ? " other" : " others"));
  }
  int32_t detailsOf(const Job& job) {
    if (job.outputs.size() == 1) return m_assembly.details("");
    std::string list;
    for (const std::string& output : job.outputs) list += (list.empty() ? "" : ",") + quotedJson(output);
    return m_assembly.details("{\"outputs\":[" + list + "]}");
  }
  // Times in milliseconds of the build.
  void draw(std::size_t track, int64_t start, int64_t end, const std::string& name, const std::string& category,
            int32_t details) {
    const uint32_t id = m_assembly.string(name);
    const int64_t from = (m_offset + start) * kNanosecondsPerMillisecond, to = (m_offset + end) * kNanosecondsPerMillisecond;
    m_assembly.tracks()[track].slices.push_back({from, to, id, details, m_order++, m_assembly.channel(category), 0});
    m_assembly.see(from, id), m_assembly.source().see(to);
    ++m_assembly.counts().slices;
  }

  TextLines m_lines;
  TraceAssembly& m_assembly;
  std::vector<Job> m_jobs; // of the build that is being read
  std::map<std::tuple<int64_t, int64_t, std::string>, std::size_t> m_ofCommand;
  std::vector<std::size_t> m_lanes;                 // tracks
  std::vector<std::pair<int64_t, int64_t>> m_spans; // begin and end of each build in milliseconds
  std::size_t m_process = 0, m_buildLane = 0, m_spansDrawn = 0;
  int64_t m_offset = 0; // milliseconds of all earlier builds
  int64_t m_builds = 0, m_drawn = 0;
  uint32_t m_order = 0;
};

} // namespace

bool looksLikeNinjaLog(std::string_view head) { return head.starts_with(kNinjaMagic); }

void readNinjaLog(Window& window, TraceAssembly& assembly) { NinjaReader(window, assembly).read(); }

} // namespace reports::exchange
