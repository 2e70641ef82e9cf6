// Counts the triangles of a sparse graph from the neighbours of neighbours; all communication is known in advance.
#pragma once

#include "simcore/samples/sparse_bfs.h"

namespace simcore::samples {

Sample triangleCount();

} // namespace simcore::samples
