// ONNX's N-dimensional windows as the images that the library's convolution takes: one-dimensional fields are images of one
// row.
#pragma once

#include "simcore/model/parameters.h"
#include "simcore/ops/ops.h"

#include <array>

namespace simcore::model {

// [N, C, W] as [N, C, 1, W]; images stay as they are.
inline graph::Tensor asImage(const graph::Tensor& x) {
  if (x.rank() != 3) return x;
  return x.reshape({x.dim(0), x.dim(1), 1, x.dim(2)});
}

// Two values of a window, the first standard for one-dimensional inputs.
inline std::array<std::int64_t, 2> windowPair(const std::vector<std::int64_t>& values, std::int64_t standard) {
  return values.size() == 1 ? std::array<std::int64_t, 2>{standard, values[0]}
                            : std::array<std::int64_t, 2>{values[0], values[1]};
}

inline ops::ConvParams convolutionGeometry(const graph::Tensor& x, const graph::Tensor& weights, const numerics::Window& w,
                                           std::int64_t groups) {
  ops::ConvParams p;
  p.type = x.elementType();
  p.batch = x.dim(0);
  p.groups = groups;
  p.inChannels = weights.dim(1);
  p.outChannels = weights.dim(0) / groups;
  p.in = {x.dim(2), x.dim(3)};
  p.kernel = windowPair(w.kernel, 1);
  p.stride = windowPair(w.strides, 1);
  p.dilation = windowPair(w.dilations, 1);
  p.padLow = windowPair(w.padsBefore, 0);
  p.padHigh = windowPair(w.padsAfter, 0);
  return p;
}

} // namespace simcore::model
