// A running sum over rows. Worker: rows are dealt to the workers. The reference has no figures for it: counted from the
// instructions of the loop, which waits for each addition (load, add with its latency of a turn, store, branch).
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

using numerics::ElementType;

VertexSpec runningSumSpec(ElementType type);
VertexCost runningSum(const arch::TileArchitecture& tile, ElementType type, int64_t rows, int64_t rowLength);

} // namespace simcore::codelets
