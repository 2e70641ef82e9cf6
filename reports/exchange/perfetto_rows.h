// The rows of a Perfetto trace: threads, separate tracks, counters,
// asynchronous work. Names of processes and threads may come after their
// events, so rows are made at the end. Processes and threads are numbered
// within a scope: each machine is one, and so is each later process that
// reuses a pid. In the first scope the numbers are the system's own.
#pragma once

#include "reports/exchange/begin_end.h"
#include "reports/exchange/trace_assembly.h"

#include <list>
#include <map>
#include <string>
#include <vector>

namespace reports::exchange {

// The slices and instants of one row, until it is made.
struct PerfettoRow {
  BeginEndStack stack;
  std::vector<TraceSlice> slices; // slices that arrived complete
  std::vector<Instant> instants;
  std::vector<FlowPoint> flows;       // kind is Start, or End if the flow terminates
  std::vector<FlowPoint> legacyFlows; // from Chrome's events, which mark starts and ends
  bool isEmpty = true;

  void append(PerfettoRow&& other);
};

class PerfettoRows {
public:
  explicit PerfettoRows(TraceAssembly& assembly) : m_assembly(assembly) {}

  int64_t onMachine(int64_t id, uint32_t machine); // the number of a process or thread on a machine; 0 is the host
  int64_t hostOf(uint32_t machine) { return machine == 0 ? -1 : onMachine(kIdMask, machine); } // for events without a process
  // The number of the process that has a pid from `start` on: for the first one its pid.
  int64_t startedAt(int64_t pid, int64_t start);
  int64_t lastLife(int64_t pid) const; // the latest number that startedAt() gave for `pid`; `pid` if none
  // The number of a thread of a process, by name: threads with the same tid and other names are different threads.
  int64_t threadNamed(int64_t tid, int64_t pid, const std::string& name);
  static int64_t plain(int64_t id) { return id < 0 ? id : id & kIdMask; }
  static bool isHost(int64_t pid) { return pid < 0 || plain(pid) == kIdMask; } // the row for events without a process

  // Kernels number threads over all processes; other writers restart in each process. So tid and pid together identify a thread.
  // Without a pid, it is the first thread with this tid.
  PerfettoRow& thread(int64_t tid, std::optional<int64_t> pid = {}) { return touch(threadOf(tid, pid).row); }
  PerfettoRow& cpu(int64_t number) { return touch(m_cpus[number]); }
  // States of a thread: running, waiting for a CPU, asleep.
  void addState(int64_t tid, int64_t start, int64_t end, const char* state);
  void nameProcess(int64_t pid, std::string name);
  // `isBetter`: whether it also replaces a known name.
  void nameThread(int64_t tid, std::optional<int64_t> pid, std::string name, bool isBetter = true);
  void sortProcess(int64_t pid, int64_t order) { m_processOrders[pid] = order; }
  void sortThread(int64_t tid, std::optional<int64_t> pid, int64_t order) { threadOf(tid, pid).sortOrder = order; }
  void setProcessOf(int64_t tid, int64_t pid) { threadOf(tid, pid); }
  std::optional<int64_t> processOf(int64_t tid) const;
  std::string threadName(int64_t tid, int64_t pid) const; // empty if unknown
  std::string processName(int64_t pid) const;             // empty if unknown

  // The row of asynchronous work with a number (cookie): `kind` and `name` select the row within process `pid`.
  struct AsyncRow {
    int64_t pid = -1;
    std::string name, kind, channel;
  };
  void beginAsync(const std::string& key, const AsyncRow& row, int64_t time, uint32_t name, std::string_view details);
  void endAsync(const std::string& key, int64_t time, std::string_view details = {}, const BeginEndStack::End& end = {});
  void markAsync(const AsyncRow& row, int64_t time, uint32_t name, std::string_view details);
  // Adds a value of a counter; pid -1: of the host. Series with equal keys are one series.
  void addCounter(const std::string& key, int64_t pid, const std::string& graph, const std::string& unit, int64_t time,
                  double value);

  // Adds a value of a process, either polled or from kernel events: a name is one series.
  void addStatistic(uint32_t machine, int64_t pid, const std::string& name, const char* unit, int64_t time, double value) {
    addCounter("stat" + std::to_string(machine) + '/' + std::to_string(pid) + '/' + name, pid, name, unit, time, value);
  }

  // A separate row below a process (pid -1: of no process).
  struct Place {
    int64_t pid = -1;
    std::string name, kind;
    std::optional<int64_t> tid = {}, sortOrder = {};
  };
  void makeRow(PerfettoRow& row, const Place& place);
  std::size_t process(int64_t pid);
  uint32_t nextOrder() { return m_order++; } // for begins and ends, in file order
  void finish();
  void addFlows(); // call it when all rows are made

private:
  static constexpr int kScopeShift = 33;
  static constexpr int64_t kIdMask = (int64_t(1) << kScopeShift) - 1, kReusedScope = int64_t(1) << 28;
  static int64_t scoped(int64_t id, int64_t scope) { return (id & kIdMask) | (scope & (kReusedScope - 1)) << kScopeShift; }
  struct Thread {
    PerfettoRow row, states;
    std::optional<int64_t> pid, sortOrder;
    std::string name;
  };
  struct Async {
    std::size_t track = 0;
    BeginEndStack stack;
  };
  Thread& threadOf(int64_t tid, std::optional<int64_t> pid);
  std::size_t asyncTrack(const AsyncRow& row);
  static PerfettoRow& touch(PerfettoRow& row) {
    row.isEmpty = false;
    return row;
  }
  TraceAssembly& m_assembly;
  uint32_t m_order = 0;
  std::map<int64_t, std::list<Thread>> m_threads;                      // by tid
  std::map<std::pair<int64_t, int64_t>, Thread*> m_threadsOfProcesses; // by tid and pid
  std::map<int64_t, PerfettoRow> m_cpus;
  std::map<int64_t, std::string> m_processNames;
  std::map<int64_t, int64_t> m_processOrders;
  std::map<int64_t, std::size_t> m_processes;
  std::map<int64_t, std::map<int64_t, int64_t>> m_starts; // by pid and start: the number in its scope
  std::map<int64_t, int64_t> m_lastLives;                 // by pid
  std::map<std::pair<int64_t, int64_t>, std::map<std::string, int64_t>> m_threadLives; // by tid and pid, then name
  int64_t m_reused = 0;
  std::map<uint32_t, int64_t> m_scopes;   // scope of each machine
  std::map<int64_t, uint32_t> m_machines; // by scope
  std::map<std::string, std::size_t> m_asyncTracks, m_counters;
  std::map<std::string, Async> m_async;
  std::map<uint64_t, std::vector<FlowPoint>> m_flows;
};

} // namespace reports::exchange
