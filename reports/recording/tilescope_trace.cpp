#include "reports/recording/tilescope_trace.h"

#include "reports/recording/recording_file.h"
#include "reports/recording/thread_log.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>

namespace tilescope_trace {

namespace {

std::int64_t monotonic() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * std::int64_t(1'000'000'000) + time.tv_nsec;
}

// The log of this thread. A thread that ends gives it back; events of later destructors on that thread are left out.
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

// Null where nothing is to be recorded now.
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

// Nanoseconds since the recording began; -1, and the recording ends, when its duration is over.
std::int64_t eventTime() {
  const std::int64_t time = monotonic() - recordingClock.start.load(std::memory_order_relaxed);
  if (time <= recordingClock.deadline.load(std::memory_order_relaxed)) return std::max<std::int64_t>(0, time);
  stop();
  return -1;
}

template<typename Record> bool record(Record&& write) {
  ThreadLog* log = logOfThread();
  if (!log) return false;
  const std::int64_t time = eventTime();
  if (time < 0) return false;
  write(*log, time);
  return true;
}

// Switches recording on by the environment before main() begins.
const bool startedByEnvironment = [] {
  for (const char* variable : {"TILESCOPE_TRACE", "PVTI_OPTIONS"})
    if (const char* value = std::getenv(variable)) return start(parseOptions(value));
  return false;
}();

} // namespace

bool start(const Options& options) {
  static const bool closesAtExit = std::atexit(stop) == 0;
  static_cast<void>(closesAtExit);
  return recordingFile().open(options);
}

void stop() { recordingFile().close(); }
bool isRecording() { return recordingClock.generation != 0; }
std::string fileName() { return recordingFile().name(); }
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

Scope::Scope(const Channel& channel, std::string_view label, std::string_view metadata)
    : m_open(channel.isActive() &&
             record([&](ThreadLog& log, std::int64_t time) { log.begin(time, channel, label, metadata); })) {}

Scope::~Scope() {
  if (m_open) record([](ThreadLog& log, std::int64_t time) { log.end(time); });
}

void begin(const Channel& channel, std::string_view label, std::string_view metadata) {
  if (channel.isActive()) record([&](ThreadLog& log, std::int64_t time) { log.begin(time, channel, label, metadata); });
}

void end(const Channel& channel, std::string_view label) {
  if (channel.isActive()) record([&](ThreadLog& log, std::int64_t time) { log.endNamed(time, channel, label); });
}

void instant(const Channel& channel, std::string_view label, std::string_view metadata) {
  if (channel.isActive()) record([&](ThreadLog& log, std::int64_t time) { log.instant(time, channel, label, metadata); });
}

void nameThread(std::string_view name) {
  record([&](ThreadLog& log, std::int64_t) { log.name(name); });
}

Graph::Graph(std::string name, std::string unit) : m_name(std::move(name)), m_unit(std::move(unit)) {}

Series Graph::addSeries(std::string name) const { return Series(recordingFile().addSeries({m_name, m_unit, std::move(name)})); }

void Series::add(double value) const {
  record([&](ThreadLog& log, std::int64_t time) { log.sample(time, m_id, value); });
}

Heatmap::Heatmap(std::string name, std::vector<double> edges, std::string unit)
    : m_id(recordingFile().addHeatmap({std::move(name), std::move(unit), edges})), m_edges(std::move(edges)) {}

void Heatmap::add(const std::vector<double>& values) const {
  if (!isRecording()) return;
  std::vector<std::uint32_t> counts(m_edges.size() + 1);
  for (const double value : values)
    if (value == value) ++counts[std::size_t(std::upper_bound(m_edges.begin(), m_edges.end(), value) - m_edges.begin())];
  record([&](ThreadLog& log, std::int64_t time) { log.heatmapSample(time, m_id, counts); });
}

} // namespace tilescope_trace
