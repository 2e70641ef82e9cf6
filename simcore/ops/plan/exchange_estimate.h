// Cycles that a planner expects of an exchange before its copies are known: the bytes that one tile receives at the bus's full
// width, the latency of the way and the barrier before it (exchange formula of the machine, see help/model-fidelity.md).
#pragma once

#include "simcore/arch/machine.h"

#include <cstdint>

namespace simcore::ops {

// Cycles of one exchange step in which the busiest tile receives `bytes`.
inline int64_t exchangeEstimate(const arch::Machine& m, int64_t bytes) {
  return int64_t(double(bytes) / m.exchange.bytesPerCycle) + m.exchange.baseLatency.value() + m.exchange.internalSync.value();
}

} // namespace simcore::ops
