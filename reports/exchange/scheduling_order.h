// Changes of scheduling in order of time. Kernels write one buffer per CPU, and a thread's states need the events of all CPUs: so
// they are kept, in about 15 bytes each, and entered at the end of the trace.
#pragma once

#include "reports/core/packed.h"

#include <functional>
#include <vector>

namespace reports::exchange {

struct SchedulingChange {
  enum Kind : uint8_t { Switch, Waking, State };
  int64_t time = 0, cpu = 0, thread = 0;
  int64_t previous = -1, previousState = -1, priority = -1; // -1: unknown
  int64_t name = 0;                                         // string id
  int64_t state = 0;                                        // of a thread, for State
  Kind kind = Switch;
};

class SchedulingOrder {
public:
  void add(const SchedulingChange& change);
  // Calls f for each change by time; equal times in the order in which they were added. Drops all of them.
  void takeAll(const std::function<void(const SchedulingChange&)>& f);

private:
  struct Block {
    std::size_t count = 0;
    std::vector<Blob> columns;
  };
  using Run = std::vector<Block>; // in order of time
  void pack();
  static std::vector<SchedulingChange> unpacked(const Block& block);
  std::vector<SchedulingChange> m_open; // the last ones, in any order
  std::vector<Run> m_runs;
};

} // namespace reports::exchange
