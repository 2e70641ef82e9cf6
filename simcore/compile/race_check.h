// Vertices of a compute set run in any order, so a vertex must not write or read an element that another vertex writes.
#pragma once

#include "simcore/graph/graph.h"

#include <stop_token>

namespace simcore::compile {

// Checks user vertices; library runs are disjoint by construction. Throws Error(InvalidInput) naming the compute set, the
// variable, the elements and both vertices.
void requireNoRaces(const graph::Graph& graph, const graph::ComputeSet& set, const std::stop_token& stop = {});

} // namespace simcore::compile
