// Resizes images (Resize), and interpolates them at positions known only at run time (GridSample). Every tile computes its share
// of the result from the elements around each position.
#pragma once

#include "simcore/numerics/detection.h"
#include "simcore/numerics/resize.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// Computes numerics::resize() of x to `shape`.
Tensor resize(const OpBuilder& builder, const std::string& name, const Tensor& x, const Shape& shape,
              const numerics::ResizeParameters& parameters);
// The gradient of an x of this shape: each input sums the gradients of the outputs that read it.
Tensor resizeGradient(const OpBuilder& builder, const Tensor& gradient, const Shape& x,
                      const numerics::ResizeParameters& parameters);
// Computes numerics::gridSample(): x [N, C, H, W] at places [N, h, w, 2] -> [N, C, h, w].
Tensor gridSample(const OpBuilder& builder, const Tensor& x, const Tensor& grid, const numerics::GridParameters& parameters);

} // namespace simcore::ops
