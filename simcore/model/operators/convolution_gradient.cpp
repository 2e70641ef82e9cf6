// The gradients of a convolution as operators of their own, which are convolutions again: that of the data over the output's gradient
// with zeros between its elements, that of the weights with swapped roles or as one product over all positions, whichever the
// planner finds cheaper.
#include "simcore/model/operators/convolution.h"
#include "simcore/numerics/convolution.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/matmul.h"
#include "simcore/numerics/window.h"

#include <algorithm>

namespace simcore::model {

namespace {

// ---- types and numbers -----------------------------------------------------------------------------------------------------

Tensors convDataGrad(const Call& call) {
  const numerics::Window w = windowOf(call.attributes());
  const Shape x = shapeOf(call);
  std::vector<std::int64_t> more; // what the stride left over at the end
  for (std::size_t d = 0; d < w.dimensions(); ++d)
    more.push_back(x[2 + d] - ((call.shape(0)[2 + d] - 1) * w.strides[d] + w.span(d) - w.padsBefore[d] - w.padsAfter[d]));
  return {numerics::transposedConvolution(call.value(0), call.value(1), nullptr, w, call.attributes().integer("group", 1), more)};
}

// One product for every tap of the kernel: [groups, M, N positions] x [groups, N positions, C].
Tensors convWeightsGrad(const Call& call) {
  const numerics::Window w = windowOf(call.attributes());
  const Shape weights = shapeOf(call);
  const std::int64_t groups = call.attributes().integer("group", 1);
  const HostTensor& dy = call.value(1);
  const std::int64_t batch = dy.dim(0), positions = numerics::elementCount(dy.shape(), 2, dy.rank());
  const std::int64_t inner = call.shape(0)[1] / groups, outer = dy.dim(1) / groups;
  std::vector<std::int64_t> before{0, 0}, after{0, 0};
  before.insert(before.end(), w.padsBefore.begin(), w.padsBefore.end());
  after.insert(after.end(), w.padsAfter.begin(), w.padsAfter.end());
  const HostTensor x = numerics::pad(call.value(0), before, after, numerics::PadMode::Constant, nullptr);
  const HostTensor left = numerics::transpose(dy.reshaped({batch, groups, outer, positions}), {1, 2, 0, 3})
                              .reshaped({groups, outer, batch * positions});
  Tensors taps;
  std::vector<std::int64_t> tap(w.dimensions(), 0);
  const std::int64_t count = numerics::elementCount(w.kernel);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::vector<numerics::SliceRange> ranges;
    for (std::size_t d = w.dimensions(); d-- > 0; rest /= w.kernel[d]) {
      const std::int64_t start = rest % w.kernel[d] * w.dilations[d];
      ranges.push_back({2 + d, start, start + (dy.dim(2 + d) - 1) * w.strides[d] + 1, w.strides[d]});
    }
    const HostTensor seen = numerics::slice(x, ranges).reshaped({batch, groups, inner, positions});
    const HostTensor right = numerics::transpose(seen, {1, 0, 3, 2}).reshaped({groups, batch * positions, inner});
    taps.push_back(numerics::matmul(left, right).reshaped({groups * outer, inner, 1}));
  }
  return {numerics::concat(taps, 2).reshaped(weights)};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

void lowerConvDataGrad(NodeLowering& n) {
  if (isVolume(n)) {
    const ConvolutionParameters c{windowOf(n.call().attributes()), n.call().attributes().integer("group", 1), {}};
    return n.give(transposedVolume(n, n.input(0), n.input(1), c, n.outputShape()));
  }
  const numerics::Window f = imageWindow(windowOf(n.call().attributes()));
  const Shape x = imageShape(n.outputShape()), w = imageShape(n.call().shape(1));
  Tensor dy = n.input(0).reshape(imageShape(n.call().shape(0)));
  ops::ConvParams p;
  p.type = dy.elementType();
  p.batch = x[0];
  p.groups = n.call().attributes().integer("group", 1);
  p.inChannels = w[0] / p.groups;
  p.outChannels = w[1];
  p.kernel = {f.kernel[0], f.kernel[1]};
  p.dilation = {f.dilations[0], f.dilations[1]};
  ZeroInsertion zeros{dy.shape(), {f.strides[0], f.strides[1]}, {}};
  ops::ConvOptions options = planOptions(n);
  options.arrangeWeights = [w, groups = p.groups](const HostTensor& v) { return turnedKernel(v.reshaped(w), groups); };
  // A kernel of one tap meets an element of the gradient or a zero, so zeros come behind the convolution (poplin's dilatePostConv).
  if (f.kernel[0] == 1 && f.kernel[1] == 1) {
    p.in = {dy.dim(2), dy.dim(3)};
    zeros.shape = x;
    for (std::size_t d = 0; d < 2; ++d) zeros.first[d] = -f.padsBefore[d];
    return n.give(insertZeros(n, ops::convolution(n.builder(), dy, n.input(1), p, {}, options), zeros));
  }
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t span = (f.kernel[d] - 1) * f.dilations[d] + 1;
    std::int64_t in = (dy.dim(2 + d) - 1) * f.strides[d] + 1, low = span - 1 - f.padsBefore[d];
    std::int64_t high = x[2 + d] + span - 1 - in - low;
    // A pad beyond the kernel cuts rows of the gradient off.
    in += std::min<std::int64_t>(0, low) + std::min<std::int64_t>(0, high);
    zeros.first[d] = std::min<std::int64_t>(0, low);
    p.padLow[d] = std::max<std::int64_t>(0, low);
    p.padHigh[d] = std::max<std::int64_t>(0, high);
    p.in[d] = zeros.shape[2 + d] = in;
  }
  dy = insertZeros(n, dy, zeros);
  n.give(ops::convolution(n.builder(), dy, n.input(1), p, {}, options));
}

// Swapped roles: the gradient is the kernel, the images are the channels that are summed.
ops::ConvParams swappedRoles(const numerics::Window& f, const Shape& x, const Shape& dy, const Shape& w, ElementType type,
                             std::int64_t groups) {
  ops::ConvParams p;
  p.type = type;
  p.groups = groups;
  p.batch = w[1];
  p.inChannels = x[0];
  p.outChannels = w[0] / groups;
  for (std::size_t d = 0; d < 2; ++d) {
    p.kernel[d] = dy[2 + d];
    p.stride[d] = f.dilations[d];
    p.dilation[d] = f.strides[d];
    p.padLow[d] = f.padsBefore[d];
    // What the stride left over is not read.
    const std::int64_t needed = (f.kernel[d] - 1) * f.dilations[d] + f.strides[d] * (dy[2 + d] - 1) + 1;
    p.in[d] = std::min(x[2 + d], needed - f.padsBefore[d]);
    p.padHigh[d] = needed - f.padsBefore[d] - p.in[d];
  }
  return p;
}

// One product: every position of every image is summed over, and the taps of the kernel are rows.
ops::ConvParams expandedField(const Shape& dy, const Shape& w, ElementType type, std::int64_t groups) {
  ops::ConvParams p;
  p.type = type;
  p.groups = groups;
  p.inChannels = dy[0] * numerics::elementCount(dy, 2, dy.size());
  p.outChannels = w[0] / groups;
  p.in = {numerics::elementCount(w, 1, w.size()), 1};
  return p;
}

// Images as channels and channels as images, groups apart; what the stride left over is cut off.
HostTensor imagesAsChannels(const HostTensor& x, std::int64_t groups, const ops::ConvParams& p) {
  const std::int64_t images = x.dim(0), channels = x.dim(1) / groups;
  const HostTensor read = numerics::slice(x, {{2, 0, p.in[0], 1}, {3, 0, p.in[1], 1}});
  return numerics::transpose(read.reshaped({images, groups, channels, p.in[0], p.in[1]}), {2, 1, 0, 3, 4})
      .reshaped({channels, groups * images, p.in[0], p.in[1]});
}

// Every tap of every position of every image: [1, groups * positions, channels * taps, 1].
HostTensor expandedPositions(const HostTensor& x, const numerics::Window& w, std::int64_t groups, const Shape& dy) {
  const std::int64_t images = x.dim(0), channels = x.dim(1) / groups, taps = numerics::elementCount(w.kernel),
                     outputs = numerics::elementCount(dy, 2, dy.size()), field = numerics::elementCount(x.shape(), 2, x.rank());
  HostTensor out(x.type(), {1, groups * images * outputs, channels * taps, 1});
  const auto to = out.mutableValues<float>();
  const auto from = x.values<float>();
  // Where a tap of an output reads inside a plane, or -1.
  const auto placeOf = [&](std::int64_t output, std::int64_t tap) {
    std::int64_t place = 0, stride = 1;
    for (std::size_t d = w.dimensions(); d-- > 0; output /= dy[2 + d], tap /= w.kernel[d]) {
      const std::int64_t at = output % dy[2 + d] * w.strides[d] + tap % w.kernel[d] * w.dilations[d] - w.padsBefore[d];
      if (at < 0 || at >= x.dim(2 + d)) return std::int64_t(-1);
      place += at * stride;
      stride *= x.dim(2 + d);
    }
    return place;
  };
  std::size_t at = 0;
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t i = 0; i < images * outputs; ++i)
      for (std::int64_t c = 0; c < channels; ++c)
        for (std::int64_t t = 0; t < taps; ++t, ++at) {
          const std::int64_t place = placeOf(i % outputs, t), plane = i / outputs * x.dim(1) + g * channels + c;
          if (place >= 0) to[at] = from[std::size_t(plane * field + place)];
        }
  return out;
}

// How operands of the weights' gradient lie for the plan that was chosen.
ops::ConvOptions weightsGradOperands(const numerics::Window& w, const ops::ConvParams& p, bool expands, const Shape& x,
                                     const Shape& dy) {
  const std::int64_t groups = p.groups, images = dy[0], outs = dy[1] / groups, outputs = numerics::elementCount(dy, 2, dy.size());
  ops::ConvOptions o;
  const auto asFloat = [](const HostTensor& v) { return v.cast(ElementType::Float); };
  o.arrangeInput = [=](const HostTensor& v) {
    const HostTensor image = asFloat(v).reshaped(x);
    return expands ? expandedPositions(image, w, groups, dy) : imagesAsChannels(image, groups, p);
  };
  o.arrangeWeights = [=](const HostTensor& v) {
    const HostTensor kernels = numerics::transpose(asFloat(v).reshaped({images, groups, outs, outputs}), {1, 2, 0, 3});
    return expands ? kernels.reshaped({groups * outs, images * outputs, 1, 1})
                   : kernels.reshaped({groups * outs, images, dy[2], dy[3]});
  };
  // [channels, outs, taps] or already [outs, channels * taps]; in the shape of the plan's result either way.
  o.arrangeResult = [=](const HostTensor& v) { return expands ? v : numerics::transpose(v, {1, 0, 2, 3}).reshaped(v.shape()); };
  return o;
}

// Swapped roles over three dimensions would have a kernel as deep as the result: always one product.
void lowerConv3dWeightsGrad(NodeLowering& n) {
  const Shape &x = n.call().shape(0), &dy = n.call().shape(1);
  const ops::ConvParams p = expandedField(dy, n.outputShape(), n.outputType(), n.call().attributes().integer("group", 1));
  ops::ConvOptions options = weightsGradOperands(windowOf(n.call().attributes()), p, true, x, dy);
  options.availableMemoryProportion = planOptions(n).availableMemoryProportion;
  options.partials = planOptions(n).partials;
  n.give(ops::convolution(n.builder(), n.input(0), n.input(1), p, {}, options));
}

void lowerConvWeightsGrad(NodeLowering& n) {
  if (isVolume(n)) return lowerConv3dWeightsGrad(n);
  const Shape x = imageShape(n.call().shape(0)), dy = imageShape(n.call().shape(1)), w = imageShape(n.outputShape());
  const std::int64_t groups = n.call().attributes().integer("group", 1);
  const numerics::Window window = imageWindow(windowOf(n.call().attributes()));
  const ops::ConvParams swapped = swappedRoles(window, x, dy, w, n.outputType(), groups);
  const ops::ConvParams expanded = expandedField(dy, w, n.outputType(), groups);
  const arch::Machine& machine = n.timeBuilder().machine();
  const ops::ConvPlan first = ops::planConvolution(machine, swapped, planOptions(n)),
                      second = ops::planConvolution(machine, expanded, planOptions(n));
  const bool expands = first.fits != second.fits ? second.fits : second.cycles() < first.cycles();
  const ops::ConvParams& p = expands ? expanded : swapped;
  ops::ConvOptions options = weightsGradOperands(window, p, expands, x, dy);
  options.availableMemoryProportion = planOptions(n).availableMemoryProportion;
  options.partials = planOptions(n).partials;
  n.give(ops::convolution(n.builder(), n.input(0), n.input(1), p, {}, options));
}

constexpr Operator kConvolutionGradientOperators[] = {
    {"ConvDataGrad", 1, inferShape, convDataGrad, lowerConvDataGrad, nullptr, kPlain, kOwnDomain},
    {"ConvWeightsGrad", 1, inferShape, convWeightsGrad, lowerConvWeightsGrad, nullptr, kPlain, kOwnDomain},
};

} // namespace

std::span<const Operator> convolutionGradientOperators() { return kConvolutionGradientOperators; }

} // namespace simcore::model
