// Convolutions over a field of one to three dimensions, forwards and backwards, with the planner of images: a one-dimensional
// field is an image of one row, a volume is planes with a window over their depth. A transposed convolution and the gradient of
// the data are convolutions over the given values with zeros between them; the gradient of the weights has swapped roles, or is
// one product over all positions, whichever the planner finds cheaper. Results over one dimension are images of one row.
#pragma once

#include "simcore/numerics/window.h"
#include "simcore/ops/conv/conv3d.h"

namespace simcore::ops {

// [N, C, W] as [N, C, 1, W]; images are unchanged.
Tensor asImage(const Tensor& x);
Shape imageShape(const Shape& shape);
// A window over one dimension as a window over an image; other windows are unchanged.
numerics::Window imageWindow(const numerics::Window& window);
// The window of all field dimensions except the first, and the window of the first.
numerics::Window planeWindow(const numerics::Window& window);
DepthWindow depthWindow(const numerics::Window& window, int64_t in, int64_t out);

// A window over an image in the parameters of a plan (ConvParams, PoolParams).
template<class Params> void setWindow(Params& params, const numerics::Window& given) {
  const numerics::Window w = imageWindow(given);
  for (std::size_t d = 0; d < 2; ++d) {
    params.kernel[d] = w.kernel[d];
    params.stride[d] = w.strides[d];
    params.dilation[d] = w.dilations[d];
    params.padLow[d] = w.padsBefore[d];
    params.padHigh[d] = w.padsAfter[d];
  }
}

// x [N, G*C, field..] with weights [G*M, C, kernel..] -> [N, G*M, outputs..].
Tensor convolution(const OpBuilder& builder, const Tensor& x, const Tensor& weights, const numerics::Window& window,
                   int64_t groups, const ConvOptions& options);
// The transposed convolution: x [N, G*M, outputs..] -> `result` [N, G*C, field..].
Tensor transposedConvolution(const OpBuilder& builder, const Tensor& x, const Tensor& weights, const numerics::Window& window,
                             int64_t groups, const Shape& result, const ConvOptions& options);
// The gradients of an x and of weights with the given shape, from the gradient of the result.
Tensor convolutionDataGradient(const OpBuilder& builder, const Tensor& gradient, const Tensor& weights,
                               const numerics::Window& window, int64_t groups, const Shape& x, const ConvOptions& options);
Tensor convolutionWeightsGradient(const OpBuilder& builder, const Tensor& x, const Tensor& gradient,
                                  const numerics::Window& window, int64_t groups, const Shape& weights,
                                  const ConvOptions& options);

} // namespace simcore::ops
