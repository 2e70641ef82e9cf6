// Graph networks: messages along the edges of a graph, summed at their nodes.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

// Classifies nodes, or packed molecules: GIN, GCN or SAGE.
Sample gnn();
// SchNet: the energy of molecules from the distances between their atoms.
Sample schnet();

} // namespace simcore::samples
