// Pooling element by element, as a vertex does it: what the windows of a tile's elements need and nothing else. For computing
// vertex by vertex.
#pragma once

#include "simcore/ops/cells/cellwise.h"
#include "simcore/ops/pool/pooling.h"

namespace simcore::ops {

// Output elements from x [N, C, H, W].
PositionKernel poolForward(const PoolParams& params);
// Where the largest element of each window is in the flattened input, or what a second input of that shape holds there.
PositionKernel poolIndices(const PoolParams& params);
// Elements of x's gradient: inputs are x and dy for maxima (the first largest of a window gets it all), dy alone otherwise;
// `shape` is x's.
PositionKernel poolBackward(const PoolParams& params, const Shape& shape);

} // namespace simcore::ops
