// Graphs of fixed sizes for samples of graph networks. Unused edges point to the last node, which belongs to no graph, as in
// FixedSizeCollater of PyTorch Geometric for the IPU.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <vector>

namespace simcore::samples {

struct DrawnGraph {
  std::vector<int32_t> from, to; // the two nodes of each edge
  std::vector<int32_t> part;     // of each node: its molecule, or its class
  std::vector<float> positions;  // three coordinates for each atom; empty for graphs without positions
  int64_t nodes = 0;
};

// Nodes in classes; three of four edges join nodes of the same class. The last node is padding.
DrawnGraph drawnCommunities(int64_t nodes, int64_t edges, int64_t classes, uint64_t seed);
// Adds molecules of 8 to 24 atoms (a ring with branches) until no further one fits the nodes or edges. `molecules` includes the
// last one, which is padding.
DrawnGraph packedMolecules(int64_t nodes, int64_t edges, int64_t molecules, uint64_t seed);
// Packs molecules like packedMolecules(), and gives atoms positions. An edge leads from each atom to every other atom of its
// molecule within `cutoff`.
DrawnGraph packedAtoms(int64_t nodes, int64_t edges, int64_t molecules, double cutoff, uint64_t seed);

} // namespace simcore::samples
