// Convolution and pooling over three field dimensions, by the planners of two. A convolution takes the depth of its kernel as
// further input channels, one of poplin's transforms (programming-model 2.1), and output depths as a batch; a pool runs over
// planes, then over depth, which gives the same maxima, means and norms.
#pragma once

#include "simcore/ops/convolution.h"
#include "simcore/ops/pooling.h"

namespace simcore::ops {

// The first field dimension.
struct DepthWindow {
  int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, padLow = 0, padHigh = 0;
};

// x [N, G*Cin, D, H, W], weights [G*Cout, Cin, kd, kh, kw] -> [N, G*Cout, od, oh, ow]. `plane` are the parameters of a
// convolution over [H, W] of a batch of N.
Tensor volumeConvolution(const OpBuilder& builder, const Tensor& x, const Tensor& weights, const ConvParams& plane,
                         const DepthWindow& depth, const ConvOptions& options = {});

// x [N, C, D, H, W] -> [N, C, od, oh, ow].
Tensor volumePool(const OpBuilder& builder, const Tensor& x, const PoolParams& plane, const DepthWindow& depth);

} // namespace simcore::ops
