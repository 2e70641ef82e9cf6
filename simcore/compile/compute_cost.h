// The cost of a compute set on every tile: its worker vertices share six workers; MultiVertices and supervisors run one after the
// other. Lowering computes it once; memory and report use the result.
#pragma once

#include "simcore/graph/graph.h"

#include <map>
#include <stop_token>

namespace simcore::compile {

struct ComputeCost {
  // The vertices of one type.
  struct TypeShare {
    uint32_t type = 0;
    graph::PerTile count;                        // vertices by tile
    graph::PerTile fieldData, lists;             // bytes outside their state by tile, as in graph::VertexRun
    std::map<int64_t, graph::PerTile> constants; // for each size in bytes of a vertex's own constants: number of vertices by tile
    int64_t cycles = 0, flops = 0;
  };

  graph::PerTile cycles;    // tile cycles
  int64_t workerCycles = 0; // sum over vertices; times six it is Poplar's "excluding idle threads"
  int64_t flops = 0;
  int64_t vertices = 0, edges = 0;
  std::vector<TypeShare> types; // ascending
};

// Throws Error(InvalidInput) for a vertex without a tile.
ComputeCost costOf(const graph::Graph& graph, const graph::ComputeSet& set, const std::stop_token& stop = {});

} // namespace simcore::compile
