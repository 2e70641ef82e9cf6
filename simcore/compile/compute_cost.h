// What a compute set costs on every tile: its worker vertices share six workers, MultiVertices and supervisors take turns.
#pragma once

#include "simcore/graph/graph.h"

namespace simcore::compile {

struct ComputeCost {
  graph::PerTile cycles;    // tile cycles
  int64_t workerCycles = 0; // sum over vertices: "excluding idle threads" times six
  int64_t flops = 0;
  int64_t vertices = 0, edges = 0;
};

ComputeCost costOf(const graph::Graph& graph, const graph::ComputeSet& set);
// Field sizes of a user vertex in elements, by field name.
std::map<std::string, int64_t> fieldSizes(const graph::Graph& graph, const graph::UserVertex& vertex);

} // namespace simcore::compile
