// Convolution and pooling over three field dimensions, with the planners for two. A convolution uses the depth of its kernel as
// additional input channels, one of poplin's transforms (programming-model 2.1), and output depths as a batch; if that does not
// fit, it processes the taps along depth in sequence. A pool runs over planes, then over depth, which gives the same maxima,
// means and norms; gradients run in the reverse order.
#pragma once

#include "simcore/ops/conv/convolution.h"
#include "simcore/ops/pool/pooling.h"

namespace simcore::ops {

// The window over the first field dimension, the depth.
struct DepthWindow {
  int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, padLow = 0, padHigh = 0;
  // Convolutions: input planes are `spread` positions apart, with zeros between them, for a transposed convolution.
  int64_t spread = 1;
  bool turnedWeights = false; // plane k takes tap kernel - 1 - k, for kernels that ConvOptions reverses
};

// x [N, G*Cin, D, H, W], weights [G*Cout, Cin, kd, kh, kw] -> [N, G*Cout, od, oh, ow]. `plane` are the parameters of a
// convolution over [H, W] of a batch of N.
Tensor conv3d(const OpBuilder& builder, const Tensor& x, const Tensor& weights, const ConvParams& plane, const DepthWindow& depth,
              const ConvOptions& options = {});

// x [N, C, D, H, W] -> [N, C, od, oh, ow]. `indices` like in pool(): windows over depth pass on the indices of the planes.
Tensor pool3d(const OpBuilder& builder, const Tensor& x, const PoolParams& plane, const DepthWindow& depth,
              Tensor* indices = nullptr);

// Pools x [N, C, field..] along one dimension after another, the last one first, for windows that exceed a tile. Does not read
// the sizes in `kind`.
Tensor separatePool(const OpBuilder& builder, const Tensor& x, const PoolParams& kind, const std::vector<DepthWindow>& windows,
                    Tensor* indices = nullptr);

// The gradient of x from that of the output. A maximum pool recomputes the maxima of the planes.
Tensor pool3dGrad(const OpBuilder& builder, const Tensor& x, const Tensor& y, const Tensor& gradient, const PoolParams& plane,
                  const DepthWindow& depth);
// Gradient of an average pool, which does not read x.
Tensor pool3dGrad(const OpBuilder& builder, const Shape& shape, const Tensor& gradient, const PoolParams& plane,
                  const DepthWindow& depth);

} // namespace simcore::ops
