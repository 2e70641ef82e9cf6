// The rows a Perfetto trace fills: threads, tracks of their own, counters, asynchronous work. Names of processes and threads may come
// after their events, so rows are made at the end.
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
  std::vector<TraceSlice> slices; // those that came whole
  std::vector<Instant> instants;
  std::vector<FlowPoint> flows; // kind is Start, or End where the flow terminates
  bool isEmpty = true;
};

class PerfettoRows {
public:
  explicit PerfettoRows(TraceAssembly& assembly) : m_assembly(assembly) {}

  // Kernels number threads over all processes; other writers number them anew in each, so a thread is known by both. Without a pid: the
  // first of that tid.
  PerfettoRow& thread(int64_t tid, std::optional<int64_t> pid = {}) { return touch(threadOf(tid, pid).row); }
  PerfettoRow& cpu(int64_t number) { return touch(m_cpus[number]); }
  void nameProcess(int64_t pid, std::string name);
  void nameThread(int64_t tid, std::optional<int64_t> pid, std::string name);
  void setProcessOf(int64_t tid, int64_t pid) { threadOf(tid, pid); }
  std::optional<int64_t> processOf(int64_t tid) const;
  std::string threadName(int64_t tid, int64_t pid) const; // empty if none is known

  // Work that is known by a number (cookie); `kind` and `name` tell the row of `pid` it is drawn on.
  void beginAsync(const std::string& key, int64_t pid, const std::string& row, const std::string& kind, int64_t time,
                  uint32_t name, std::string_view details);
  void endAsync(const std::string& key, int64_t time);
  void addCounter(int64_t pid, const std::string& graph, const std::string& unit, int64_t time,
                  double value); // pid -1: of the host

  // A row of its own below a process (pid -1: of none).
  void makeRow(PerfettoRow& row, int64_t pid, const std::string& name, const std::string& kind, std::optional<int64_t> tid = {});
  std::size_t process(int64_t pid);
  uint32_t nextOrder() { return m_order++; } // of slices that begin and end together, the first lies outside
  void finish();
  void addFlows(); // once all rows are made

private:
  struct Thread {
    PerfettoRow row;
    std::optional<int64_t> pid;
    std::string name;
  };
  struct Async {
    std::size_t track = 0;
    BeginEndStack stack;
  };
  Thread& threadOf(int64_t tid, std::optional<int64_t> pid);
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
  std::map<int64_t, std::size_t> m_processes;
  std::map<std::string, std::size_t> m_asyncTracks, m_counters;
  std::map<std::string, Async> m_async;
  std::map<uint64_t, std::vector<FlowPoint>> m_flows;
};

} // namespace reports::exchange
