// Pooling element by element, like a vertex: reads only the windows
// of the tile's elements. For vertex-by-vertex computation.
#pragma once

#include "simcore/ops/cells/cellwise.h"
#include "simcore/ops/pool/pooling.h"

namespace simcore::ops {

// Computes output elements from x [N, C, H, W].
PositionKernel poolForward(const PoolParams& params);
// Computes the position of each window's largest element in the flattened input, or the value of a second input at that position.
PositionKernel poolIndices(const PoolParams& params);
// Computes elements of x's gradient. For maxima the inputs are x and dy, and `params.ties` says which maxima of a window
// get its gradient; otherwise the only input is dy. `shape` is x's.
PositionKernel poolBackward(const PoolParams& params, const Shape& shape);

} // namespace simcore::ops
