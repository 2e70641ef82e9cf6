// Graph networks: messages along the edges of a graph, summed at their nodes.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

// Nodes are classified, or packed molecules: GIN, GCN or SAGE.
Sample gnn();
// SchNet: the energy of molecules from the distances of their atoms.
Sample schnet();

} // namespace simcore::samples
