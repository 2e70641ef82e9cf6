// Pooling element by element, like a vertex: reads only the windows
// of the tile's elements. For vertex-by-vertex computation.
#pragma once

#include "simcore/ops/cells/cellwise.h"
#include "simcore/ops/pool/pooling.h"

namespace simcore::ops {

// Output elements from x [N, C, H, W].
PositionKernel poolForward(const PoolParams& params);
// Position of the largest element of each window in the flattened input, or the value of a second input at that position.
PositionKernel poolIndices(const PoolParams& params);
// Elements of x's gradient: inputs are x and dy for maxima (the first maximum of a window gets it all), only dy otherwise;
// `shape` is x's.
PositionKernel poolBackward(const PoolParams& params, const Shape& shape);

} // namespace simcore::ops
