#include "simcore/run/host_timeline.h"

#include "reports/recording/recording_reader.h"
#include "reports/recording/tilescope_trace.h"
#include "reports/rows/host_writers.h"
#include "reports/rows/slice_track.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace simcore::run {

namespace trace = tilescope_trace;

namespace {

constexpr uint64_t kMostBytes = uint64_t(256) << 20; // of the temporary file: about ten million slices
// Metadata of a slice that runs the device: {"run": NUMBER, "timeline": NUMBER}.
constexpr std::string_view kRunKey = "{\"run\": ", kTimelineKey = ", \"timeline\": ";
constexpr std::size_t kMostChannels = 255; // a slice stores its channel in a byte; further channels share the last one

// The recording that timelines of this process share: its file, which has no name (-1: no recording), and the number of timelines
// that use it. The last timeline ends the recording.
std::mutex recordingGuard;
int recordingFile = -1, recordingUsers = 0;

// Channels are never destroyed, because a thread may still record into one.
const trace::Channel& channelNamed(const std::string& name) {
  static std::mutex mutex;
  static auto* const channels = new std::map<std::string, std::unique_ptr<trace::Channel>>;
  const std::lock_guard lock(mutex);
  auto& channel = (*channels)[name];
  if (!channel) channel = std::make_unique<trace::Channel>(name);
  return *channel;
}

// The slices of a recording, by thread.
class RecordedSlices final : public reports::RecordingEvents {
public:
  explicit RecordedSlices(int timeline) : m_timeline(timeline) {}

  struct Slice {
    std::string name;
    int64_t start = 0, end = -1; // nanoseconds since the recording began; end -1: still open
    int depth = 0;
    uint8_t channel = 0;
    int64_t run = -1; // run of the device
  };
  struct Thread {
    std::string name;
    std::vector<Slice> slices; // in order of start
    std::vector<std::size_t> open;
  };

  const std::map<uint32_t, Thread>& threads() const { return m_threads; }
  struct Heatmap {
    std::string name, unit;
    std::vector<double> edges;
    std::vector<std::pair<int64_t, std::vector<int64_t>>> samples; // time and counts
  };
  const std::map<uint32_t, Heatmap>& heatmaps() const { return m_heatmaps; }
  const std::vector<std::string>& channels() const { return m_channels; }
  int64_t latest() const { return m_latest; }

  void thread(uint32_t number, int64_t) override { m_threads[number]; }
  void threadName(uint32_t number, std::string_view name) override { m_threads[number].name = name; }
  void begin(uint32_t number, int64_t time, std::string_view channel, std::string_view label) override {
    Thread& t = m_threads[number];
    // slices of a depth must begin one after the other
    if (!t.slices.empty()) time = std::max(time, t.slices.back().start + 1);
    t.slices.push_back({std::string(label), time, -1, int(t.open.size()), channelId(channel)});
    t.open.push_back(t.slices.size() - 1);
    m_latest = std::max(m_latest, time);
  }
  void end(uint32_t number, int64_t time) override {
    Thread& t = m_threads[number];
    if (!t.open.empty()) close(t, t.open.size() - 1, time);
  }
  void endNamed(uint32_t number, int64_t time, std::string_view channel, std::string_view label) override {
    Thread& t = m_threads[number];
    const uint8_t id = channelId(channel);
    for (std::size_t i = t.open.size(); i-- > 0;)
      if (const Slice& s = t.slices[t.open[i]]; s.name == label && s.channel == id) return close(t, i, time);
  }
  void instant(uint32_t, int64_t, std::string_view, std::string_view) override {}
  void metadata(uint32_t number, std::string_view json) override {
    Thread& t = m_threads[number];
    if (t.slices.empty() || !json.starts_with(kRunKey)) return;
    const char* const end = json.data() + json.size();
    int64_t run = -1, timeline = -1;
    const char* const behind = std::from_chars(json.data() + kRunKey.size(), end, run).ptr;
    if (std::string_view(behind, std::size_t(end - behind)).starts_with(kTimelineKey))
      std::from_chars(behind + kTimelineKey.size(), end, timeline);
    if (timeline == m_timeline) t.slices.back().run = run;
  }
  void series(uint32_t, std::string_view, std::string_view, std::string_view) override {}
  void sample(uint32_t, int64_t, double) override {}
  void heatmap(uint32_t number, std::string_view name, std::string_view unit, const std::vector<double>& edges) override {
    m_heatmaps[number] = {std::string(name), std::string(unit), edges, {}};
  }
  void heatmapSample(uint32_t number, int64_t time, const std::vector<uint32_t>& counts) override {
    if (counts.size() < 3) return; // no bin
    // without the counts below the first and above the last edge
    m_heatmaps[number].samples.emplace_back(time, std::vector<int64_t>(counts.begin() + 1, counts.end() - 1));
  }

private:
  // Ends a slice and all slices inside it.
  void close(Thread& t, std::size_t place, int64_t time) {
    for (; t.open.size() > place; t.open.pop_back()) {
      Slice& s = t.slices[t.open.back()];
      s.end = std::max(time, s.start + 1);
    }
    m_latest = std::max(m_latest, time);
  }
  uint8_t channelId(std::string_view name) {
    const auto found = std::find(m_channels.begin(), m_channels.end(), name);
    if (found == m_channels.end() && m_channels.size() < kMostChannels) {
      m_channels.emplace_back(name);
      return uint8_t(m_channels.size() - 1);
    }
    return uint8_t(std::min(std::size_t(found - m_channels.begin()), kMostChannels - 1));
  }

  int m_timeline; // the timeline whose runs are linked
  std::map<uint32_t, Thread> m_threads;
  std::map<uint32_t, Heatmap> m_heatmaps;
  std::vector<std::string> m_channels;
  int64_t m_latest = 0;
};

void writeThread(const RecordedSlices::Thread& recorded, std::string name, int64_t id, int64_t trackId, int64_t end,
                 reports::ReportSink& sink, const std::function<int64_t(const std::string&)>& stringId) {
  reports::HostThreadRow thread;
  thread.id = id;
  thread.name = name;
  thread.trackId = trackId;
  sink.add(thread);
  reports::TrackRow track;
  track.id = trackId;
  track.kind = "host_thread";
  track.name = std::move(name);
  track.tickUnit = "nanosecond";
  track.provenance = "measured";
  reports::SliceTrackBuilder builder(sink, track);
  std::map<int, int64_t> slicesAt; // by depth: slices so far
  for (const auto& s : recorded.slices) {
    const int64_t stop = s.end >= 0 ? s.end : std::max(end, s.start + 1);
    builder.add(s.depth, s.start, stop - s.start, stringId(s.name), s.channel, -1);
    const int64_t slice = slicesAt[s.depth]++;
    if (s.run >= 0) sink.add(reports::RunLinkRow{s.run, trackId, s.depth, slice, s.start, stop});
  }
  builder.finish();
}

// Whether the report can store the edges: a program may record its own heatmaps, with any edges.
bool canBeWritten(const std::vector<double>& edges) {
  const bool ascends = std::is_sorted(edges.begin(), edges.end(), std::less_equal<>()) &&
                       std::all_of(edges.begin(), edges.end(), [](double edge) { return std::isfinite(edge); });
  return ascends && edges.size() >= 2 && edges.size() <= std::size_t(reports::kMaxHeatmapBins) + 1;
}

void writeHeatmaps(const RecordedSlices& recorded, reports::ReportSink& sink) {
  int64_t id = 0;
  for (const auto& [number, heatmap] : recorded.heatmaps()) {
    if (heatmap.samples.empty()) continue;
    if (!canBeWritten(heatmap.edges)) {
      reports::ReportIssueRow issue;
      issue.severity = "warning";
      issue.place = "heatmap " + heatmap.name;
      issue.message = "left out: it needs 2 to 4,097 finite edges in ascending order";
      issue.count = int64_t(heatmap.samples.size());
      sink.add(issue);
      continue;
    }
    reports::HeatmapRow row;
    row.id = id++;
    row.processId = 0;
    row.name = heatmap.name;
    row.unit = heatmap.unit;
    reports::HeatmapBuilder builder(sink, row, heatmap.edges);
    for (const auto& [time, counts] : heatmap.samples) builder.add(time, counts);
    builder.finish(); // writes the row, too
  }
}

// The caller holds `recordingGuard`.
void startRecording() {
  static int count = 0;
  trace::Options options;
  std::error_code ignored;
  options.directory = std::filesystem::temp_directory_path(ignored).string();
  options.file = ".tilescope-" + std::to_string(getpid()) + "-" + std::to_string(count++) + ".tsrec";
  options.limitBytes = kMostBytes;
  options.followsForks = false;
  if (trace::start(options)) {
    // The file has no name, so it disappears when the process ends in any manner.
    const std::string file = trace::fileName();
    recordingFile = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    std::error_code kept;
    std::filesystem::remove(file, kept);
  }
  trace::nameThread("main");
}

} // namespace

HostTimeline::HostTimeline(std::string processName) : m_process(std::move(processName)) {
  static std::atomic<int> timelines{0};
  m_number = timelines++;
  const std::lock_guard lock(recordingGuard);
  if (recordingUsers == 0 && !trace::isRecording()) startRecording();
  if (recordingFile >= 0) ++recordingUsers, m_file = recordingFile;
}

HostTimeline::~HostTimeline() {
  if (m_file < 0) return;
  const std::lock_guard lock(recordingGuard);
  if (--recordingUsers > 0) return;
  trace::stop();
  recordingFile = -1;
  ::close(m_file);
}

std::shared_ptr<void> HostTimeline::span(const std::string& name, const std::string& channel) {
  const trace::Channel& recorded = channelNamed(channel);
  trace::begin(recorded, name);
  return std::shared_ptr<void>(nullptr, [&recorded, name](void*) { trace::end(recorded, name); });
}

std::shared_ptr<void> HostTimeline::runSpan(const std::string& name, int64_t run) {
  const trace::Channel& recorded = channelNamed("engine");
  trace::begin(recorded, name,
               run < 0 ? std::string()
                       : std::string(kRunKey) + std::to_string(run) + std::string(kTimelineKey) + std::to_string(m_number) + "}");
  return std::shared_ptr<void>(nullptr, [&recorded, name](void*) { trace::end(recorded, name); });
}

void HostTimeline::writeTo(reports::ReportSink& sink, const std::function<int64_t(const std::string&)>& stringId,
                           int64_t firstTrackId) const {
  if (!trace::isRecording()) return; // the file could not be made, which was reported
  reports::RecordingReader reader(m_file >= 0 ? "/proc/self/fd/" + std::to_string(m_file) : trace::fileName());
  RecordedSlices slices(m_number);
  reader.read(slices);
  reports::HostProcessRow process;
  process.name = m_process;
  process.pid = getpid();
  process.provenance = "measured";
  process.startUnixNanoseconds = reader.header().startUnix;
  sink.add(process);
  for (std::size_t c = 0; c < slices.channels().size(); ++c) {
    reports::ChannelRow row;
    row.id = int64_t(c);
    row.name = slices.channels()[c];
    sink.add(row);
  }
  int64_t id = 0;
  for (const auto& [number, thread] : slices.threads()) {
    const std::string name = thread.name.empty() ? "worker " + std::to_string(id) : thread.name;
    writeThread(thread, name, id, firstTrackId + id, slices.latest(), sink, stringId);
    ++id;
  }
  writeHeatmaps(slices, sink);
  if (reader.lostEvents() > 0) {
    reports::ReportIssueRow issue;
    issue.severity = "warning";
    issue.place = "host timeline";
    issue.message = std::to_string(reader.lostEvents()) + " later events of the simulator are left out: the recording was full";
    sink.add(issue);
  }
}

} // namespace simcore::run
