// Breadth-first search on a sparse graph: a loop whose number of iterations depends on the data.
#pragma once

#include "simcore/samples/sample.h"

#include <cstdint>
#include <vector>

namespace simcore::samples {

// The vertices with an edge to v are `neighbours[offsets[v]] … neighbours[offsets[v + 1] - 1]`.
struct SparseGraph {
  std::vector<int32_t> offsets, neighbours;
  int64_t vertices() const { return int64_t(offsets.size()) - 1; }
};
// kind: "random" (each vertex has `degree` random neighbours), "grid" (a square with four neighbours per vertex), "ring" (each
// vertex and the next `degree` / 2 on both sides). Edges go both ways.
SparseGraph makeSparseGraph(const std::string& kind, int64_t vertices, int64_t degree, uint64_t seed);
// Parameters of a sample on such a graph: those of the graph, the sample's `own`, tiles and io. graphOf() makes the graph from
// them.
std::vector<Parameter> graphParameters(const std::vector<Parameter>& own);
struct GivenGraph {
  std::string words; // "10000 random vertices"
  SparseGraph graph;
};
GivenGraph graphOf(const Parameters& parameters, const BuildOptions& options);
// Steps from `source` to each vertex, computed on the host; -1 if it cannot be reached.
std::vector<int32_t> searchOnHost(const SparseGraph& graph, int64_t source);

Sample sparseBfs();

} // namespace simcore::samples
