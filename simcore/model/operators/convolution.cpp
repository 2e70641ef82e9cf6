// Convolutions and transposed convolutions, also fused with what follows them.
#include "simcore/model/operators/convolution.h"
#include "simcore/model/operators/family.h"
#include "simcore/numerics/convolution.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/window.h"

#include <algorithm>
#include <set>

namespace simcore::model {

using numerics::Window;

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

std::vector<std::int64_t> kernelOf(const Call& call, std::size_t weights) {
  const std::vector<std::int64_t> given = call.attributes().integers("kernel_shape");
  return given.empty() ? spatialOf(call.shape(weights)) : given;
}

ConvolutionParameters transposedConvolutionParameters(const Call& call) {
  ConvolutionParameters parameters{windowOf(call.attributes(), kernelOf(call, 1)), call.attributes().integer("group", 1),
                                   call.attributes().integers("output_padding")};
  Window& window = parameters.window;
  const Shape sizes = spatialOf(call.shape(0));
  if (sizes.size() != window.dimensions()) refuseNode("the kernel does not fit an input of " + numerics::toString(call.shape(0)));
  if (parameters.outputPadding.empty()) parameters.outputPadding.assign(sizes.size(), 0);
  if (parameters.outputPadding.size() != sizes.size()) refuseNode("output_padding does not fit the input");
  const numerics::AutoPad mode = autoPad(call);
  std::vector<std::int64_t> wanted = call.attributes().integers("output_shape");
  if (wanted.size() == sizes.size() + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (!wanted.empty() && wanted.size() != sizes.size()) refuseNode("output_shape does not fit the input");
  const bool same = mode == numerics::AutoPad::SameUpper || mode == numerics::AutoPad::SameLower;
  if (wanted.empty() && !same) return parameters;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t output = wanted.empty() ? sizes[i] * window.strides[i] : wanted[i];
    const std::int64_t full = (sizes[i] - 1) * window.strides[i] + parameters.outputPadding[i] + window.span(i);
    const std::int64_t total = std::max<std::int64_t>(0, full - output);
    // A wanted size beyond the natural one is filled up behind.
    parameters.outputPadding[i] += std::max<std::int64_t>(0, output - full);
    window.padsBefore[i] = mode == numerics::AutoPad::SameUpper ? total / 2 : total - total / 2;
    window.padsAfter[i] = total - window.padsBefore[i];
  }
  return parameters;
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

// A result of a convolution whose bias, input 2, has a value for each of its channels.
Types withBias(const Call& call, const Shape& result) {
  if (call.has(2) && call.shape(2) != Shape{result[1]})
    refuseNode("the bias of a convolution should have " + std::to_string(result[1]) + " elements, not " +
               numerics::toString(call.shape(2)));
  return {{call.elementType(0), result}};
}

Types inferFused(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  return withBias(call, numerics::convolutionShape(call.shape(0), call.shape(1), p.window, p.groups));
}
Tensors fusedConvolution(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  const HostTensor y =
      numerics::convolution(call.value(0), call.value(1), call.optional(2), p.window, p.groups, call.optional(3));
  if (!call.attributes().has(kActivationOf)) return {y};
  const Node node = activationOf(call.node());
  return operatorFor(node).evaluate(Call(node, {Call::Operand{{y.type(), y.shape()}, &y}}, {}, {}));
}

Types inferConvolution(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  return withBias(call, numerics::convolutionShape(call.shape(0), call.shape(1), p.window, p.groups));
}
Tensors convolution(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  return {numerics::convolution(call.value(0), call.value(1), call.optional(2), p.window, p.groups)};
}

Types inferTransposed(const Call& call) {
  const ConvolutionParameters p = transposedConvolutionParameters(call);
  return withBias(call, numerics::transposedConvolutionShape(call.shape(0), call.shape(1), p.window, p.groups, p.outputPadding));
}
Tensors transposedConvolution(const Call& call) {
  const ConvolutionParameters p = transposedConvolutionParameters(call);
  return {numerics::transposedConvolution(call.value(0), call.value(1), call.optional(2), p.window, p.groups, p.outputPadding)};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

// Parameters of a plan for these operands; a volume's are those of its planes.
ops::ConvParams convolutionGeometry(const Tensor& x, const Tensor& weights, const numerics::Window& window, std::int64_t groups) {
  ops::ConvParams p;
  p.type = x.elementType();
  p.batch = x.dim(0);
  p.groups = groups;
  p.inChannels = weights.dim(1);
  p.outChannels = weights.dim(0) / groups;
  p.in = {x.dim(2), x.dim(3)};
  setWindow(p, window);
  return p;
}

// The end of a convolution: its result and all that is added to it, then the activation.
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

// As a convolution over the input with zeros put between its elements.
void lowerTransposedConvolution(NodeLowering& n) {
  ConvolutionParameters c = transposedConvolutionParameters(n.call());
  if (c.window.dimensions() == 3) {
    const Tensor y = transposedVolume(n, n.input(0), n.input(1), c, n.outputShape());
    if (n.has(2)) ops::addBias(n.builder(), y, n.input(2));
    return n.give(y);
  }
  Tensor x = asImage(n.input(0));
  const Tensor w = asImage(n.input(1));
  const numerics::Window image = imageWindow(c.window);
  const Shape& out = n.outputShape();
  const Shape field = out.size() == 3 ? Shape{1, out[2]} : Shape{out[2], out[3]};
  ZeroInsertion zeros{{x.dim(0), x.dim(1), 0, 0}, {image.strides[0], image.strides[1]}, {}};
  for (std::size_t d = 0; d < 2; ++d) { // pads included
    const std::int64_t reach = (image.kernel[d] - 1) * image.dilations[d];
    zeros.shape[2 + d] = field[d] + reach;
    zeros.first[d] = reach - image.padsBefore[d];
  }
  x = insertZeros(n, x, zeros);
  const Tensor turned = w.reshape({w.dim(1) * c.groups, w.dim(0) / c.groups, w.dim(2), w.dim(3)});
  ops::ConvParams p = convolutionGeometry(x, turned, numerics::makeWindow(image.kernel, {}, image.dilations, {}), c.groups);
  ops::ConvOptions options = planOptions(n);
  options.arrangeWeights = [shape = w.shape(), groups = c.groups](const HostTensor& v) {
    return turnedKernel(v.reshaped(shape), groups);
  };
  const Tensor y = ops::convolution(n.builder(), x, turned, p, {}, options);
  if (n.has(2)) ops::addBias(n.builder(), y, n.input(2));
  n.give(y);
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

void biasBack(const GradientCall& c) {
  if (!c.wants(2)) return;
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < c.graph().shape(c.gradient()).size(); ++i)
    if (i != 1) axes.push_back(std::int64_t(i));
  c.give(2, c.graph().reduce("ReduceSum", c.gradient(), axes, false));
}

void convolutionBack(const GradientCall& c) {
  const ConvolutionParameters p = convolutionParameters(c.call());
  Attributes a = attributes({{"group", p.groups}});
  setWindow(a, p.window);
  if (c.wants(0)) {
    a.set("shape", c.call().shape(0));
    c.give(0, c.graph().addOwn("ConvDataGrad", {c.gradient(), c.input(1)}, a));
  }
  if (c.wants(1)) {
    a.set("shape", c.call().shape(1));
    c.give(1, c.graph().addOwn("ConvWeightsGrad", {c.input(0), c.gradient()}, a));
  }
  biasBack(c);
}

// The transposed convolution is the data gradient of a convolution, so its own is a convolution, and the roles of input and
// output change places in that of the weights.
void transposedConvolutionBack(const GradientCall& c) {
  const ConvolutionParameters p = transposedConvolutionParameters(c.call());
  Attributes a = attributes({{"group", p.groups}});
  setWindow(a, p.window);
  if (c.wants(0)) {
    std::string dx = c.graph().add("Conv", {c.gradient(), c.input(1)}, a);
    if (c.graph().shape(dx) != c.call().shape(0)) c.fail("its output padding is as large as its stride");
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
    {"FusedConv", 1, inferFused, fusedConvolution, lowerFusedConvolution, nullptr, kPlain, kOwnDomain},
};

} // namespace

Shape spatialOf(const Shape& shape) {
  if (shape.size() < 3) refuseNode("the input needs a rank of 3 or more, not the shape " + numerics::toString(shape));
  return {shape.begin() + 2, shape.end()};
}

std::vector<std::size_t> spatialAxes(const Call& call) {
  if (call.shape(0).size() < 3) refuseNode("global pooling needs a rank of 3 or more");
  std::vector<std::size_t> axes;
  for (std::size_t i = 2; i < call.shape(0).size(); ++i) axes.push_back(i);
  return axes;
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

Tensor asImage(const Tensor& x) { return x.rank() == 3 ? x.reshape(imageShape(x.shape())) : x; }
Shape imageShape(const Shape& s) { return s.size() == 3 ? Shape{s[0], s[1], 1, s[2]} : s; }

Window imageWindow(const Window& w) {
  if (w.dimensions() != 1) return w;
  return {{1, w.kernel[0]}, {1, w.strides[0]}, {1, w.dilations[0]}, {0, w.padsBefore[0]}, {0, w.padsAfter[0]}};
}

bool isVolume(const NodeLowering& n) { return n.call().attributes().integers("kernel_shape").size() > 2; }

Window planeWindow(const Window& w) {
  const auto tail = [](const std::vector<std::int64_t>& v) { return std::vector<std::int64_t>(v.begin() + 1, v.end()); };
  return {tail(w.kernel), tail(w.strides), tail(w.dilations), tail(w.padsBefore), tail(w.padsAfter)};
}

ops::DepthWindow depthWindow(const Window& w, std::int64_t in, std::int64_t out) {
  return {in, out, w.kernel[0], w.strides[0], w.dilations[0], w.padsBefore[0], w.padsAfter[0]};
}

ConvolutionParameters convolutionParameters(const Call& call, std::size_t weights) {
  ConvolutionParameters parameters{
      windowOf(call.attributes(), kernelOf(call, weights)), call.attributes().integer("group", 1), {}};
  const Shape sizes = spatialOf(call.shape(0));
  if (sizes.size() != parameters.window.dimensions())
    refuseNode("the kernel does not fit an input of " + numerics::toString(call.shape(0)));
  numerics::resolveAutoPad(parameters.window, autoPad(call), sizes);
  return parameters;
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
                        const Shape& shape) {
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
    Shape part = from; // all of the depth or a tap of it
    part[2] = v.count() * from[2] / numerics::elementCount(from);
    return turnedKernel(v.reshaped(part), groups).reshaped({to[0], to[1] * part[2], to[3], to[4]});
  };
  return ops::conv3d(n.builder(), x, turned, plane, depth, options);
}

Tensor insertZeros(NodeLowering& n, const Tensor& x, const ZeroInsertion& zeros) {
  bool stays = zeros.shape == x.shape();
  for (std::size_t d = 0; d < 2; ++d) stays &= zeros.first[d] == 0 && (zeros.stride[d] == 1 || x.dim(2 + d) == 1);
  if (stays) return x;
  const auto where = partKernel(n, [zeros](const Tensors& in) {
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
  return ops::move(n.builder(), "insertZeros", {x}, x.elementType(), zeros.shape, 1, {where});
}

HostTensor turnedKernel(const HostTensor& weights, std::int64_t groups) {
  Shape shape = weights.shape(); // all taps in a row: reversed in every dimension at once
  const std::int64_t outs = shape[0] / groups, ins = shape[1], taps = numerics::elementCount(shape, 2, shape.size());
  const HostTensor swapped = numerics::transpose(weights.reshaped({groups, outs, ins, taps}), {0, 2, 1, 3});
  shape[0] = groups * ins;
  shape[1] = outs;
  return numerics::slice(swapped, {{3, -1, -taps - 1, -1}}).reshaped(shape);
}

bool isFusibleActivation(const Node& node) {
  static const std::set<std::string> standard{"Relu", "Sigmoid",     "Tanh",      "LeakyRelu", "Elu",
                                              "Clip", "HardSigmoid", "HardSwish", "Softplus",  "Selu"};
  if (node.outputs.size() != 1) return false;
  return node.domain.empty() ? standard.count(node.opType) != 0 : node.domain == kOwnDomain && node.opType == "Swish";
}

Node activationOf(const Node& fused) {
  constexpr int kOldClip = 6; // limits are attributes
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
