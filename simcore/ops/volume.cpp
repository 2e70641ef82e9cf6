#include "simcore/ops/volume.h"

#include "simcore/ops/movement.h"

namespace simcore::ops {

using graph::Box;
using numerics::HostTensor;

namespace {

// x [N, C, D, H, W] as [N, od, C, kd, H, W]: for each output depth the planes its window reads, zero where it is in the pads.
HostKernel gatherPlanes(const DepthWindow& depth) {
  return oneResult([depth](const std::vector<HostTensor>& in) {
    const Shape s = in[0].shape();
    HostTensor out(in[0].type(), {s[0], depth.out, s[1], depth.kernel, s[3], s[4]});
    for (int64_t n = 0; n < s[0]; ++n)
      for (int64_t o = 0; o < depth.out; ++o)
        for (int64_t k = 0; k < depth.kernel; ++k) {
          const int64_t at = o * depth.stride - depth.padLow + k * depth.dilation;
          if (at < 0 || at >= depth.in) continue;
          Box from, to;
          from.dims = {{n, n + 1}, {0, s[1]}, {at, at + 1}, {0, s[3]}, {0, s[4]}};
          to.dims = {{n, n + 1}, {o, o + 1}, {0, s[1]}, {k, k + 1}, {0, s[3]}, {0, s[4]}};
          putBox(out, to, takeBox(in[0], from).reshaped({1, 1, s[1], 1, s[3], s[4]}));
        }
    return out;
  });
}

// [N * od, C * kd, H, W]; a view if every output depth reads its own plane only.
Tensor planesOf(const OpBuilder& b, const Tensor& x, const DepthWindow& depth) {
  const int64_t n = x.dim(0), c = x.dim(1), h = x.dim(3), w = x.dim(4);
  const bool plain = depth.kernel == 1 && depth.stride == 1 && depth.padLow == 0 && depth.padHigh == 0;
  if (plain) return x.dimShuffle({0, 2, 1, 3, 4}).reshape({n * depth.out, c, h, w});
  const Tensor planes = move(b, "gatherPlanes", {x}, x.elementType(), {n, depth.out, c, depth.kernel, h, w}, h * w,
                             {b.withNumbers() ? gatherPlanes(depth) : HostKernel{}});
  return planes.reshape({n * depth.out, c * depth.kernel, h, w});
}

} // namespace

Tensor volumeConvolution(const OpBuilder& builder, const Tensor& x, const Tensor& weights, const ConvParams& plane,
                         const DepthWindow& depth, const ConvOptions& options) {
  const OpBuilder b = builder.within("volumeConvolution", "convolution");
  ConvParams p = plane;
  p.batch = x.dim(0) * depth.out;
  p.inChannels = weights.dim(1) * depth.kernel;
  const Tensor w = weights.reshape({weights.dim(0), p.inChannels, weights.dim(3), weights.dim(4)});
  const Tensor y = convolution(b, planesOf(b, x, depth), w, p, {}, options);
  return y.reshape({x.dim(0), depth.out, y.dim(1), y.dim(2), y.dim(3)}).dimShuffle({0, 2, 1, 3, 4});
}

Tensor volumePool(const OpBuilder& builder, const Tensor& x, const PoolParams& plane, const DepthWindow& depth) {
  const OpBuilder b = builder.within("volumePool", "pool");
  const int64_t n = x.dim(0), c = x.dim(1);
  const Tensor planes = pool(b, x.reshape({n, c * x.dim(2), x.dim(3), x.dim(4)}), plane);
  PoolParams p;
  p.kind = plane.kind;
  p.countPads = plane.countPads;
  p.power = plane.power;
  p.kernel = {depth.kernel, 1};
  p.stride = {depth.stride, 1};
  p.dilation = {depth.dilation, 1};
  p.padLow = {depth.padLow, 0};
  p.padHigh = {depth.padHigh, 0};
  p.out = {depth.out, plane.out[0] * plane.out[1]};
  const Tensor y = pool(b, planes.reshape({n, c, x.dim(2), p.out[1]}), p);
  return y.reshape({n, c, depth.out, plane.out[0], plane.out[1]});
}

} // namespace simcore::ops
