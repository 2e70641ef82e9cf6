// The operation that a debug context belongs to: the unit in which users think of a graph.
#pragma once

#include "simcore/graph/graph.h"

namespace simcore::run {

// The index of the outermost context around `context` that is a model layer but not control flow (If, Loop, Scan). If there is
// none: the innermost control flow; else the outermost library call; else -1.
int64_t operationContext(const graph::Graph& graph, graph::DebugContextId context);

} // namespace simcore::run
