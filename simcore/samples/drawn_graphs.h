// Graphs of fixed sizes for the samples of graph networks. Unused edges point to a last node, which belongs to no graph, as
// FixedSizeCollater of PyTorch Geometric for the IPU pads them.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <vector>

namespace simcore::samples {

struct DrawnGraph {
  std::vector<int32_t> from, to; // of each edge
  std::vector<int32_t> part;     // of each node: its molecule, or its class
  std::vector<float> positions;  // of atoms, three each; empty: none
  int64_t nodes = 0;
};

// Nodes in classes; an edge joins nodes of one class three times out of four. The last node is padding.
DrawnGraph drawnCommunities(int64_t nodes, int64_t edges, int64_t classes, uint64_t seed);
// Molecules one after the other until no more fits into the nodes or edges: rings and branches of 8 to 24 atoms. `molecules` counts the
// last one, which is padding.
DrawnGraph packedMolecules(int64_t nodes, int64_t edges, int64_t molecules, uint64_t seed);
// The same with positions, and an edge from each atom to each other one of its molecule that is nearer than `cutoff`.
DrawnGraph packedAtoms(int64_t nodes, int64_t edges, int64_t molecules, double cutoff, uint64_t seed);

} // namespace simcore::samples
