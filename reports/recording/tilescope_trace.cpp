#include "reports/recording/tilescope_trace.h"

#include "reports/recording/recording_file.h"
#include "reports/recording/thread_log.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>

namespace tilescope_trace {

namespace {

std::int64_t monotonic() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * std::int64_t(1'000'000'000) + time.tv_nsec;
}

// The log of this thread. A thread that ends returns it; events in later destructors of that thread are dropped.
thread_local ThreadLog* threadLog = nullptr;
thread_local bool threadEnds = false;
struct ThreadEnd {
  ~ThreadEnd() {
    threadEnds = true;
    delete threadLog;
    threadLog = nullptr;
  }
};
thread_local ThreadEnd threadEnd;

// Null if nothing is recorded now.
ThreadLog* logOfThread() {
  const std::uint64_t generation = recordingClock.generation.load(std::memory_order_relaxed);
  if (generation == 0) return nullptr;
  if (!threadLog) {
    if (threadEnds) return nullptr;
    static_cast<void>(&threadEnd); // constructs it, so that it is destroyed with the thread
    threadLog = new ThreadLog;
  }
  if (threadLog->generation() != generation) threadLog->attach(generation);
  return threadLog;
}

// Nanoseconds since the recording began; -1 after its duration, which also ends the recording.
std::int64_t eventTime() {
  const std::int64_t time = monotonic() - recordingClock.start.load(std::memory_order_relaxed);
  if (time <= recordingClock.deadline.load(std::memory_order_relaxed)) return std::max<std::int64_t>(0, time);
  recordingFile().close();
  return -1;
}

// Set while this thread is in the library: events of a signal handler are then deferred. Handlers run to their end, so plain
// variables suffice.
thread_local volatile std::sig_atomic_t isInside = 0;

void drain() {
  if (threadLog && !threadLog->deferred().isEmpty())
    threadLog->deferred().drain([](std::int64_t time, const Event& event) {
      if (ThreadLog* log = logOfThread()) log->write(time, event);
    });
}

// Used around each library call that takes its lock or writes. A nested call of the same thread only detects the outer one.
class Inside {
public:
  Inside() : m_isFirst(!isInside) { isInside = 1; }
  ~Inside() {
    if (!m_isFirst) return;
    drain();
    isInside = 0;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    while (threadLog && !threadLog->deferred().isEmpty()) { // events of a handler that ran between drain() and the end
      isInside = 1;
      drain();
      isInside = 0;
    }
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  bool isFirst() const { return m_isFirst; }

private:
  const bool m_isFirst;
};

bool record(const Event& event) {
  if (recordingClock.generation.load(std::memory_order_relaxed) == 0) return false;
  const Inside inside;
  if (!inside.isFirst()) {
    const std::int64_t time = monotonic() - recordingClock.start.load(std::memory_order_relaxed);
    if (threadLog && threadLog->deferred().add(std::max<std::int64_t>(0, time), event)) return true;
    recordingFile().countLost();
    return false;
  }
  ThreadLog* log = logOfThread();
  if (!log) return false;
  const std::int64_t time = eventTime();
  if (time < 0) return false;
  log->write(time, event);
  return true;
}

// Starts recording before main() if the environment requests it.
const bool startedByEnvironment = [] {
  for (const char* variable : {"TILESCOPE_TRACE", "PVTI_OPTIONS"})
    if (const char* value = std::getenv(variable)) return start(parseOptions(value));
  return false;
}();

} // namespace

bool start(const Options& options) {
  static const bool closesAtExit = std::atexit(stop) == 0;
  static_cast<void>(closesAtExit);
  const Inside inside;
  return inside.isFirst() && recordingFile().open(options);
}

void stop() {
  const Inside inside;
  if (inside.isFirst()) return recordingFile().close();
  recordingClock.generation.store(
      0, std::memory_order_release); // this thread may hold the lock: the next start or the exit closes the file
}
bool isRecording() { return recordingClock.generation != 0; }
std::string fileName() {
  const Inside inside;
  return inside.isFirst() ? recordingFile().name() : std::string();
}
std::uint64_t lostEvents() { return recordingFile().lost(); }

namespace {
std::size_t nextChannel() {
  static std::atomic<std::size_t> made{0};
  return made.fetch_add(1, std::memory_order_relaxed);
}
} // namespace

Channel::Channel(std::string name, bool enabled) : m_name(std::move(name)), m_id(nextChannel()), m_enabled(enabled) {}

bool Channel::isActive() const {
  const std::uint64_t generation = recordingClock.generation.load(std::memory_order_relaxed);
  if (generation == 0 || !m_enabled.load(std::memory_order_relaxed)) return false;
  const std::uint64_t known = m_selection.load(std::memory_order_relaxed);
  if (known >> 1 == generation) return known & 1;
  const bool chosen = recordingFile().selects(m_name);
  m_selection.store(generation << 1 | std::uint64_t(chosen), std::memory_order_relaxed);
  return chosen;
}

Scope::Scope(const Channel& channel, Text label, Text metadata)
    : m_open(channel.isActive() && record({format::Kind::Begin, &channel, label, metadata})) {}

Scope::~Scope() {
  if (m_open) record({format::Kind::End});
}

void begin(const Channel& channel, Text label, Text metadata) {
  if (channel.isActive()) record({format::Kind::Begin, &channel, label, metadata});
}

void end(const Channel& channel, Text label) {
  if (channel.isActive()) record({format::Kind::EndNamed, &channel, label});
}

void instant(const Channel& channel, Text label, Text metadata) {
  if (channel.isActive()) record({format::Kind::Instant, &channel, label, metadata});
}

void nameThread(Text name) { record({format::Kind::ThreadName, nullptr, name}); }

Graph::Graph(std::string name, std::string unit) : m_name(std::move(name)), m_unit(std::move(unit)) {}

Series Graph::addSeries(std::string name) const {
  const Inside inside;
  return Series(recordingFile().addSeries({m_name, m_unit, std::move(name)}));
}

void Series::add(double value) const { record({format::Kind::Sample, nullptr, {}, {}, m_id, value}); }

Heatmap::Heatmap(std::string name, std::vector<double> edges, std::string unit)
    : m_id(recordingFile().addHeatmap({std::move(name), std::move(unit), edges})), m_edges(std::move(edges)) {}

void Heatmap::add(const std::vector<double>& values) const {
  if (!isRecording()) return;
  std::vector<std::uint32_t> counts(m_edges.size() + 1);
  for (const double value : values)
    if (value == value) ++counts[std::size_t(std::upper_bound(m_edges.begin(), m_edges.end(), value) - m_edges.begin())];
  record({format::Kind::HeatmapSample, nullptr, {}, {}, m_id, 0, counts.data(), counts.size()});
}

} // namespace tilescope_trace
