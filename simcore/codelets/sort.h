// One step of a bitonic sort or top-k: compares pairs of elements and exchanges them. A network of n elements takes log2(n)
// (log2(n) + 1) / 2 steps (programming-model 2.2). The reference has no figures for it, so cycles are counted from the
// instructions per pair.
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

using numerics::ElementType;

// Steps of a selection without a sort (ops/sort/selection.h), all Workers:

// Counts, for each limit, the keys that are at least the limit: loads, compares, masks and adds vectors of keys.
VertexSpec countAtLeastSpec(ElementType keys);
VertexCost countAtLeast(const arch::TileArchitecture& tile, ElementType keys, int64_t count, int64_t limits);
// Sums `partials` counts per limit and computes the limits of the next round.
VertexSpec narrowLimitsSpec();
VertexCost narrowLimits(const arch::TileArchitecture& tile, int64_t partials, int64_t limits);
// Lists the positions of keys that reach the last limit, without branches; counts the keys above it and equal to it.
VertexSpec listAtLeastSpec(ElementType keys);
VertexCost listAtLeast(const arch::TileArchitecture& tile, ElementType keys, int64_t count);
// Joins lists: a worker reads the counts of all `lists`, walks through `own` of them, skips at most `skipped` elements that are
// not its own and copies `copied` elements.
VertexSpec joinListsSpec(ElementType keys);
VertexCost joinLists(const arch::TileArchitecture& tile, int64_t lists, int64_t own, int64_t skipped, int64_t copied);

// Worker. With `values`, a second array is permuted like the keys.
VertexSpec compareExchangeSpec(ElementType keys, bool values);
VertexCost compareExchange(const arch::TileArchitecture& tile, ElementType keys, bool values, int64_t pairs);

} // namespace simcore::codelets
