#include "simcore/ops/conv/conv3d.h"

#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/move/movement.h"

namespace simcore::ops {

using graph::Box;
using numerics::HostTensor;

namespace {

// x [N, C, D, H, W] as [N, od, C, kd, H, W]: for each output depth, the planes that its window reads; zero for pads.
HostKernel gatherPlanes(const DepthWindow& depth) {
  return oneResult([depth](const std::vector<HostTensor>& in) {
    const Shape s = in[0].shape();
    HostTensor out(in[0].type(), {s[0], depth.out, s[1], depth.kernel, s[3], s[4]});
    for (int64_t n = 0; n < s[0]; ++n)
      for (int64_t o = 0; o < depth.out; ++o)
        for (int64_t k = 0; k < depth.kernel; ++k) {
          const int64_t place = o * depth.stride - depth.padLow + k * depth.dilation, at = place / depth.spread;
          if (place < 0 || place % depth.spread != 0 || at >= depth.in) continue;
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
  const bool plain = depth.kernel == 1 && depth.stride == 1 && depth.spread == 1 && depth.padLow == 0 && depth.out == depth.in;
  if (plain) return x.dimShuffle({0, 2, 1, 3, 4}).reshape({n * depth.out, c, h, w});
  const Tensor planes = move(b, "gatherPlanes", {x}, x.elementType(), {n, depth.out, c, depth.kernel, h, w}, h * w,
                             {b.withNumbers() ? gatherPlanes(depth) : HostKernel{}});
  return planes.reshape({n * depth.out, c * depth.kernel, h, w});
}

} // namespace

namespace {

// Limit of 1/4 of the memory: the tiles also have the source of the gathered planes, their input and the result.
bool planesExceedTiles(const OpBuilder& b, const Tensor& x, const DepthWindow& depth) {
  const int64_t bytes = x.numElements() / depth.in * depth.out * depth.kernel * elementBytes(x);
  return bytes > b.tiles() * b.tile().memory.value() / 4;
}

} // namespace

Tensor conv3d(const OpBuilder& builder, const Tensor& x, const Tensor& weights, const ConvParams& plane, const DepthWindow& depth,
              const ConvOptions& options) {
  const OpBuilder b = builder.within("volumeConvolution", "convolution");
  ConvParams p = plane;
  p.batch = x.dim(0) * depth.out;
  const auto convolved = [&](const DepthWindow& taps, const Tensor& w) {
    p.inChannels = w.dim(1) * taps.kernel;
    return convolution(b, planesOf(b, x, taps), w.reshape({w.dim(0), p.inChannels, w.dim(3), w.dim(4)}), p, {}, options);
  };
  const auto asVolume = [&](const Tensor& y) {
    return y.reshape({x.dim(0), depth.out, y.dim(1), y.dim(2), y.dim(3)}).dimShuffle({0, 2, 1, 3, 4});
  };
  if (depth.kernel == 1 || !planesExceedTiles(b, x, depth)) return asVolume(convolved(depth, weights));
  // Computes one tap of the depth after another and adds the results, which divides temporary memory by the number of taps.
  if (const auto id = weights.wholeVariable(); id.valid() && !b.graph().variable(id).mapped()) b.mapLinearly(weights);
  Tensor sum;
  for (int64_t k = 0; k < depth.kernel; ++k) {
    DepthWindow tap = depth;
    tap.kernel = 1;
    tap.padLow = depth.padLow - k * depth.dilation;
    const int64_t at = depth.turnedWeights ? depth.kernel - 1 - k : k;
    const Tensor part = convolved(tap, weights.slice(at, at + 1, 2));
    if (sum.valid())
      binaryInPlace(b, codelets::BinaryOp::Add, sum, part);
    else
      sum = part;
  }
  return asVolume(sum);
}

namespace {

// The window over depth as a window over the rows of [N, C, D, oh * ow].
PoolParams alongDepth(const PoolParams& plane, const DepthWindow& depth) {
  PoolParams p;
  p.kind = plane.kind;
  p.countPads = plane.countPads;
  p.power = plane.power;
  p.ties = plane.ties;
  p.kernel = {depth.kernel, 1};
  p.stride = {depth.stride, 1};
  p.dilation = {depth.dilation, 1};
  p.padLow = {depth.padLow, 0};
  p.padHigh = {depth.padHigh, 0};
  p.out = {depth.out, plane.out[0] * plane.out[1]};
  return p;
}

Shape planesShape(const Shape& x) { return {x[0], x[1] * x[2], x[3], x[4]}; }
Shape depthsShape(const Shape& x, const PoolParams& plane) { return {x[0], x[1], x[2], plane.out[0] * plane.out[1]}; }

// Positions in the flattened x [N, C, field..], counted with the first dimension of the field fastest.
Tensor columnMajorPlaces(const OpBuilder& b, const Tensor& places, const Shape& x) {
  const auto dimensions = int64_t(x.size()) - 2;
  const int64_t cycles = 4 + 6 * dimensions; // per dimension: a sum, a division by a constant (multiply, shift, remainder)
  const PositionKernel turned = [x](const std::vector<HostTensor>& in, const std::vector<int64_t>& positions) {
    const int64_t field = numerics::elementCount(x, 2, x.size());
    std::vector<int64_t> out;
    for (const int64_t i : positions) {
      int64_t rest = in[0].integerAt(i), place = rest / field * field;
      for (std::size_t d = x.size(); d-- > 2; rest /= x[d]) place += rest % x[d] * numerics::elementCount(x, 2, d);
      out.push_back(place);
    }
    return HostTensor::vector(out);
  };
  HostKernel whole;
  if (b.withNumbers())
    whole = oneResult([turned, shape = places.shape()](const std::vector<HostTensor>& in) {
      Box all;
      all.dims = {{0, in[0].count()}};
      return turned(in, positionsOf({in[0].count()}, all)).reshaped(shape);
    });
  return generate(b, "columnMajorPlaces", {places}, ElementType::Int64, places.shape(), cycles, whole, turned);
}

} // namespace

Tensor pool3d(const OpBuilder& builder, const Tensor& x, const PoolParams& given, const DepthWindow& depth, Tensor* indices) {
  const OpBuilder b = builder.within("volumePool", "pool");
  PoolParams plane = given;
  plane.columnMajor = false; // applied to all three dimensions at the end
  Tensor places;
  const Tensor planes = pool(b, x.reshape(planesShape(x.shape())), plane, {}, indices ? &places : nullptr);
  const Shape depths = depthsShape(x.shape(), plane), out{x.dim(0), x.dim(1), depth.out, plane.out[0], plane.out[1]};
  const Tensor carried = indices ? places.reshape(depths) : Tensor();
  const Tensor y = pool(b, planes.reshape(depths), alongDepth(plane, depth), {}, indices, carried);
  if (indices) *indices = (given.columnMajor ? columnMajorPlaces(b, *indices, x.shape()) : *indices).reshape(out);
  return y.reshape(out);
}

Tensor separatePool(const OpBuilder& builder, const Tensor& x, const PoolParams& kind, const std::vector<DepthWindow>& windows,
                    Tensor* indices) {
  const OpBuilder b = builder.within("separatePool", "pool");
  Shape shape = x.shape();
  Tensor y = x, places;
  for (std::size_t d = windows.size(); d-- > 0;) {
    PoolParams along = kind;
    along.columnMajor = false;
    along.out = {1, numerics::elementCount(shape, d + 3, shape.size())};
    along = alongDepth(along, windows[d]);
    const Shape seen{shape[0], numerics::elementCount(shape, 1, d + 2), shape[d + 2], along.out[1]};
    const Tensor carried = places.valid() ? places.reshape(seen) : Tensor();
    y = pool(b, y.reshape(seen), along, {}, indices ? &places : nullptr, carried);
    shape[d + 2] = windows[d].out;
  }
  if (indices) *indices = (kind.columnMajor ? columnMajorPlaces(b, places, x.shape()) : places).reshape(shape);
  return y.reshape(shape);
}

Tensor pool3dGrad(const OpBuilder& builder, const Tensor& x, const Tensor& y, const Tensor& gradient, const PoolParams& plane,
                  const DepthWindow& depth) {
  const OpBuilder b = builder.within("volumePoolGrad", "poolGrad");
  const PoolParams along = alongDepth(plane, depth);
  const Shape out{x.dim(0), x.dim(1), along.out[0], along.out[1]};
  const Tensor image = x.reshape(planesShape(x.shape())), planes = pool(b, image, plane);
  const Tensor inner = poolGrad(b, planes.reshape(depthsShape(x.shape(), plane)), y.reshape(out), gradient.reshape(out), along);
  return poolGrad(b, image, planes, inner.reshape(planes.shape()), plane).reshape(x.shape());
}

Tensor pool3dGrad(const OpBuilder& builder, const Shape& shape, const Tensor& gradient, const PoolParams& plane,
                  const DepthWindow& depth) {
  const OpBuilder b = builder.within("volumePoolGrad", "poolGrad");
  const PoolParams along = alongDepth(plane, depth);
  const Tensor dy = gradient.reshape({shape[0], shape[1], along.out[0], along.out[1]});
  const Tensor inner = poolGrad(b, depthsShape(shape, plane), dy, along);
  return poolGrad(b, planesShape(shape), inner.reshape({shape[0], shape[1] * shape[2], plane.out[0], plane.out[1]}), plane)
      .reshape(shape);
}

} // namespace simcore::ops
