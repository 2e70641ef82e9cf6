#include "reports/exchange/perfetto_rows.h"

#include <algorithm>
#include <limits>

namespace reports::exchange {

void PerfettoRow::append(PerfettoRow&& other) {
  for (FlowPoint point : other.flows) {
    if (point.instant >= 0) point.instant += int32_t(instants.size());
    flows.push_back(point);
  }
  for (FlowPoint point : other.legacyFlows) {
    if (point.instant >= 0) point.instant += int32_t(instants.size());
    legacyFlows.push_back(point);
  }
  stack.append(std::move(other.stack));
  slices.insert(slices.end(), other.slices.begin(), other.slices.end());
  instants.insert(instants.end(), other.instants.begin(), other.instants.end());
  isEmpty = isEmpty && other.isEmpty;
  other = {};
}

int64_t PerfettoRows::onMachine(int64_t id, uint32_t machine) {
  if (machine == 0) return id;
  const auto [scope, isNew] = m_scopes.try_emplace(machine, int64_t(m_scopes.size()) + 1);
  if (isNew) m_machines[scope->second] = machine;
  return scoped(id, scope->second);
}

int64_t PerfettoRows::startedAt(int64_t pid, int64_t start) {
  auto& starts = m_starts[pid];
  const auto [found, isNew] = starts.try_emplace(start, pid);
  if (isNew && starts.size() > 1) {
    found->second = scoped(pid, kReusedScope / 2 + ++m_reused);
    if (const auto machine = m_machines.find(pid >> kScopeShift); machine != m_machines.end())
      m_machines[found->second >> kScopeShift] = machine->second;
    m_assembly.counts().mend(Mend::PidsUsedAgain);
  }
  return m_lastLives[pid] = found->second;
}

int64_t PerfettoRows::lastLife(int64_t pid) const {
  const auto found = m_lastLives.find(pid);
  return found == m_lastLives.end() ? pid : found->second;
}

int64_t PerfettoRows::threadNamed(int64_t tid, int64_t pid, const std::string& name) {
  auto& lives = m_threadLives[{tid, pid}];
  const auto [found, isNew] = lives.try_emplace(name, tid);
  if (isNew && lives.size() > 1) found->second = scoped(tid, kReusedScope / 2 + ++m_reused);
  return found->second;
}

void PerfettoRows::nameProcess(int64_t pid, std::string name) {
  if (!name.empty()) m_processNames[pid] = std::move(name);
}

void PerfettoRows::nameThread(int64_t tid, std::optional<int64_t> pid, std::string name, bool isBetter) {
  if (name.empty()) return;
  std::string& known = threadOf(tid, pid).name;
  if (isBetter || known.empty()) known = std::move(name);
}

// A thread without a known process takes the first process that is named for it. It is the first thread with its tid.
PerfettoRows::Thread& PerfettoRows::threadOf(int64_t tid, std::optional<int64_t> pid) {
  auto& threads = m_threads[tid];
  if (!pid) return threads.empty() ? threads.emplace_back() : threads.front();
  Thread*& known = m_threadsOfProcesses[{tid, *pid}];
  if (known) return *known;
  known = !threads.empty() && !threads.front().pid ? &threads.front() : &threads.emplace_back();
  known->pid = pid;
  return *known;
}

void PerfettoRows::addState(int64_t tid, int64_t start, int64_t end, const char* state) {
  PerfettoRow& row = touch(threadOf(tid, {}).states);
  row.slices.push_back({start, end, m_assembly.string(state), -1, nextOrder(), m_assembly.channel("thread state"), 0});
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

std::string PerfettoRows::processName(int64_t pid) const {
  const auto name = m_processNames.find(pid);
  return name == m_processNames.end() ? std::string() : name->second;
}

std::size_t PerfettoRows::process(int64_t pid) {
  if (const auto found = m_processes.find(pid); found != m_processes.end()) return found->second;
  std::string name = processName(pid);
  if (name.empty()) name = isHost(pid) ? "host" : "process " + std::to_string(plain(pid));
  if (const auto machine = m_machines.find(pid < 0 ? 0 : pid >> kScopeShift); machine != m_machines.end())
    name += " (machine " + std::to_string(machine->second) + ")";
  const std::size_t index = m_assembly.addProcess(name, isHost(pid) ? std::nullopt : std::optional(plain(pid)));
  if (const auto order = m_processOrders.find(pid); order != m_processOrders.end())
    m_assembly.processes()[index].sortOrder = order->second;
  m_assembly.counts().processes += !isHost(pid);
  return m_processes[pid] = index;
}

std::size_t PerfettoRows::asyncTrack(const AsyncRow& row) {
  const std::string place = std::to_string(row.pid) + '\x1f' + row.kind + '\x1f' + row.name;
  const auto found = m_asyncTracks.find(place);
  if (found != m_asyncTracks.end()) return found->second;
  return m_asyncTracks[place] = m_assembly.addAsyncTrack(process(row.pid), row.name, row.kind);
}

void PerfettoRows::beginAsync(const std::string& key, const AsyncRow& row, int64_t time, uint32_t name,
                              std::string_view details) {
  Async& async = m_async[key];
  async.track = asyncTrack(row);
  async.stack.begin(time, name, m_assembly.channel(row.channel), details, 0);
}

void PerfettoRows::endAsync(const std::string& key, int64_t time, std::string_view details, const BeginEndStack::End& end) {
  const auto found = m_async.find(key);
  if (found == m_async.end()) return m_assembly.counts().mend(Mend::UnmatchedAsyncEnds);
  found->second.stack.end(time, details, end);
}

void PerfettoRows::markAsync(const AsyncRow& row, int64_t time, uint32_t name, std::string_view details) {
  m_assembly.tracks()[asyncTrack(row)].instants.push_back(
      {time, name, m_assembly.channel(row.channel), InstantScope::Thread, m_assembly.details(details)});
  ++m_assembly.counts().otherInstants;
}

void PerfettoRows::addCounter(const std::string& key, int64_t pid, const std::string& graph, const std::string& unit,
                              int64_t time, double value) {
  auto found = m_counters.find(key);
  if (found == m_counters.end()) {
    found = m_counters.emplace(key, m_assembly.addCounter(process(pid), graph, "", unit)).first;
    ++m_assembly.counts().counterSeries;
  }
  m_assembly.source().see(time);
  m_assembly.counters()[found->second].samples.push_back({time, value});
  ++m_assembly.counts().counterSamples;
  ++m_assembly.counts().counterValues;
}

void PerfettoRows::makeRow(PerfettoRow& row, const Place& place) {
  if (row.isEmpty) return;
  const std::size_t index = m_assembly.addTrack(process(place.pid), place.name, place.tid);
  TraceTrack& track = m_assembly.tracks()[index];
  track.rowKind = place.kind;
  track.sortOrder = place.sortOrder;
  ImportCounts& counts = m_assembly.counts();
  const auto result = row.stack.pair(m_assembly, m_assembly.source().last, track.slices, nullptr, {}, WithinEnded::EndToo);
  const bool isOfThread = place.kind.empty() || place.kind == "track";
  (isOfThread ? counts.slices : counts.asyncSlices) += result.pairs + result.endedWithin + int64_t(row.slices.size());
  mendUnpaired(counts, result);
  track.slices.insert(track.slices.end(), row.slices.begin(), row.slices.end());
  counts.instants += int64_t(row.instants.size());
  track.instants = std::move(row.instants);
  for (FlowPoint& point : row.flows) {
    point.track = uint32_t(index);
    m_flows[point.flow].push_back(point);
  }
  for (FlowPoint& point : row.legacyFlows) {
    point.track = uint32_t(index);
    m_assembly.flowPoints().push_back(point);
  }
}

// Perfetto's flows need no end event: the first point starts, the last one ends.
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
      const std::string name = thread.name.empty() ? "thread " + std::to_string(plain(tid)) : thread.name;
      makeRow(thread.row, {thread.pid.value_or(-1), name, "", plain(tid), thread.sortOrder});
      makeRow(thread.states, {thread.pid.value_or(-1), "states of " + name, "state", plain(tid), thread.sortOrder});
    }
  for (auto& [number, row] : m_cpus)
    makeRow(row, {number == plain(number) ? -1 : number | kIdMask,
                  "CPU " + std::to_string(plain(number)),
                  "cpu",
                  {},
                  std::numeric_limits<int32_t>::min() + plain(number)}); // above the threads
  uint32_t group = 0;
  ImportCounts& counts = m_assembly.counts();
  for (auto& [key, async] : m_async) {
    const auto result = async.stack.pair(m_assembly, m_assembly.source().last, m_assembly.tracks()[async.track].slices, &group);
    counts.asyncSlices += result.pairs;
    mendUnpaired(counts, result, true);
  }
}

} // namespace reports::exchange
