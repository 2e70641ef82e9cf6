// A running sum over rows. Worker: the workers share the rows. The reference has no figures for it, so the cost is counted from
// the instructions of the loop, which waits for each addition (load, add with a latency of one worker slot, store, branch).
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

using numerics::ElementType;

VertexSpec runningSumSpec(ElementType type);
VertexCost runningSum(const arch::TileArchitecture& tile, ElementType type, int64_t rows, int64_t rowLength);

} // namespace simcore::codelets
