// Quantisation, and products and convolutions of integers.
#include "simcore/model/operators/convolution.h"
#include "simcore/numerics/convolution.h"
#include "simcore/numerics/matmul.h"
#include "simcore/numerics/quantise.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace simcore::model {

using codelets::CastTo;

namespace {

// ---- types and numbers -----------------------------------------------------------------------------------------------------

// Input `i` of the node, a scale or zero point, must be one value or one for each index of `axis` of a tensor of this shape.
void requireAlong(const Call& call, std::size_t i, const Shape& shape, std::size_t axis) {
  if (!call.has(i)) return;
  const std::int64_t count = numerics::elementCount(call.shape(i));
  if (count != 1 && (axis >= shape.size() || count != shape[axis]))
    refuseNode("input " + std::to_string(i) + " of " + call.node().opType + " has the shape " +
               numerics::toString(call.shape(i)) + ", but must have 1 element or as many as axis " + std::to_string(axis) +
               " of " + numerics::toString(shape));
}
// The type of a quantised tensor: that of its zero point, input `i`.
ElementType quantisedType(const Call& call, std::size_t i) {
  if (!call.has(i)) return ElementType::UInt8;
  const ElementType type = call.elementType(i);
  if (type != ElementType::Int8 && type != ElementType::UInt8 && !numerics::isFloat8(type))
    throw Error(ErrorCode::Unsupported,
                std::string("quantisation is not supported for elements of type ") + numerics::elementTypeName(type));
  return type;
}

// Dimensions of a product's operand that zero points may follow: rows and columns.
std::size_t rowsOf(const Shape& shape) { return shape.size() < 2 ? 0 : shape.size() - 2; }
std::size_t columnsOf(const Shape& shape) { return shape.empty() ? 0 : shape.size() - 1; }

Types inferMatmulInteger(const Call& call) {
  requireAlong(call, 2, call.shape(0), rowsOf(call.shape(0)));
  requireAlong(call, 3, call.shape(1), columnsOf(call.shape(1)));
  return {{ElementType::Int32, numerics::matmulShape(call.shape(0), call.shape(1))}};
}
Tensors matmulInteger(const Call& call) {
  return {numerics::integerMatmul(call.value(0), call.optional(2), call.value(1), call.optional(3))};
}
Types inferConvolutionInteger(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  requireAlong(call, 2, call.shape(0), 1);
  requireAlong(call, 3, call.shape(1), 0);
  return {{ElementType::Int32, numerics::convolutionShape(call.shape(0), call.shape(1), p.window, p.groups)}};
}
Tensors convolutionInteger(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  return {numerics::integerConvolution(call.value(0), call.optional(2), call.value(1), call.optional(3), p.window, p.groups)};
}

// The axis matters only if each index along it has its own scale.
std::size_t quantisedAxis(const Call& call) {
  return numerics::elementCount(call.shape(1)) == 1 ? 0 : axisOf(call, 1, call.shape(0).size());
}
void requireAlongAxis(const Call& call) {
  for (const std::size_t parameter : {1, 2}) requireAlong(call, parameter, call.shape(0), quantisedAxis(call));
}
Types inferQuantise(const Call& call) {
  requireAlongAxis(call);
  return {{quantisedType(call, 2), call.shape(0)}};
}
Tensors quantise(const Call& call) {
  const HostTensor zero = call.has(2) ? call.value(2) : HostTensor::scalar(std::uint8_t(0));
  return {numerics::quantise(call.value(0), call.value(1), zero, quantisedAxis(call))};
}
Types inferDequantise(const Call& call) {
  requireAlongAxis(call);
  return {{ElementType::Float, call.shape(0)}};
}
Tensors dequantise(const Call& call) {
  return {numerics::dequantise(call.value(0), call.value(1), call.optional(2), quantisedAxis(call))};
}
// QuarterCast: x / 2^scale as an 8-bit float; the scale is an attribute, or comes from a history of largest values (kHistories).
void requireHistory(const Call& call, std::size_t input) {
  if (call.elementType(input) != ElementType::Float || call.shape(input).size() != 1 || call.shape(input)[0] < 1)
    refuseNode("a history of scales has one dimension, at least one element and type Float");
}
Types inferQuarterCast(const Call& call) {
  if (call.has(1)) requireHistory(call, 1);
  return {{elementTypeOf(call, call.attributes().requiredInteger("to")), call.shape(0)}, {ElementType::Float, {}}};
}
HostTensor quarterOf(const HostTensor& x, const Attributes& a, ElementType to) {
  constexpr std::int64_t kMostPower = 126; // a file may contain any power
  const auto power = std::clamp<std::int64_t>(a.integer("scale", 0), -kMostPower, kMostPower);
  return scaled(x.cast(ElementType::Float), std::ldexp(1.0, -int(power))).cast(to);
}
Tensors quarterCast(const Call& call) {
  const ElementType to = inferQuarterCast(call)[0].type;
  if (!call.has(1)) return {quarterOf(call.value(0), call.attributes(), to)};
  double largest = 0; // of finite values, because the next scale must be finite
  for (const double v : call.value(0).toDoubles())
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  Attributes a;
  a.set("scale", std::int64_t(numerics::quarterScale(call.value(1), to)));
  return {quarterOf(call.value(0), a, to), HostTensor::full(ElementType::Float, {}, largest)};
}
// HistoryUpdate: the inputs are histories, then the largest values of this update; each replaces its history's oldest entry.
Types inferHistories(const Call& call) {
  if (call.inputCount() % 2) refuseNode("each history needs the largest value of this update");
  Types types;
  for (std::size_t i = 0; i < call.inputCount() / 2; ++i) {
    requireHistory(call, i);
    types.push_back(call.type(i));
  }
  return types;
}
Tensors updateHistories(const Call& call) {
  Tensors updated;
  const std::size_t count = call.inputCount() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<float> values{float(call.value(count + i).at(0))};
    for (std::int64_t k = 0; k + 1 < call.value(i).count(); ++k) values.push_back(float(call.value(i).at(k)));
    updated.push_back(HostTensor::vector(values));
  }
  return updated;
}
// QuarterScales: the exponents of the scales that these histories give.
Types inferQuarterScales(const Call& call) {
  for (std::size_t i = 0; i < call.inputCount(); ++i) requireHistory(call, i);
  return {{ElementType::Float, {std::int64_t(call.inputCount())}}};
}
Tensors quarterScales(const Call& call) {
  const ElementType to = elementTypeOf(call, call.attributes().requiredInteger("to"));
  std::vector<float> powers;
  for (const HostTensor& history : call.values()) powers.push_back(float(numerics::quarterScale(history, to)));
  return {HostTensor::vector(powers)};
}
Types inferDynamic(const Call& call) {
  if (call.elementType(0) != ElementType::Float)
    throw Error(ErrorCode::Unsupported, std::string("dynamic quantisation is not supported for elements of type ") +
                                            numerics::elementTypeName(call.elementType(0)));
  if (numerics::elementCount(call.shape(0)) == 0) refuseNode("a tensor without elements has no range to quantise");
  return {{ElementType::UInt8, call.shape(0)}, {ElementType::Float, {}}, {ElementType::UInt8, {}}};
}
Tensors quantiseDynamically(const Call& call) {
  const auto result = numerics::quantiseDynamically(call.value(0));
  return {result.values, result.scale, result.zeroPoint};
}

// Inputs: x, its scale, its zero point, weights, their scale and zero point, output scale and zero point (, bias).
void requireFactors(const Call& call, std::size_t axis, std::size_t axisOfWeights) {
  for (const std::size_t parameter : {1, 2}) requireAlong(call, parameter, call.shape(0), axis);
  for (const std::size_t parameter : {4, 5}) requireAlong(call, parameter, call.shape(3), axisOfWeights);
  for (const std::size_t parameter : {6, 7}) requireAlong(call, parameter, {}, 0);
}
Types inferQuantisedConvolution(const Call& call) {
  const auto p = convolutionParameters(call, 3);
  requireFactors(call, 0, 0);
  return {{quantisedType(call, 7), numerics::convolutionShape(call.shape(0), call.shape(3), p.window, p.groups)}};
}
Tensors quantisedConvolution(const Call& call) {
  const auto p = convolutionParameters(call, 3);
  const HostTensor x = numerics::dequantise(call.value(0), call.value(1), call.optional(2), 0);
  const HostTensor weights = numerics::dequantise(call.value(3), call.value(4), call.optional(5), 0);
  std::optional<HostTensor> bias;
  if (call.has(8)) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < call.value(8).count(); ++i)
      values.push_back(float(call.value(8).at(i) * call.value(1).at(0) * call.value(4).at(call.value(4).count() > 1 ? i : 0)));
    bias = HostTensor::vector(values);
  }
  const HostTensor y = numerics::convolution(x, weights, bias ? &*bias : nullptr, p.window, p.groups);
  return {numerics::quantise(y, call.value(6), call.value(7), 0)};
}
Types inferQuantisedMatmul(const Call& call) {
  requireFactors(call, rowsOf(call.shape(0)), columnsOf(call.shape(3)));
  return {{quantisedType(call, 7), numerics::matmulShape(call.shape(0), call.shape(3))}};
}
Tensors quantisedMatmul(const Call& call) {
  const std::size_t rank = call.shape(0).size(), rightRank = call.shape(3).size();
  const HostTensor a = numerics::dequantise(call.value(0), call.value(1), call.optional(2), rank < 2 ? 0 : rank - 2);
  const HostTensor b = numerics::dequantise(call.value(3), call.value(4), call.optional(5), rightRank - 1);
  return {numerics::quantise(numerics::matmul(a, b), call.value(6), call.value(7), 0)};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

Tensor optional(NodeLowering& n, std::size_t i) { return n.has(i) ? n.input(i) : Tensor(); }
// Input `i`, followed by its scale and zero point.
Tensor dequantised(NodeLowering& n, std::size_t i, std::size_t axis) {
  const Tensor x = n.input(i), scale = n.input(i + 1);
  const Tensor zero = numerics::isFloat8(n.call().elementType(i)) ? Tensor() : optional(n, i + 2);
  return ops::dequantise(n.builder(), x, scale, zero, axis);
}
Tensor centred(NodeLowering& n, std::size_t i, std::size_t axis) {
  const Tensor x = n.input(i);
  return ops::centred(n.builder(), x, optional(n, i + 2), axis);
}
// Quantises a result with the scale and zero point of the node.
void giveQuantised(NodeLowering& n, const Tensor& y) {
  const Tensor scale = n.input(6), zero = n.input(7);
  n.give(ops::quantise(n.builder(), y, scale, zero, 0, n.outputType()));
}

void lowerQuantise(NodeLowering& n) {
  const Tensor x = n.input(0), scale = n.input(1);
  // An 8-bit float may be held in a wider type; its zero point is 0 and optional.
  const ElementType type = quantisedType(n.call(), 2);
  const Tensor zero = numerics::isFloat8(type) ? Tensor() : optional(n, 2);
  n.give(ops::quantise(n.builder(), x, scale, zero, quantisedAxis(n.call()), n.outputType(), type));
}
void lowerDequantise(NodeLowering& n) { n.give(dequantised(n, 0, quantisedAxis(n.call()))); }
// The scale is a field of the vertex, so the plan is only a cast; with a history it also finds the largest value.
void lowerQuarterCast(NodeLowering& n) {
  const Tensor x = n.input(0);
  if (n.call().wantsOutput(1)) {
    const ops::OpBuilder& builder = n.timeBuilder();
    const Tensor sizes =
        ops::map(builder, "Absolute", ops::mapSteps(x.elementType(), {UnaryOp::Absolute}), {x}, x.elementType(), x.shape());
    n.give(ops::reduce(builder, sizes.flatten(), {0}, ReduceOp::Maximum, false, {}, n.outputType(1)), 1);
  }
  n.give(ops::map(n.builder(), "Cast", {{CastTo{n.outputType()}, x.elementType()}}, {x}, n.outputType(), n.outputShape(),
                  partKernel(n, [node = n.node(), to = n.outputType()](const Tensors& in) {
                    return quarterOf(in[0], node.attributes, to);
                  })));
}
// A history is a ring, so an update writes one entry of each.
void lowerHistories(NodeLowering& n) {
  const std::size_t count = n.call().inputCount() / 2;
  std::vector<Tensor> newest, largest;
  for (std::size_t i = 0; i < count; ++i) {
    newest.push_back(n.input(i).slice(0, 1, 0));
    largest.push_back(n.input(count + i).reshape({1}));
  }
  Tensor entries = graph::concat(largest);
  if (entries.elementType() != ElementType::Float)
    entries = ops::map(n.timeBuilder(), "Cast", {{CastTo{ElementType::Float}, entries.elementType()}}, {entries},
                       ElementType::Float, entries.shape());
  ops::mapInPlace(n.timeBuilder(), "history", ops::mapSteps(ElementType::Float, {BinaryOp::Maximum}),
                  {graph::concat(newest), entries});
  for (std::size_t i = 0; i < count; ++i) n.give(n.input(i), i);
}
void lowerDynamicQuantise(NodeLowering& n) {
  const auto q = ops::quantiseDynamically(n.builder(), n.input(0));
  n.give(q.values, 0);
  if (n.call().wantsOutput(1)) n.give(q.scale, 1);
  if (n.call().wantsOutput(2)) n.give(q.zeroPoint, 2);
}

void lowerIntegerConvolution(NodeLowering& n) {
  const Tensor x = centred(n, 0, 0), w = centred(n, 1, 0);
  n.give(ops::toIntegers(n.builder(), convolved(n, n.builder(), x, w, convolutionParameters(n.call())), n.outputType()));
}

Tensor asMatrix(const Tensor& t, bool row) {
  return t.rank() > 1 ? t : row ? t.reshape({1, t.dim(0)}) : t.reshape({t.dim(0), 1});
}
Tensor matrixProduct(NodeLowering& n, const Tensor& a, const Tensor& b) {
  return ops::matmul(n.builder(), asMatrix(a, true), asMatrix(b, false), {}, planOptions(n)).reshape(n.outputShape());
}
void lowerIntegerMatmul(NodeLowering& n) {
  const Tensor a = centred(n, 0, rowsOf(n.call().shape(0))), b = centred(n, 1, columnsOf(n.call().shape(1)));
  n.give(ops::toIntegers(n.builder(), matrixProduct(n, a, b), n.outputType()));
}

void lowerQuantisedConvolution(NodeLowering& n) {
  const Tensor x = dequantised(n, 0, 0), w = dequantised(n, 3, 0);
  const Tensor y = convolved(n, n.builder(), x, w, convolutionParameters(n.call(), 3));
  if (n.has(8)) { // the bias: integers in the product's scale
    const Tensor bias = n.input(8), scales = n.input(4);
    const ElementType type = x.elementType();
    const Tensor real = ops::map(
        n.builder(), "dequantise", {{CastTo{type}, bias.elementType()}, {BinaryOp::Multiply, type}, {BinaryOp::Multiply, type}},
        {bias, n.input(1).reshape({}), scales.numElements() == 1 ? scales.reshape({}) : scales}, type, bias.shape(),
        partKernel(n, ops::eachElement([](const auto& v) { return v(0) * v(1) * v(2); }, 1)));
    ops::addBias(n.builder(), y, real);
  }
  giveQuantised(n, y);
}

void lowerQuantisedMatmul(NodeLowering& n) {
  const Tensor a = dequantised(n, 0, rowsOf(n.call().shape(0))), b = dequantised(n, 3, columnsOf(n.call().shape(3)));
  giveQuantised(n, matrixProduct(n, a, b));
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

// Straight-through estimator: the gradient treats rounding as the identity.
void quarterCastBack(const GradientCall& c) {
  if (c.wants(0)) c.give(0, c.gradient());
}

// Input `i`, a scale or zero point, as `type`, one for each index of the axis.
std::string alongAxis(const GradientCall& c, std::size_t i, ElementType type) {
  Shape shape(c.call().shape(0).size(), 1);
  if (!shape.empty()) shape[quantisedAxis(c.call())] = numerics::elementCount(c.call().shape(i));
  const std::string value = c.graph().reshape(c.input(i), shape);
  return c.call().elementType(i) == type ? value : c.graph().add("Cast", {value}, attributes({{"to", onnxTypeOf(type)}}));
}
// As torch's fake_quantize: an element within the range of the integers passes on its gradient / scale; an element beyond it gets
// 0. Scales are constants.
void quantiseBack(const GradientCall& c) {
  if (!c.wants(0)) return;
  const ElementType type = quantisedType(c.call(), 2);
  if (numerics::isFloat8(type)) c.fail("its output type is an 8-bit float");
  const bool isSigned = type == ElementType::Int8;
  const Formula f(c);
  const std::string scale = alongAxis(c, 1, c.elementType());
  std::string rounded = f("Round", f("Div", f.x, scale));
  if (c.call().has(2)) rounded = f("Add", rounded, alongAxis(c, 2, c.elementType()));
  const std::string inside =
      f("And", f("GreaterOrEqual", rounded, isSigned ? -128 : 0), f("LessOrEqual", rounded, isSigned ? 127 : 255));
  const std::string dy = c.graph().type(f.dy).type == c.elementType()
                             ? f.dy
                             : c.graph().add("Cast", {f.dy}, attributes({{"to", onnxTypeOf(c.elementType())}}));
  c.give(0, f.where(inside, f("Div", dy, scale), f.number(0)));
}
void dequantiseBack(const GradientCall& c) {
  if (!c.wants(0)) return;
  const ElementType type = c.graph().type(c.gradient()).type;
  c.give(0, c.graph().add("Mul", {c.gradient(), alongAxis(c, 1, type)}));
}

constexpr Operator kQuantisedOperators[] = {
    {"ConvInteger", 10, inferConvolutionInteger, convolutionInteger, lowerIntegerConvolution},
    {"MatMulInteger", 10, inferMatmulInteger, matmulInteger, lowerIntegerMatmul},
    {"DequantizeLinear", 10, inferDequantise, dequantise, lowerDequantise, dequantiseBack},
    {"DynamicQuantizeLinear", 11, inferDynamic, quantiseDynamically, lowerDynamicQuantise},
    {"QLinearConv", 10, inferQuantisedConvolution, quantisedConvolution, lowerQuantisedConvolution},
    {"QLinearMatMul", 10, inferQuantisedMatmul, quantisedMatmul, lowerQuantisedMatmul},
    {"QuantizeLinear", 10, inferQuantise, quantise, lowerQuantise, quantiseBack},
    {"QuarterCast", 1, inferQuarterCast, quarterCast, lowerQuarterCast, quarterCastBack, kPlain, kOwnDomain},
    {"HistoryUpdate", 1, inferHistories, updateHistories, lowerHistories, nullptr, kPlain, kOwnDomain},
    {"QuarterScales", 1, inferQuarterScales, quarterScales, lowerGeneric, nullptr, kPlain, kOwnDomain},
};

} // namespace

std::span<const Operator> quantisedOperators() { return kQuantisedOperators; }

} // namespace simcore::model
