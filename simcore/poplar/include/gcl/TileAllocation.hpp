// Tiles for compute and tiles for input and output on each IPU.
#pragma once

#include "poplar/Graph.hpp"

#include <vector>

namespace gcl {

// The fewest tiles that the exchange with the host needs on an IPU.
unsigned getMinIoTiles(const poplar::Graph& graph);
// `numTiles` tiles of an IPU after the first `offset`, for Graph::createVirtualGraph. `ascending`: in the order of their numbers. Throws
// poplibs_error if the IPU has fewer tiles.
std::vector<unsigned> perIPUTiles(const poplar::Graph& graph, unsigned offset, unsigned numTiles, bool ascending = true,
                                  bool tilePairs = true);

} // namespace gcl
