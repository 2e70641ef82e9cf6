// The field of a tensor [N, C, field…] and windows over it, as convolutions and pools have them. The library plans images, so
// a one-dimensional field is an image of one row and a volume is planes with a window over their depth.
#pragma once

#include "simcore/model/operators/family.h"
#include "simcore/numerics/window.h"

namespace simcore::model {

// The sizes of the field. Throws Error(InvalidInput) below a rank of 3.
Shape spatialOf(const Shape& shape);
std::vector<std::size_t> spatialAxes(const Call& call);
// Of a global pool: every dimension of the field is 1.
Types inferGlobal(const Call& call);

numerics::AutoPad autoPad(const Call& call);
// Strides, dilations and pads of the node with this kernel, or with that of its attributes.
numerics::Window windowOf(const Attributes& attributes, const std::vector<std::int64_t>& kernel);
numerics::Window windowOf(const Attributes& attributes);
// Writes a window into attributes with everything explicit.
void setWindow(Attributes& attributes, const numerics::Window& window);

// [N, C, W] as [N, C, 1, W]; images stay as they are.
Tensor asImage(const Tensor& x);
Shape imageShape(const Shape& shape);
// A window over one dimension as one over an image; others stay as they are.
numerics::Window imageWindow(const numerics::Window& window);
// Three field dimensions or more.
bool isVolume(const NodeLowering& n);
// The window of the last field dimensions without the first, and that of the first.
numerics::Window planeWindow(const numerics::Window& window);
ops::DepthWindow depthWindow(const numerics::Window& window, std::int64_t in, std::int64_t out);

// A window over an image in the parameters of a plan (ops::ConvParams, ops::PoolParams).
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

} // namespace simcore::model
