// The kernel's part of a Perfetto trace: marks that programs print (atrace), scheduling, states and names of threads,
// frequencies, memory, processes, frames of the display.
#pragma once

#include "reports/exchange/perfetto_rows.h"
#include "reports/exchange/scheduling_order.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace reports::exchange {

class PerfettoKernel {
public:
  PerfettoKernel(TraceAssembly& assembly, PerfettoRows& rows) : m_assembly(assembly), m_rows(rows) {}
  void addBundle(std::string_view bundle, uint32_t machine);                    // FtraceEventBundle
  void addProcessTree(std::string_view tree, uint32_t machine);                 // ProcessTree
  void addFrame(std::string_view frame, int64_t time, uint32_t machine);        // FrameTimelineEvent
  void addGenericState(std::string_view state, int64_t time, uint32_t machine); // GenericKernelTaskStateEvent
  void addGenericRename(std::string_view rename, uint32_t machine);             // GenericKernelTaskRenameEvent
  void addGenericTree(std::string_view tree, uint32_t machine);                 // GenericKernelProcessTree
  // One mark: "B|12|name", "E", "C|12|name|3", "S|12|name|cookie", "F|…", "I|12|name", "G|12|track|name|cookie", "H|…",
  // "N|12|track|name".
  void addMark(std::string_view text, int64_t time, int64_t tid);
  struct Switch {
    int64_t time = 0, next = 0, previous = -1; // time: nanoseconds; next and previous: threads, -1: unknown
    int64_t priority = -1, previousState = -1;
    std::string_view nextName, previousName;
  };
  // Scheduling of one CPU, in any order of time. PerfettoRows defines all numbers.
  void addSwitch(int64_t cpu, const Switch& change);
  void addWaking(int64_t tid, int64_t time);
  void addFrequency(int64_t cpu, int64_t time, int64_t kilohertz);
  void finish();
  const std::map<std::string, int64_t>& notShown() const { return m_notShown; }

private:
  void addEvent(std::string_view event, int64_t cpu);
  bool addKind(uint32_t field, std::string_view bytes, int64_t time, int64_t tid, int64_t cpu);
  struct MemorySize {
    int64_t member = -1, bytes = 0;
    bool isCurrent = true; // whether the size is of the thread's own address space
    int64_t space = 0;     // its address space; 0: unknown
  };
  void addMemory(int64_t time, int64_t tid, const MemorySize& memory);
  void showMemory();
  void addCompactSwitches(int64_t cpu, std::string_view compact);
  int64_t scoped(int64_t id) { return m_rows.onMachine(id, m_machine); }
  void enter(const SchedulingChange& change); // in order of time
  void enterState(int64_t tid, int64_t time, const char* state);
  struct Running {
    int64_t since = 0, tid = 0, priority = -1;
    uint32_t name = 0;
  };
  struct ThreadState {
    int64_t since = 0;
    const char* state = nullptr; // null while unknown
  };
  void endRunning(int64_t cpu, Running& now, int64_t time, int64_t endState);
  // A size of a process's memory, kept until it is known which process a thread belongs to.
  struct Memory {
    int64_t time;
    std::optional<int64_t> tid;
    std::pair<uint32_t, int64_t> space; // machine and address space
    int64_t member, bytes;
  };
  TraceAssembly& m_assembly;
  PerfettoRows& m_rows;
  uint32_t m_machine = 0;
  std::map<int64_t, Running> m_running; // by CPU
  std::map<int64_t, ThreadState> m_states;
  std::map<std::string, int64_t> m_notShown;
  std::vector<Memory> m_memory;
  std::map<std::pair<uint32_t, int64_t>, int64_t> m_spaces; // a thread of each address space
  SchedulingOrder m_changes;                                // of all CPUs, entered by finish()
  int64_t m_lastSwitch = 0;
};

} // namespace reports::exchange
