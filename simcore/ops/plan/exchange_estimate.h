// Cycles that a planner expects for an exchange before its copies are known: the exchange formula of the machine, with the
// latency of the nearest tiles, plus the barrier before it (help/model-fidelity.md).
#pragma once

#include "simcore/arch/machine.h"

#include <cstdint>

namespace simcore::ops {

enum class Barrier { Counted, LeftOut };

// Cycles of one exchange step in which the busiest tile receives `bytes` from `senders` tiles.
inline int64_t exchangeEstimate(const arch::Machine& m, double bytes, int64_t senders = 1, Barrier barrier = Barrier::Counted) {
  const arch::ExchangeFabric& fabric = m.exchange;
  return fabric.exchangeCycles(bytes, senders, fabric.baseLatency.value(), arch::ExchangeFabric::LastWord::Dropped) +
         (barrier == Barrier::Counted ? fabric.internalSync.value() : 0);
}

} // namespace simcore::ops
