// Turns the packets of a Perfetto trace into slices, counters, instants and flows. Packets that are not shown are counted by
// kind.
#pragma once

#include "reports/exchange/trace_assembly.h"

#include <memory>

namespace reports::exchange {

class PerfettoEvents {
public:
  explicit PerfettoEvents(TraceAssembly& assembly);
  ~PerfettoEvents();
  void add(std::string_view packet); // one whole TracePacket
  void finish();                     // call once

private:
  struct State;
  std::unique_ptr<State> m_state;
};

} // namespace reports::exchange
