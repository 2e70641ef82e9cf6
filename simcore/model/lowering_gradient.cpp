// Gradient operators on the machine. Both gradients of a convolution are convolutions themselves: the data gradient over the
// output's gradient with zeros between its elements, the weights' with swapped roles or as one product over all positions,
// whichever the planner finds cheaper.
#include "simcore/model/node_lowering.h"
#include "simcore/model/parameters.h"

namespace simcore::model {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::ReduceOp;
using codelets::UnaryOp;
using graph::Tensor;
using numerics::ElementType;
using numerics::Shape;

namespace {

void lowerNonLinearityGrad(NodeLowering& n) {
  const std::string kind = n.call().attributes().text("kind", "");
  codelets::NonLinearity of = codelets::NonLinearity::Relu;
  if (kind == "Sigmoid") of = codelets::NonLinearity::Sigmoid;
  if (kind == "Tanh") of = codelets::NonLinearity::Tanh;
  if (kind == "Gelu") of = codelets::NonLinearity::GeluErf;
  if (kind == "GeluTanh") of = codelets::NonLinearity::Gelu;
  n.give(ops::nonLinearityGrad(n.time(), of, n.input(0), n.input(1)));
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
bool isVolume(const NodeLowering& n) { return n.call().attributes().integers("kernel_shape").size() > 2; }
Shape asImage(const Shape& s) { return s.size() == 3 ? Shape{s[0], s[1], 1, s[2]} : s; }

void lowerConvDataGrad(NodeLowering& n) {
  if (isVolume(n)) return lowerGeneric(n);
  const Field f = fieldOf(n.call().attributes());
  const Shape x = asImage(n.outputShape()), w = asImage(n.call().shape(1));
  Tensor dy = n.input(0).reshape(asImage(n.call().shape(0)));
  ops::ConvParams p;
  p.type = dy.elementType();
  p.batch = x[0];
  p.groups = n.call().attributes().integer("group", 1);
  p.inChannels = w[0] / p.groups;
  p.outChannels = w[1];
  p.kernel = f.kernel;
  p.dilation = f.dilation;
  Shape stuffed = dy.shape();
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t span = (f.kernel[d] - 1) * f.dilation[d] + 1;
    std::int64_t in = (dy.dim(2 + d) - 1) * f.stride[d] + 1, low = span - 1 - f.padLow[d];
    std::int64_t high = x[2 + d] + span - 1 - in - low;
    // A pad beyond the kernel cuts rows of the gradient off.
    in += std::min<std::int64_t>(0, low) + std::min<std::int64_t>(0, high);
    p.padLow[d] = std::max<std::int64_t>(0, low);
    p.padHigh[d] = std::max<std::int64_t>(0, high);
    p.in[d] = stuffed[2 + d] = in;
  }
  if (stuffed != dy.shape()) dy = ops::move(n.time(), "insertZeros", {dy}, dy.elementType(), stuffed, 1, {});
  n.give(ops::convolution(n.time(), dy, n.input(1), p));
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
  p.inChannels = dy[0] * dy[2] * dy[3];
  p.outChannels = w[0] / groups;
  p.in = {w[1] * w[2] * w[3], 1};
  return p;
}

void lowerConvWeightsGrad(NodeLowering& n) {
  if (isVolume(n)) return lowerGeneric(n);
  const Shape x = asImage(n.call().shape(0)), dy = asImage(n.call().shape(1)), w = asImage(n.outputShape());
  const std::int64_t groups = n.call().attributes().integer("group", 1);
  const ops::ConvParams swapped = swappedRoles(fieldOf(n.call().attributes()), x, dy, w, n.outputType(), groups);
  const ops::ConvParams expanded = expandedField(dy, w, n.outputType(), groups);
  const arch::Machine& machine = n.time().machine();
  const ops::ConvPlan first = ops::planConvolution(machine, swapped), second = ops::planConvolution(machine, expanded);
  const bool expands = first.fits != second.fits ? second.fits : second.cycles() < first.cycles();
  n.give(ops::convolution(n.time(), n.input(0), n.input(1), expands ? expanded : swapped));
}

ops::PoolParams poolOf(const NodeLowering& n, codelets::PoolKind kind, const Shape& y) {
  const Field f = fieldOf(n.call().attributes());
  ops::PoolParams p;
  p.kind = kind;
  p.kernel = f.kernel;
  p.stride = f.stride;
  p.dilation = f.dilation;
  p.padLow = f.padLow;
  p.out = {y[2], y[3]};
  return p;
}
void lowerMaxPoolGrad(NodeLowering& n) {
  if (isVolume(n)) return lowerGeneric(n);
  const Shape y = asImage(n.call().shape(1));
  n.give(ops::poolGrad(n.time(), n.input(0).reshape(asImage(n.call().shape(0))), n.input(1), n.input(2),
                       poolOf(n, codelets::PoolKind::Max, y)));
}
void lowerAveragePoolGrad(NodeLowering& n) {
  if (isVolume(n)) return lowerGeneric(n);
  n.give(ops::poolGrad(n.time(), asImage(n.outputShape()), n.input(0),
                       poolOf(n, codelets::PoolKind::Average, asImage(n.call().shape(0)))));
}

std::vector<std::size_t> axesOf(const NodeLowering& n) {
  return numerics::normaliseAxes(n.call().attributes().integers("axes"), n.call().shape(0).size(), false);
}

void lowerWhiten(NodeLowering& n) {
  const Tensor x = n.input(0);
  const ElementType type = x.elementType();
  const Tensor mean = ops::reduce(n.time(), x, axesOf(n), ReduceOp::Add, true),
               power = ops::reduce(n.time(), x, axesOf(n), ReduceOp::SquareAdd, true);
  const Tensor inverse = ops::map(n.time(), "invStdDev",
                                  {{BinaryOp::Multiply, type}, {BinaryOp::Subtract, type}, {BinaryOp::VarianceToInvStdDev, type}},
                                  {power, mean}, type, power.shape());
  n.give(
      ops::map(n.time(), "whiten", {{BinaryOp::Subtract, type}, {BinaryOp::Multiply, type}}, {x, mean, inverse}, type, x.shape()),
      0);
  if (n.call().wantsOutput(1)) n.give(inverse, 1);
}

void lowerNormGrad(NodeLowering& n) {
  const Tensor d = n.input(0), xhat = n.input(1), inverse = n.input(2);
  const ElementType type = d.elementType();
  const Tensor product = ops::map(n.time(), "multiply", {{BinaryOp::Multiply, type}}, {d, xhat}, type, d.shape());
  const Tensor sum = ops::reduce(n.time(), d, axesOf(n), ReduceOp::Add, true),
               correlation = ops::reduce(n.time(), product, axesOf(n), ReduceOp::Add, true);
  const std::vector<MapStep> steps{
      {BinaryOp::Multiply, type}, {BinaryOp::Subtract, type}, {BinaryOp::Subtract, type}, {BinaryOp::Multiply, type}};
  n.give(ops::map(n.time(), "normGrad", steps, {d, xhat, correlation, sum, inverse}, type, n.outputShape()));
}

// A one-hot of the targets, scaled; popnn makes it with the loss itself.
void lowerLogLikelihoodGrad(NodeLowering& n) {
  constexpr std::int64_t kCyclesPerElement = 4;
  std::vector<Tensor> inputs{n.input(1)};
  if (!n.call().isKnown(0)) inputs.push_back(n.input(0));
  n.give(ops::generic(n.time(), "encodeOneHot", inputs, n.outputType(), n.outputShape(), kCyclesPerElement, {}));
}

// Zeros, then rows are added where they came from: popops multiUpdateAdd.
void lowerMovementGrad(NodeLowering& n) {
  constexpr std::int64_t kCyclesPerElement = 2;
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i)
    if (n.has(i) && !n.call().isKnown(i)) inputs.push_back(n.input(i));
  n.give(ops::generic(n.time(), "multiUpdateAdd", inputs, n.outputType(), n.outputShape(), kCyclesPerElement, {}));
}

constexpr LoweringEntry kEntries[] = {
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

std::span<const LoweringEntry> gradientLowerings() { return kEntries; }

} // namespace simcore::model
