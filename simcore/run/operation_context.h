// The operation that a debug context belongs to: the unit in which users think of a graph.
#pragma once

#include "simcore/graph/graph.h"

namespace simcore::run {

// The index of the outermost context of a model layer around `context` that is not control flow (If, Loop, Scan), else of the innermost
// control flow, else of the outermost library call; -1: it belongs to none.
int64_t operationContext(const graph::Graph& graph, graph::DebugContextId context);

} // namespace simcore::run
