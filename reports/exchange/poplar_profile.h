// Imports the JSON profiles that Poplar wrote up to SDK 2.1, as documented for its users: the graph profile (target, compute sets,
// exchanges, programs, memory, liveness), the execution profile (steps with cycles) and the lowered variables (addresses). Each may be a
// file of its own, or one file may hold `graphProfile` and `executionProfile`. Members that are not there leave their tables empty.
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
  // Of a cut file, the complete parts are taken. Throws Error(InvalidInput) if the text is not JSON, has none of the three parts complete, or
  // has one that another file had.
  void add(Window& window, const std::string& file, TraceAssembly& assembly);
  struct Counts {
    int64_t tiles = 0, programs = 0, steps = 0; // steps: as executed, on each IPU
  };
  // Writes the rows; tracks of the host follow those of the device. Throws Error(InvalidInput) if an execution profile came without its graph.
  Counts write(TraceAssembly& assembly);

private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

} // namespace reports::exchange
