#include "reports/exchange/perfetto_rows.h"

#include <algorithm>

namespace reports::exchange {

void PerfettoRows::nameProcess(int64_t pid, std::string name) {
  if (!name.empty()) m_processNames[pid] = std::move(name);
}

void PerfettoRows::nameThread(int64_t tid, std::optional<int64_t> pid, std::string name) {
  if (!name.empty()) threadOf(tid, pid).name = std::move(name);
}

// A thread whose process is not known yet is of the first process that names it; it is the first of its tid.
PerfettoRows::Thread& PerfettoRows::threadOf(int64_t tid, std::optional<int64_t> pid) {
  auto& threads = m_threads[tid];
  if (!pid) return threads.empty() ? threads.emplace_back() : threads.front();
  Thread*& known = m_threadsOfProcesses[{tid, *pid}];
  if (known) return *known;
  known = !threads.empty() && !threads.front().pid ? &threads.front() : &threads.emplace_back();
  known->pid = pid;
  return *known;
}

std::optional<int64_t> PerfettoRows::processOf(int64_t tid) const {
  const auto found = m_threads.find(tid);
  return found == m_threads.end() || found->second.empty() ? std::nullopt : found->second.front().pid;
}

std::string PerfettoRows::threadName(int64_t tid, int64_t pid) const {
  const auto known = m_threadsOfProcesses.find({tid, pid});
  if (known != m_threadsOfProcesses.end()) return known->second->name;
  const auto threads = m_threads.find(tid);
  return threads == m_threads.end() || threads->second.front().pid ? std::string() : threads->second.front().name;
}

std::size_t PerfettoRows::process(int64_t pid) {
  if (const auto found = m_processes.find(pid); found != m_processes.end()) return found->second;
  const auto name = m_processNames.find(pid);
  const std::string text = pid < 0 ? "host" : name == m_processNames.end() ? "process " + std::to_string(pid) : name->second;
  const std::size_t index = m_assembly.addProcess(text, pid < 0 ? std::nullopt : std::optional(pid));
  m_assembly.counts().processes += pid >= 0;
  return m_processes[pid] = index;
}

void PerfettoRows::beginAsync(const std::string& key, int64_t pid, const std::string& row, const std::string& kind, int64_t time,
                              uint32_t name, std::string_view details) {
  const std::string place = std::to_string(pid) + '\x1f' + kind + '\x1f' + row;
  auto track = m_asyncTracks.find(place);
  if (track == m_asyncTracks.end()) track = m_asyncTracks.emplace(place, m_assembly.addAsyncTrack(process(pid), row, kind)).first;
  Async& async = m_async[key];
  async.track = track->second;
  async.stack.begin(time, name, m_assembly.channel(kind), details, 0);
}

void PerfettoRows::endAsync(const std::string& key, int64_t time) {
  const auto found = m_async.find(key);
  if (found == m_async.end()) return m_assembly.counts().mend(Mend::UnmatchedAsyncEnds);
  found->second.stack.end(time, {});
}

void PerfettoRows::addCounter(int64_t pid, const std::string& graph, const std::string& unit, int64_t time, double value) {
  const std::string key = std::to_string(pid) + '\x1f' + graph;
  auto found = m_counters.find(key);
  if (found == m_counters.end()) {
    found = m_counters.emplace(key, m_assembly.addCounter(process(pid), graph, "", unit)).first;
    ++m_assembly.counts().counterSeries;
  }
  m_assembly.counters()[found->second].samples.push_back({time, value});
  ++m_assembly.counts().counterSamples;
  ++m_assembly.counts().counterValues;
}

void PerfettoRows::makeRow(PerfettoRow& row, int64_t pid, const std::string& name, const std::string& kind,
                           std::optional<int64_t> tid) {
  if (row.isEmpty) return;
  const std::size_t index = m_assembly.addTrack(process(pid), name, tid);
  TraceTrack& track = m_assembly.tracks()[index];
  track.rowKind = kind;
  ImportCounts& counts = m_assembly.counts();
  const auto result = row.stack.pair(m_assembly, m_assembly.source().last, track.slices);
  (kind == "cpu" ? counts.asyncSlices : counts.slices) += result.pairs + int64_t(row.slices.size());
  mendUnpaired(counts, result);
  track.slices.insert(track.slices.end(), row.slices.begin(), row.slices.end());
  counts.instants += int64_t(row.instants.size());
  track.instants = std::move(row.instants);
  for (FlowPoint& point : row.flows) {
    point.track = uint32_t(index);
    m_flows[point.flow].push_back(point);
  }
}

// Perfetto's flows need no end of their own: the first point starts, the last ends.
void PerfettoRows::addFlows() {
  for (auto& [flow, points] : m_flows) {
    std::stable_sort(points.begin(), points.end(), [](const FlowPoint& a, const FlowPoint& b) { return a.time < b.time; });
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool first = i == 0 || points[i - 1].kind == FlowPoint::End;
      const bool last = i + 1 == points.size() || points[i].kind == FlowPoint::End;
      points[i].kind = first ? FlowPoint::Start : last ? FlowPoint::End : FlowPoint::Step;
      m_assembly.flowPoints().push_back(points[i]);
    }
  }
}

void PerfettoRows::finish() {
  for (auto& [tid, threads] : m_threads)
    for (Thread& thread : threads) {
      const std::string name = thread.name.empty() ? "thread " + std::to_string(tid) : thread.name;
      makeRow(thread.row, thread.pid.value_or(-1), name, "", tid);
    }
  for (auto& [number, row] : m_cpus) makeRow(row, -1, "CPU " + std::to_string(number), "cpu");
  uint32_t group = 0;
  ImportCounts& counts = m_assembly.counts();
  for (auto& [key, async] : m_async) {
    const auto result = async.stack.pair(m_assembly, m_assembly.source().last, m_assembly.tracks()[async.track].slices, &group);
    counts.asyncSlices += result.pairs;
    mendUnpaired(counts, result, true);
  }
}

} // namespace reports::exchange
