// Imports the JSON profiles of Poplar up to SDK 2.1, as documented for its users: the graph profile (target, compute sets,
// exchanges, programs, memory, liveness), the execution profile (steps with cycles) and the lowered variables (addresses). Each
// may be a separate file, or one file may contain `graphProfile` and `executionProfile`. Missing members leave their tables
// empty.
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/trace_assembly.h"

#include <memory>
#include <string>
#include <string_view>

namespace reports::exchange {

bool looksLikePoplarProfile(std::string_view head);

class PoplarProfile {
public:
  PoplarProfile();
  ~PoplarProfile();
  // Uses the complete parts of a truncated file. Throws Error(InvalidInput) if the text is not JSON, has none of the three parts
  // complete, or has one that another file also has.
  void add(Window& window, const std::string& file, TraceAssembly& assembly);
  struct Counts {
    int64_t tiles = 0, programs = 0, steps = 0; // steps: executed steps, on each IPU
  };
  // Writes the rows; tracks of the host follow those of the device. Throws Error(InvalidInput) for an execution profile without
  // its graph.
  Counts write(TraceAssembly& assembly);

private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

} // namespace reports::exchange
