// Breadth-first search on a sparse graph: a loop that runs as often as its data says.
#pragma once

#include "simcore/samples/sample.h"

#include <cstdint>
#include <vector>

namespace simcore::samples {

// Edges of the graph: `neighbours[offsets[v]] … neighbours[offsets[v + 1] - 1]` have one to v.
struct SparseGraph {
  std::vector<int32_t> offsets, neighbours;
  int64_t vertices() const { return int64_t(offsets.size()) - 1; }
};
// kind: "random" (each vertex has `degree` neighbours drawn at random), "grid" (a square, four neighbours), "ring" (each vertex
// and the next `degree` / 2 on both sides). Edges go both ways.
SparseGraph makeSparseGraph(const std::string& kind, int64_t vertices, int64_t degree, uint64_t seed);
// Steps from `source` to each vertex on the host, -1 where no way leads.
std::vector<int32_t> searchOnHost(const SparseGraph& graph, int64_t source);

Sample sparseBfs();

} // namespace simcore::samples
