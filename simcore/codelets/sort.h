// One step of a bitonic sort or top-k: compares pairs of elements and swaps them. A network of n elements takes log2(n) (log2(n)
// + 1) / 2 steps (programming-model 2.2). The reference has no cycle figures for it: these are counted from the instructions per
// pair.
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

using numerics::ElementType;

// Worker. With `values`, a second array is permuted together with the keys.
VertexSpec compareExchangeSpec(ElementType keys, bool values);
VertexCost compareExchange(const arch::TileArchitecture& tile, ElementType keys, bool values, int64_t pairs);

} // namespace simcore::codelets
