#include "reports/exchange/recording_trace.h"

#include "reports/core/progress.h"
#include "reports/exchange/begin_end.h"
#include "reports/recording/recording_reader.h"

#include <cstring>
#include <map>

namespace reports::exchange {

namespace {

constexpr int64_t kEventsBetweenStops = 1 << 16;

class RecordingToAssembly final : public RecordingEvents {
public:
  RecordingToAssembly(TraceAssembly& assembly, std::size_t process, std::stop_token stop)
      : m_assembly(assembly), m_process(process), m_stop(std::move(stop)) {}

  // Slices without an end are extended to the end of the recording.
  void finish() {
    for (auto& [number, thread] : m_threads) {
      const PairCounts pairs = thread.open.finish(slicesOf(thread), m_assembly.source().last);
      m_assembly.counts().slices += pairs.pairs;
      mendUnpaired(m_assembly.counts(), pairs);
    }
  }

  void thread(uint32_t number, int64_t threadId) override {
    const std::size_t track = m_assembly.addTrack(m_process, "thread " + std::to_string(threadId), threadId);
    m_threads[number].track = track;
  }
  void threadName(uint32_t number, std::string_view name) override { trackOf(number).name = name; }

  void begin(uint32_t number, int64_t time, std::string_view channel, std::string_view label) override {
    stopIfAsked();
    TraceSlice slice;
    slice.start = slice.end = time;
    slice.name = m_assembly.string(label);
    slice.channel = m_assembly.channel(channel);
    m_assembly.see(time, slice.name);
    Thread& thread = m_threads[number];
    slice.order = uint32_t(slicesOf(thread).size());
    thread.open.begin(slicesOf(thread), slice);
    thread.latestIsInstant = false;
  }
  void end(uint32_t number, int64_t time) override {
    Thread& thread = m_threads[number];
    if (thread.open.end(slicesOf(thread), time)) m_assembly.source().see(time);
  }
  void endNamed(uint32_t number, int64_t time, std::string_view channel, std::string_view label) override {
    Thread& thread = m_threads[number];
    if (thread.open.endNamed(slicesOf(thread), time, m_assembly.string(label), m_assembly.channel(channel)))
      m_assembly.source().see(time);
  }
  void instant(uint32_t number, int64_t time, std::string_view channel, std::string_view label) override {
    Instant instant;
    instant.tick = time;
    instant.name = m_assembly.string(label);
    instant.category = m_assembly.channel(channel);
    m_assembly.see(time, instant.name);
    trackOf(number).instants.push_back(instant);
    m_threads[number].latestIsInstant = true;
    ++m_assembly.counts().instants;
  }
  void metadata(uint32_t number, std::string_view json) override {
    TraceTrack& track = trackOf(number);
    const int32_t details = m_assembly.details(json);
    if (m_threads[number].latestIsInstant && !track.instants.empty())
      track.instants.back().details = details;
    else if (!track.slices.empty())
      track.slices.back().details = details;
  }

  void series(uint32_t number, std::string_view graph, std::string_view unit, std::string_view name) override {
    if (m_series.count(number)) return;
    m_series[number] = m_assembly.addCounter(m_process, std::string(graph), std::string(name), std::string(unit));
  }
  void sample(uint32_t number, int64_t time, double value) override {
    const auto found = m_series.find(number);
    if (found == m_series.end()) return m_assembly.counts().mend(Mend::UnknownNames);
    m_assembly.source().see(time);
    m_assembly.counters()[found->second].samples.push_back({time, value});
    ++m_assembly.counts().counterSamples;
    ++m_assembly.counts().counterValues;
  }
  void heatmap(uint32_t number, std::string_view name, std::string_view unit, const std::vector<double>& edges) override {
    if (m_heatmaps.count(number)) return;
    m_heatmaps[number] = m_assembly.addHeatmap(m_process, std::string(name), std::string(unit), edges);
  }
  void heatmapSample(uint32_t number, int64_t time, const std::vector<uint32_t>& counts) override {
    const auto found = m_heatmaps.find(number);
    if (found == m_heatmaps.end()) return m_assembly.counts().mend(Mend::UnknownNames);
    m_assembly.source().see(time);
    m_assembly.heatmaps()[found->second].samples.push_back({time, {counts.begin(), counts.end()}});
  }

  std::size_t seriesCount() const { return m_series.size(); }

private:
  struct Thread {
    std::size_t track = 0;
    OpenSlices open;
    bool latestIsInstant = false;
  };
  TraceTrack& trackOf(uint32_t number) { return m_assembly.tracks()[m_threads[number].track]; }
  std::vector<TraceSlice>& slicesOf(const Thread& thread) { return m_assembly.tracks()[thread.track].slices; }
  void stopIfAsked() {
    if (++m_events % kEventsBetweenStops == 0) throwIfStopped(m_stop);
  }

  TraceAssembly& m_assembly;
  std::size_t m_process;
  std::stop_token m_stop;
  std::map<uint32_t, Thread> m_threads;
  std::map<uint32_t, std::size_t> m_series, m_heatmaps; // by their number in the recording
  int64_t m_events = 0;
};

} // namespace

bool looksLikeRecording(std::string_view head) {
  uint64_t magic = 0;
  if (head.size() < sizeof magic) return false;
  std::memcpy(&magic, head.data(), sizeof magic);
  return magic == tilescope_trace::format::kMagic;
}

void readRecording(const std::filesystem::path& file, TraceAssembly& assembly, const std::stop_token& stop) {
  RecordingReader reader(file);
  TraceSource& source = assembly.source();
  source.clock = "monotonic";
  source.unixOffset = reader.header().startUnix;
  const std::size_t process = assembly.addProcess(reader.processName(), reader.header().processId);
  RecordingToAssembly events(assembly, process, stop);
  reader.read(events);
  events.finish();
  assembly.counts().processes = 1;
  assembly.counts().counterSeries = int64_t(events.seriesCount());
  if (reader.lostEvents() > 0) assembly.counts().mend(Mend::PacketsLost, int64_t(reader.lostEvents()));
  if (reader.damagedChunks() > 0) assembly.counts().mend(Mend::UnreadableEvents, reader.damagedChunks());
}

} // namespace reports::exchange
