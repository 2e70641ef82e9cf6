// Gradient operators on the machine. Both gradients of a convolution are convolutions themselves: the data gradient over the
// output's gradient with zeros between its elements, the weights' with swapped roles or as one product over all positions,
// whichever the planner finds cheaper.
#include "simcore/model/evaluate.h"
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/lowering_support.h"
#include "simcore/model/operators/reversed_node.h"
#include "simcore/model/parameters.h"
#include "simcore/numerics/layout.h"

namespace simcore::model {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::ReduceOp;
using graph::Tensor;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;

namespace {

void lowerNonLinearityGrad(NodeLowering& n) {
  const std::string kind = n.call().attributes().text("kind", "");
  codelets::NonLinearity of = codelets::NonLinearity::Relu;
  if (kind == "Sigmoid") of = codelets::NonLinearity::Sigmoid;
  if (kind == "Tanh") of = codelets::NonLinearity::Tanh;
  if (kind == "Gelu") of = codelets::NonLinearity::GeluErf;
  if (kind == "GeluTanh") of = codelets::NonLinearity::Gelu;
  n.give(ops::nonLinearityGrad(n.parts(), of, n.input(0), n.input(1), n.own({0, 1})));
}

// Window attributes as two values each, the first standard for one-dimensional inputs.
struct Field {
  std::array<std::int64_t, 2> kernel{1, 1}, stride{1, 1}, dilation{1, 1}, padLow{0, 0}, padHigh{0, 0};
};
Field fieldOf(const Attributes& a) {
  Field f;
  const auto kernel = a.integers("kernel_shape"), strides = a.integers("strides"), dilations = a.integers("dilations"),
             pads = a.integers("pads");
  const std::size_t n = kernel.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t d = i + 2 - n;
    f.kernel[d] = kernel[i];
    f.stride[d] = strides[i];
    f.dilation[d] = dilations[i];
    f.padLow[d] = pads[i];
    f.padHigh[d] = pads[i + n];
  }
  return f;
}
numerics::Window imageWindow(const Field& f) {
  const auto pair = [](const std::array<std::int64_t, 2>& v) { return std::vector<std::int64_t>(v.begin(), v.end()); };
  return {pair(f.kernel), pair(f.stride), pair(f.dilation), pair(f.padLow), pair(f.padHigh)};
}
bool isVolume(const NodeLowering& n) { return n.call().attributes().integers("kernel_shape").size() > 2; }
Shape imageShape(const Shape& s) { return s.size() == 3 ? Shape{s[0], s[1], 1, s[2]} : s; }

numerics::Window windowOf(const NodeLowering& n) {
  const Attributes& a = n.call().attributes();
  return numerics::makeWindow(a.integers("kernel_shape"), a.integers("strides"), a.integers("dilations"), a.integers("pads"));
}

void lowerConvDataGrad(NodeLowering& n) {
  if (isVolume(n)) {
    const ConvolutionParameters c{windowOf(n), n.call().attributes().integer("group", 1), {}};
    return n.give(transposedVolume(n, n.input(0), n.input(1), c, n.outputShape()));
  }
  const Field f = fieldOf(n.call().attributes());
  const Shape x = imageShape(n.outputShape()), w = imageShape(n.call().shape(1));
  Tensor dy = n.input(0).reshape(imageShape(n.call().shape(0)));
  ops::ConvParams p;
  p.type = dy.elementType();
  p.batch = x[0];
  p.groups = n.call().attributes().integer("group", 1);
  p.inChannels = w[0] / p.groups;
  p.outChannels = w[1];
  p.kernel = f.kernel;
  p.dilation = f.dilation;
  ZeroInsertion zeros{dy.shape(), f.stride, {}};
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t span = (f.kernel[d] - 1) * f.dilation[d] + 1;
    std::int64_t in = (dy.dim(2 + d) - 1) * f.stride[d] + 1, low = span - 1 - f.padLow[d];
    std::int64_t high = x[2 + d] + span - 1 - in - low;
    // A pad beyond the kernel cuts rows of the gradient off.
    in += std::min<std::int64_t>(0, low) + std::min<std::int64_t>(0, high);
    zeros.first[d] = std::min<std::int64_t>(0, low);
    p.padLow[d] = std::max<std::int64_t>(0, low);
    p.padHigh[d] = std::max<std::int64_t>(0, high);
    p.in[d] = zeros.shape[2 + d] = in;
  }
  dy = insertZeros(n, dy, zeros);
  ops::ConvOptions options = planOptions(n);
  options.arrangeWeights = [w, groups = p.groups](const HostTensor& v) { return turnedKernel(v.reshaped(w), groups); };
  n.give(ops::convolution(n.parts(), dy, n.input(1), p, {}, options));
}

// Swapped roles: the gradient is the kernel, the images are the channels that are summed.
ops::ConvParams swappedRoles(const Field& f, const Shape& x, const Shape& dy, const Shape& w, ElementType type,
                             std::int64_t groups) {
  ops::ConvParams p;
  p.type = type;
  p.groups = groups;
  p.batch = w[1];
  p.inChannels = x[0];
  p.outChannels = w[0] / groups;
  for (std::size_t d = 0; d < 2; ++d) {
    p.kernel[d] = dy[2 + d];
    p.stride[d] = f.dilation[d];
    p.dilation[d] = f.stride[d];
    p.padLow[d] = f.padLow[d];
    // What the stride left over is not read.
    const std::int64_t needed = (f.kernel[d] - 1) * f.dilation[d] + f.stride[d] * (dy[2 + d] - 1) + 1;
    p.in[d] = std::min(x[2 + d], needed - f.padLow[d]);
    p.padHigh[d] = needed - f.padLow[d] - p.in[d];
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
  ops::ConvOptions options = weightsGradOperands(windowOf(n), p, true, x, dy);
  options.availableMemoryProportion = planOptions(n).availableMemoryProportion;
  n.give(ops::convolution(n.parts(), n.input(0), n.input(1), p, {}, options));
}

void lowerConvWeightsGrad(NodeLowering& n) {
  if (isVolume(n)) return lowerConv3dWeightsGrad(n);
  const Shape x = imageShape(n.call().shape(0)), dy = imageShape(n.call().shape(1)), w = imageShape(n.outputShape());
  const std::int64_t groups = n.call().attributes().integer("group", 1);
  const ops::ConvParams swapped = swappedRoles(fieldOf(n.call().attributes()), x, dy, w, n.outputType(), groups);
  const ops::ConvParams expanded = expandedField(dy, w, n.outputType(), groups);
  const arch::Machine& machine = n.time().machine();
  const ops::ConvPlan first = ops::planConvolution(machine, swapped, planOptions(n)),
                      second = ops::planConvolution(machine, expanded, planOptions(n));
  const bool expands = first.fits != second.fits ? second.fits : second.cycles() < first.cycles();
  const ops::ConvParams& p = expands ? expanded : swapped;
  ops::ConvOptions options = weightsGradOperands(imageWindow(fieldOf(n.call().attributes())), p, expands, x, dy);
  options.availableMemoryProportion = planOptions(n).availableMemoryProportion;
  n.give(ops::convolution(n.parts(), n.input(0), n.input(1), p, {}, options));
}

// Of the last two dimensions.
ops::PoolParams poolOf(const NodeLowering& n, codelets::PoolKind kind, const Shape& y) {
  const numerics::Window window = windowOf(n), w = window.dimensions() > 2 ? planeWindow(window) : window;
  ops::PoolParams p;
  p.kind = kind;
  p.kernel = windowPair(w.kernel, 1);
  p.stride = windowPair(w.strides, 1);
  p.dilation = windowPair(w.dilations, 1);
  p.padLow = windowPair(w.padsBefore, 0);
  p.padHigh = windowPair(w.padsAfter, 0);
  p.countPads = n.call().attributes().integer("count_include_pad", 0) != 0;
  p.out = {y[y.size() - 2], y.back()};
  return p;
}
void lowerMaxPoolGrad(NodeLowering& n) {
  if (isVolume(n)) {
    const Shape &x = n.call().shape(0), &y = n.call().shape(1);
    return n.give(ops::pool3dGrad(n.parts(), n.input(0), n.input(1), n.input(2), poolOf(n, codelets::PoolKind::Max, y),
                                  depthWindow(windowOf(n), x[2], y[2])));
  }
  const Shape y = imageShape(n.call().shape(1));
  n.give(ops::poolGrad(n.parts(), n.input(0).reshape(imageShape(n.call().shape(0))), n.input(1), n.input(2),
                       poolOf(n, codelets::PoolKind::Max, y)));
}
void lowerAveragePoolGrad(NodeLowering& n) {
  if (isVolume(n)) {
    const Shape &x = n.outputShape(), &y = n.call().shape(0);
    return n.give(ops::pool3dGrad(n.parts(), x, n.input(0), poolOf(n, codelets::PoolKind::Average, y),
                                  depthWindow(windowOf(n), x[2], y[2])));
  }
  n.give(ops::poolGrad(n.parts(), imageShape(n.outputShape()), n.input(0),
                       poolOf(n, codelets::PoolKind::Average, imageShape(n.call().shape(0)))));
}

std::vector<std::size_t> axesOf(const NodeLowering& n) {
  return numerics::normaliseAxes(n.call().attributes().integers("axes"), n.call().shape(0).size(), false);
}

void lowerWhiten(NodeLowering& n) {
  const ops::Whitened w = ops::whiten(n.parts(), n.input(0), axesOf(n), {}, double(n.call().attributes().real("epsilon", 1e-5f)));
  n.give(w.out, 0);
  if (!n.call().wantsOutput(1)) return;
  const Tensor& inverse = w.inverseDeviation;
  const bool same = numerics::deviceType(inverse.elementType()) == numerics::deviceType(n.outputType(1));
  n.give(same ? inverse : ops::cast(n.parts(), inverse, n.outputType(1)), 1);
}

void lowerNormGrad(NodeLowering& n) {
  const Tensor d = n.input(0), xhat = n.input(1), inverse = n.input(2);
  const ElementType type = d.elementType(), sums = type == ElementType::Half ? ElementType::Float : type;
  const Tensor product = ops::binary(n.parts(), BinaryOp::Multiply, d, xhat);
  const Tensor sum = ops::reduce(n.parts(), d, axesOf(n), ReduceOp::Add, true, {}, sums),
               correlation = ops::reduce(n.parts(), product, axesOf(n), ReduceOp::Add, true, {}, sums);
  const double count = double(d.numElements()) / double(sum.numElements());
  const std::vector<MapStep> steps{
      {BinaryOp::Multiply, type}, {BinaryOp::Subtract, type}, {BinaryOp::Subtract, type}, {BinaryOp::Multiply, type}};
  n.give(ops::map(n.parts(), "normGrad", steps, {d, xhat, correlation, sum, inverse}, type, n.outputShape(),
                  partKernel(n, [count](const std::vector<HostTensor>& in) {
                    std::vector<double> out;
                    for (std::int64_t i = 0; i < in[0].count(); ++i)
                      out.push_back(in[4].at(i) * (in[0].at(i) - in[3].at(i) / count - in[1].at(i) * in[2].at(i) / count));
                    return HostTensor::of(in[0].shape(), out).cast(in[0].type());
                  })));
}

// A one-hot of the targets, scaled; popnn makes it with the loss itself. Means divide by the weights of all targets, which
// every tile adds up for itself: there are as many as rows.
void lowerLogLikelihoodGrad(NodeLowering& n) {
  constexpr std::int64_t kCyclesPerElement = 4;
  const Attributes& a = n.call().attributes();
  const Shape& shape = n.outputShape();
  const std::string reduction = a.text("reduction", "mean");
  const bool ignores = a.has("ignore_index"), each = reduction == "none", mean = reduction == "mean", weighted = n.has(2);
  const std::int64_t ignored = a.integer("ignore_index", 0), inner = numerics::elementCount(shape, 2, shape.size());
  std::vector<Tensor> inputs{n.input(1), n.input(0)};
  if (weighted) inputs.push_back(n.input(2));
  n.give(ops::generate(n.parts(), "encodeOneHot", inputs, n.outputType(), shape, kCyclesPerElement, {},
                       [=](const std::vector<HostTensor>& in, const std::vector<std::int64_t>& positions) {
                         const auto weightOf = [&](std::int64_t target) {
                           return ignores && target == ignored ? 0.0 : weighted ? in[2].at(target) : 1.0;
                         };
                         double divisor = mean ? 0 : 1;
                         for (std::int64_t i = 0; mean && i < in[0].count(); ++i) divisor += weightOf(in[0].integerAt(i));
                         std::vector<double> out;
                         for (const std::int64_t at : positions) {
                           const std::int64_t row = at / (shape[1] * inner) * inner + at % inner, target = in[0].integerAt(row);
                           out.push_back(at / inner % shape[1] == target ? -in[1].at(each ? row : 0) * weightOf(target) / divisor
                                                                         : 0);
                         }
                         return HostTensor::vector(out).cast(in[1].type());
                       }));
}

// Zeros, then rows are added where they came from: popops multiUpdateAdd. The forward operator says where.
void lowerMovementGrad(NodeLowering& n) {
  Node forward = forwardNode(n.call());
  forward.outputs = {"to"};
  forward.inputs = {"0"};
  std::unordered_map<std::string, HostTensor> known;
  std::vector<Tensor> more;
  std::vector<std::string> names{"0"};
  const std::size_t used = forward.opType == "Pad" ? 2 : n.call().inputCount(); // the value of a pad has no position
  for (std::size_t i = 1; i < n.call().inputCount(); ++i) {
    if (i < used) forward.inputs.push_back(n.has(i) ? std::to_string(i) : "");
    if (!n.has(i) || i >= used) continue;
    if (n.call().isKnown(i)) {
      known[std::to_string(i)] = n.call().value(i);
    } else {
      more.push_back(n.input(i));
      names.push_back(std::to_string(i));
    }
  }
  const auto where = partKernel(n, [forward, known, names](const std::vector<HostTensor>& in) {
    auto values = known;
    for (std::size_t i = 0; i < names.size(); ++i) values[names[i]] = in[i];
    return evaluateNode(forward, values).at(0);
  });
  n.give(ops::moveBack(n.parts(), n.input(0), more, n.outputShape(), where));
}

constexpr LoweringEntry kGradientLowerings[] = {
    {"NonLinearityGrad", lowerNonLinearityGrad},
    {"ConvDataGrad", lowerConvDataGrad},
    {"ConvWeightsGrad", lowerConvWeightsGrad},
    {"MaxPoolGrad", lowerMaxPoolGrad},
    {"AveragePoolGrad", lowerAveragePoolGrad},
    {"NormWhiten", lowerWhiten},
    {"NormGrad", lowerNormGrad},
    {"NegativeLogLikelihoodLossGrad", lowerLogLikelihoodGrad},
    {"MovementGrad", lowerMovementGrad},
};

} // namespace

std::span<const LoweringEntry> gradientLowerings() { return kGradientLowerings; }

} // namespace simcore::model
