// Convolutions and transposed convolutions, also fused with the operators after them.
#include "simcore/model/operators/convolution.h"
#include "simcore/model/operators/family.h"
#include "simcore/numerics/convolution.h"
#include "simcore/numerics/window.h"

#include <algorithm>
#include <array>

namespace simcore::model {

using numerics::Window;

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

std::vector<std::int64_t> kernelOf(const Call& call, std::size_t weights) {
  const std::vector<std::int64_t> given = call.attributes().integers("kernel_shape");
  return given.empty() ? spatialOf(call.shape(weights)) : given;
}

Shape sizesFor(const Window& window, const Call& call) {
  const Shape sizes = spatialOf(call.shape(0));
  requireCount("the kernel for an input of " + numerics::toString(call.shape(0)), window.dimensions(), sizes.size(), "dimension");
  return sizes;
}
ConvolutionParameters transposedConvolutionParameters(const Call& call) {
  ConvolutionParameters parameters{windowOf(call.attributes(), kernelOf(call, 1)), call.attributes().integer("group", 1),
                                   call.attributes().integers("output_padding")};
  Window& window = parameters.window;
  const Shape sizes = sizesFor(window, call);
  if (parameters.outputPadding.empty()) parameters.outputPadding.assign(sizes.size(), 0);
  requireCount("output_padding", parameters.outputPadding.size(), sizes.size());
  const numerics::AutoPad mode = autoPad(call);
  std::vector<std::int64_t> wanted = call.attributes().integers("output_shape");
  if (wanted.size() == sizes.size() + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (!wanted.empty()) requireCount("output_shape", wanted.size(), sizes.size());
  const bool same = mode == numerics::AutoPad::SameUpper || mode == numerics::AutoPad::SameLower;
  if (wanted.empty() && !same) return parameters;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t output = wanted.empty() ? sizes[i] * window.strides[i] : wanted[i];
    const std::int64_t full = (sizes[i] - 1) * window.strides[i] + parameters.outputPadding[i] + window.span(i);
    const std::int64_t total = std::max<std::int64_t>(0, full - output);
    // If the requested size is larger than the natural size, the output is padded at the end.
    parameters.outputPadding[i] += std::max<std::int64_t>(0, output - full);
    // Before opset 11, the other end gets the larger half, as in PopART.
    const bool isNew = call.opset() == 0 || call.opset() >= 11;
    window.padsBefore[i] = (mode == numerics::AutoPad::SameUpper) == isNew ? total / 2 : total - total / 2;
    window.padsAfter[i] = total - window.padsBefore[i];
  }
  return parameters;
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

// The types of a convolution's result, after a check that the bias (input 2) has one value per channel.
Types withBias(const Call& call, const Shape& result) {
  if (call.has(2) && call.shape(2) != Shape{result[1]})
    refuseNode("the bias of a convolution should have " + std::to_string(result[1]) + " elements, not " +
               numerics::toString(call.shape(2)));
  return {{productType(call), result}};
}

Types inferConvolution(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  return withBias(call, numerics::convolutionShape(call.shape(0), call.shape(1), p.window, p.groups));
}
// Operands in the kernels' form; the bias (input 2) and the addend (input 3) are optional.
HostTensor convolutionOf(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  std::array<HostTensor, 2> added;
  const auto orNull = [&](std::size_t i) {
    if (!call.has(i)) return static_cast<const HostTensor*>(nullptr);
    return static_cast<const HostTensor*>(&(added[i - 2] = productOperand(call, i)));
  };
  const HostTensor *bias = orNull(2), *addend = orNull(3);
  return numerics::convolution(productOperand(call, 0), productOperand(call, 1), bias, p.window, p.groups, addend)
      .cast(productType(call));
}

Tensors fusedConvolution(const Call& call) {
  HostTensor y = convolutionOf(call);
  if (!call.attributes().has(kActivationOf)) return {y};
  const Node node = activationOf(call.node());
  if (node.opType == "Relu" && numerics::rectify(y)) return {y};
  return operatorFor(node).evaluate(Call(node, {Call::Operand{{y.type(), y.shape()}, &y}}, {}, {}));
}
Tensors convolution(const Call& call) { return {convolutionOf(call)}; }

Types inferTransposed(const Call& call) {
  const ConvolutionParameters p = transposedConvolutionParameters(call);
  return withBias(call, numerics::transposedConvolutionShape(call.shape(0), call.shape(1), p.window, p.groups, p.outputPadding));
}
Tensors transposedConvolution(const Call& call) {
  const ConvolutionParameters p = transposedConvolutionParameters(call);
  return {numerics::transposedConvolution(call.value(0), call.value(1), call.optional(2), p.window, p.groups, p.outputPadding)};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

// The end of a convolution: its result plus the addends, then the activation.
ops::HostKernel addAndActivate(const NodeLowering& n) {
  return partKernel(n, [node = n.node()](const Tensors& in) {
    HostTensor y = in[0];
    for (std::size_t i = 1; i < in.size(); ++i) y = numerics::binary(BinaryKind::Add, y, in[i]);
    if (!node.attributes.has(kActivationOf)) return y;
    Node activation = activationOf(node);
    activation.inputs = {"x"};
    return evaluateNode(activation, {{"x", y}}).at(0);
  });
}

void lowerFusedConvolution(NodeLowering& n) {
  const ConvolutionParameters c = convolutionParameters(n.call());
  const Tensor y = convolved(n, partOf(n, "Conv"), n.input(0), n.input(1), c);
  const ElementType type = y.elementType();
  std::vector<MapStep> steps;
  std::vector<Tensor> operands{y};
  if (n.has(2)) {
    Shape channels(y.rank(), 1);
    channels[1] = y.dim(1);
    steps.push_back({BinaryOp::Add, type});
    operands.push_back(n.input(2).reshape(channels));
  }
  std::string owner = "Conv";
  if (n.has(3)) {
    steps.push_back({BinaryOp::Add, type});
    operands.push_back(n.input(3).reshape(y.shape()));
    owner = "Add";
  }
  if (n.call().attributes().has(kActivationOf)) {
    owner = n.call().attributes().text(kActivationOf, "");
    for (const MapStep& step : elementwiseSteps(owner, type)) steps.push_back(step);
  }
  if (owner == "Conv" && n.has(2))
    ops::addBias(n.builder(), y, n.input(2));
  else if (!steps.empty())
    ops::mapInPlace(partOf(n, owner, true), owner, steps, operands, addAndActivate(n));
  n.give(y);
}

void lowerConvolution(NodeLowering& n) {
  const ConvolutionParameters c = convolutionParameters(n.call());
  const Tensor y = convolved(n, n.builder(), n.input(0), n.input(1), c);
  if (n.has(2)) ops::addBias(n.builder(), y, n.input(2));
  n.give(y);
}

void lowerTransposedConvolution(NodeLowering& n) {
  const ConvolutionParameters p = transposedConvolutionParameters(n.call());
  const Tensor y =
      ops::transposedConvolution(n.builder(), n.input(0), n.input(1), p.window, p.groups, n.outputShape(), planOptions(n));
  if (n.has(2)) ops::addBias(n.builder(), y, n.input(2));
  n.give(y);
}

// The gradients of a convolution are separate operators, because
// libraries have them: window, group and the target shape are attributes.
std::int64_t groupOf(const Call& call) { return call.attributes().integer("group", 1); }
Types inferGradient(const Call& call) { return {{productType(call), shapeOf(call)}}; }
Tensors dataGradient(const Call& call) {
  return {numerics::convolutionDataGradient(productOperand(call, 0), productOperand(call, 1), windowOf(call.attributes()),
                                            groupOf(call), shapeOf(call))
              .cast(productType(call))};
}
Tensors weightsGradient(const Call& call) {
  return {numerics::convolutionWeightsGradient(productOperand(call, 0), productOperand(call, 1), windowOf(call.attributes()),
                                               groupOf(call), shapeOf(call))
              .cast(productType(call))};
}
void lowerDataGradient(NodeLowering& n) {
  n.give(ops::convolutionDataGradient(n.builder(), n.input(0), n.input(1), windowOf(n.call().attributes()), groupOf(n.call()),
                                      n.outputShape(), planOptions(n)));
}
void lowerWeightsGradient(NodeLowering& n) {
  n.give(ops::convolutionWeightsGradient(n.builder(), n.input(0), n.input(1), windowOf(n.call().attributes()), groupOf(n.call()),
                                         n.outputShape(), planOptions(n)));
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

void biasBack(const GradientCall& c) {
  if (!c.wants(2)) return;
  const auto axes = allButChannels(c.graph().shape(c.gradient()).size());
  c.give(2, c.graph().reduce("ReduceSum", c.gradient(), {axes.begin(), axes.end()}, false));
}

void convolutionBack(const GradientCall& c) {
  const ConvolutionParameters p = convolutionParameters(c.call());
  Attributes a = attributes({{"group", p.groups}});
  setWindow(a, p.window);
  const ProductGradient product(c);
  if (c.wants(0)) {
    a.set("shape", c.call().shape(0));
    c.give(0, c.graph().addOwn("ConvDataGrad", product.dyWeights(product.dy, c.input(1)), product.withWeights(a)));
  }
  if (c.wants(1)) {
    a.set("shape", c.call().shape(1));
    c.give(1, c.graph().addOwn("ConvWeightsGrad", product.inputDy(c.input(0), product.dy), product.withInput(a)));
  }
  biasBack(c);
}

// The transposed convolution is the data gradient of a convolution, so its data gradient is a convolution, and its weight
// gradient exchanges input and output.
void transposedConvolutionBack(const GradientCall& c) {
  const ConvolutionParameters p = transposedConvolutionParameters(c.call());
  Attributes a = attributes({{"group", p.groups}});
  setWindow(a, p.window);
  if (c.wants(0)) {
    std::string dx = c.graph().add("Conv", {c.gradient(), c.input(1)}, a);
    if (c.graph().shape(dx) != c.call().shape(0)) c.fail("its output padding is not smaller than its stride");
    c.give(0, dx);
  }
  if (c.wants(1)) {
    a.set("shape", c.call().shape(1));
    c.give(1, c.graph().addOwn("ConvWeightsGrad", {c.gradient(), c.input(0)}, a));
  }
  biasBack(c);
}

constexpr Operator kConvolutionOperators[] = {
    {"Conv", 1, inferConvolution, convolution, lowerConvolution, convolutionBack},
    {"ConvTranspose", 1, inferTransposed, transposedConvolution, lowerTransposedConvolution, transposedConvolutionBack},
    {"FusedConv", 1, inferConvolution, fusedConvolution, lowerFusedConvolution, nullptr, kPlain, kOwnDomain},
    {"ConvDataGrad", 1, inferGradient, dataGradient, lowerDataGradient, nullptr, kPlain, kOwnDomain},
    {"ConvWeightsGrad", 1, inferGradient, weightsGradient, lowerWeightsGradient, nullptr, kPlain, kOwnDomain},
};

} // namespace

Shape spatialOf(const Shape& shape) {
  if (shape.size() < 3) refuseNode("the input needs a rank of 3 or more, not the shape " + numerics::toString(shape));
  return {shape.begin() + 2, shape.end()};
}

std::vector<std::size_t> spatialAxes(const Call& call) {
  if (call.shape(0).size() < 3) refuseNode("global pooling needs a rank of 3 or more");
  return dimensions(2, call.shape(0).size());
}

Types inferGlobal(const Call& call) {
  return {{call.elementType(0), numerics::reducedShape(call.shape(0), spatialAxes(call), true)}};
}

numerics::AutoPad autoPad(const Call& call) {
  const std::string mode = call.attributes().text("auto_pad", "NOTSET");
  return chosen<numerics::AutoPad>("auto_pad", mode.empty() ? "NOTSET" : mode,
                                   {{"NOTSET", numerics::AutoPad::NotSet},
                                    {"VALID", numerics::AutoPad::Valid},
                                    {"SAME_UPPER", numerics::AutoPad::SameUpper},
                                    {"SAME_LOWER", numerics::AutoPad::SameLower}});
}

Window windowOf(const Attributes& a, const std::vector<std::int64_t>& kernel) {
  return numerics::makeWindow(kernel, a.integers("strides"), a.integers("dilations"), a.integers("pads"));
}
Window windowOf(const Attributes& a) { return windowOf(a, a.integers("kernel_shape")); }

void setWindow(Attributes& a, const Window& w) {
  std::vector<std::int64_t> pads = w.padsBefore;
  pads.insert(pads.end(), w.padsAfter.begin(), w.padsAfter.end());
  a.set("kernel_shape", w.kernel);
  a.set("strides", w.strides);
  a.set("dilations", w.dilations);
  a.set("pads", pads);
}

ConvolutionParameters convolutionParameters(const Call& call, std::size_t weights) {
  ConvolutionParameters parameters{
      windowOf(call.attributes(), kernelOf(call, weights)), call.attributes().integer("group", 1), {}};
  numerics::resolveAutoPad(parameters.window, autoPad(call), sizesFor(parameters.window, call));
  return parameters;
}

Tensor convolved(NodeLowering& n, const ops::OpBuilder& b, const Tensor& x, const Tensor& weights,
                 const ConvolutionParameters& p) {
  return ops::convolution(b, x, weights, p.window, p.groups, planOptions(n));
}

Node activationOf(const Node& fused) {
  constexpr int kOldClip = 6; // an opset in which Clip has its limits as attributes
  Node node;
  node.opType = fused.attributes.text(kActivationOf, "");
  node.domain = node.opType == "Swish" ? kOwnDomain : "";
  node.opset = node.opType == "Clip" ? kOldClip : fused.opset;
  node.outputs = {"y"};
  const std::string prefix = std::string(kActivationOf) + ".";
  for (const auto& [name, value] : fused.attributes.all())
    if (name.starts_with(prefix)) node.attributes.set(name.substr(prefix.size()), value);
  return node;
}

std::span<const Operator> convolutionOperators() { return kConvolutionOperators; }

} // namespace simcore::model
