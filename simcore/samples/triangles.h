// Triangles of a sparse graph, counted by looking at the neighbours of neighbours: all communication is known beforehand.
#pragma once

#include "simcore/samples/sparse_bfs.h"

namespace simcore::samples {

Sample triangleCount();

} // namespace simcore::samples
