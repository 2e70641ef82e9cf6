#include "simcore/model/lowering/lowering_support.h"

#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/layout.h"

namespace simcore::model {

using graph::Tensor;
using numerics::HostTensor;

HostTensor scaled(const HostTensor& x, double factor) {
  return factor == 1 ? x : numerics::binary(numerics::BinaryKind::Mul, x, HostTensor::full(x.type(), {}, factor));
}

ops::ConvOptions planOptions(const NodeLowering& n) {
  ops::ConvOptions options;
  options.availableMemoryProportion = n.scope().options().availableMemoryProportion;
  return options;
}

Tensor insertZeros(NodeLowering& n, const Tensor& x, const ZeroInsertion& zeros) {
  bool stays = zeros.shape == x.shape();
  for (std::size_t d = 0; d < 2; ++d) stays &= zeros.first[d] == 0 && (zeros.stride[d] == 1 || x.dim(2 + d) == 1);
  if (stays) return x;
  const auto where = partKernel(n, [zeros](const std::vector<HostTensor>& in) {
    HostTensor out(in[0].type(), zeros.shape);
    const auto from = in[0].values<std::int64_t>();
    const auto to = out.mutableValues<std::int64_t>();
    const std::int64_t height = in[0].dim(2), width = in[0].dim(3), rows = zeros.shape[2], columns = zeros.shape[3];
    for (std::int64_t i = 0; i < in[0].count(); ++i) {
      const std::int64_t row = zeros.first[0] + i / width % height * zeros.stride[0],
                         column = zeros.first[1] + i % width * zeros.stride[1];
      if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
      to[std::size_t((i / (height * width) * rows + row) * columns + column)] = from[std::size_t(i)];
    }
    return out;
  });
  return ops::move(n.parts(), "insertZeros", {x}, x.elementType(), zeros.shape, 1, {where});
}

HostTensor turnedKernel(const HostTensor& weights, std::int64_t groups) {
  numerics::Shape shape = weights.shape(); // all taps in a row: reversed in every dimension at once
  const std::int64_t outs = shape[0] / groups, ins = shape[1], taps = numerics::elementCount(shape, 2, shape.size());
  const HostTensor swapped = numerics::transpose(weights.reshaped({groups, outs, ins, taps}), {0, 2, 1, 3});
  shape[0] = groups * ins;
  shape[1] = outs;
  return numerics::slice(swapped, {{3, -1, -taps - 1, -1}}).reshaped(shape);
}

numerics::Window planeWindow(const numerics::Window& w) {
  const auto tail = [](const std::vector<std::int64_t>& v) { return std::vector<std::int64_t>(v.begin() + 1, v.end()); };
  return {tail(w.kernel), tail(w.strides), tail(w.dilations), tail(w.padsBefore), tail(w.padsAfter)};
}

ops::DepthWindow depthWindow(const numerics::Window& w, std::int64_t in, std::int64_t out) {
  return {in, out, w.kernel[0], w.strides[0], w.dilations[0], w.padsBefore[0], w.padsAfter[0]};
}

Tensor convolved(NodeLowering& n, const ops::OpBuilder& b, const Tensor& x, const Tensor& weights,
                 const ConvolutionParameters& c) {
  if (c.window.dimensions() == 3) {
    ops::ConvParams plane = convolutionGeometry(x, weights, planeWindow(c.window), c.groups);
    plane.in = {x.dim(3), x.dim(4)};
    return ops::conv3d(b, x, weights, plane, depthWindow(c.window, x.dim(2), n.outputShape()[2]), planOptions(n));
  }
  const Tensor image = asImage(x), w = asImage(weights);
  return ops::convolution(b, image, w, convolutionGeometry(image, w, c.window, c.groups), {}, planOptions(n));
}

// A convolution over x with zeros between its elements: those of a plane are put there, those between planes are planes that the
// gathering of depths leaves empty.
Tensor transposedVolume(NodeLowering& n, const Tensor& given, const Tensor& w, const ConvolutionParameters& c,
                        const numerics::Shape& shape) {
  const auto reach = [&](std::size_t d) { return (c.window.kernel[d] - 1) * c.window.dilations[d]; };
  Tensor x = given;
  ZeroInsertion zeros{{x.dim(0), x.dim(1) * x.dim(2), 0, 0}, {c.window.strides[1], c.window.strides[2]}, {}};
  for (std::size_t d = 1; d < 3; ++d) { // pads included
    zeros.shape[1 + d] = shape[2 + d] + reach(d);
    zeros.first[d - 1] = reach(d) - c.window.padsBefore[d];
  }
  x = insertZeros(n, x.reshape({zeros.shape[0], zeros.shape[1], x.dim(3), x.dim(4)}), zeros)
          .reshape({x.dim(0), x.dim(1), x.dim(2), zeros.shape[2], zeros.shape[3]});
  numerics::Window window = c.window;
  window.strides = {1, 1, 1};
  window.padsBefore = window.padsAfter = {0, 0, 0};
  const Tensor turned = w.reshape({w.dim(1) * c.groups, w.dim(0) / c.groups, w.dim(2), w.dim(3), w.dim(4)});
  ops::ConvParams plane = convolutionGeometry(x, turned, planeWindow(window), c.groups);
  plane.in = {x.dim(3), x.dim(4)};
  ops::DepthWindow depth = depthWindow(window, x.dim(2), shape[2]);
  depth.padLow = reach(0) - c.window.padsBefore[0];
  depth.spread = c.window.strides[0];
  depth.turnedWeights = true;
  ops::ConvOptions options = planOptions(n);
  options.arrangeWeights = [from = w.shape(), to = turned.shape(), groups = c.groups](const HostTensor& v) {
    numerics::Shape part = from; // all of the depth or a tap of it
    part[2] = v.count() * from[2] / numerics::elementCount(from);
    return turnedKernel(v.reshaped(part), groups).reshaped({to[0], to[1] * part[2], to[3], to[4]});
  };
  return ops::conv3d(n.parts(), x, turned, plane, depth, options);
}

Tensor gathered(NodeLowering& n, const Tensor& view) {
  constexpr std::size_t kMostPieces = 2048;
  if (view.contiguousRegions().size() <= kMostPieces) return view;
  return ops::move(n.parts(), "collect", {view}, view.elementType(), view.shape(), view.shape().back(),
                   {partKernel(n, [](const std::vector<HostTensor>& in) { return in[0]; })});
}

} // namespace simcore::model
