// The floating-point operations of a sample's problem, for the metric tflops. A plan adds sums of its own, which are part of the
// report's flops but not of published rates.
#pragma once

#include "simcore/graph/graph.h"

namespace simcore::samples {

// Records the work of one run.
void tellWork(graph::Graph& graph, graph::DebugContextId context, int64_t flops);

} // namespace simcore::samples
