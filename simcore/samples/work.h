// The work that a rate of a sample counts: the floating-point operations of the problem, for the metric tflops. A plan adds sums of its own,
// which are part of the report's flops and not of published rates.
#pragma once

#include "simcore/graph/graph.h"

namespace simcore::samples {

// Tells the work of one run.
void tellWork(graph::Graph& graph, graph::DebugContextId context, int64_t flops);

} // namespace simcore::samples
