// The work that a rate of a sample counts: the floating-point operations of the problem, for the metric tflops. A plan adds sums of its own,
// which the report's flops have and published rates have not.
#pragma once

#include "simcore/graph/graph.h"

namespace simcore::samples {

// Of one run.
void tellWork(graph::Graph& graph, graph::DebugContextId context, int64_t flops);

} // namespace simcore::samples
