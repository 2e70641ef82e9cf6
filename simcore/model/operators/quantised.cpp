// Quantisation, and products and convolutions of integers.
#include "simcore/model/operators/convolution.h"
#include "simcore/numerics/convolution.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/matmul.h"
#include "simcore/numerics/quantise.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace simcore::model {

using codelets::CastTo;
using codelets::TernaryOp;

namespace {

// ---- types and numbers -----------------------------------------------------------------------------------------------------

// Input `i` of the node, a scale or zero point, is one value or one for each index of `axis` of a tensor of this shape.
void requireAlong(const Call& call, std::size_t i, const Shape& shape, std::size_t axis) {
  if (!call.has(i)) return;
  const std::int64_t count = numerics::elementCount(call.shape(i));
  if (count != 1 && (axis >= shape.size() || count != shape[axis]))
    refuseNode("input " + std::to_string(i) + " of " + call.node().opType + " has the shape " +
               numerics::toString(call.shape(i)) + ", which does not fit " + numerics::toString(shape));
}
// Input `i` is the zero point of a tensor that is quantised.
ElementType quantisedType(const Call& call, std::size_t i) {
  if (!call.has(i)) return ElementType::UInt8;
  const ElementType type = call.elementType(i);
  if (type != ElementType::Int8 && type != ElementType::UInt8)
    throw Error(ErrorCode::Unsupported,
                std::string("quantisation is not supported for elements of type ") + numerics::elementTypeName(type));
  return type;
}

// The same with 8-bit values and zero points, in 32-bit integers.
HostTensor withoutZeroPoint(const Call& call, std::size_t input, std::size_t zeroPoint, std::size_t channelAxis) {
  const HostTensor wide = call.value(input).cast(ElementType::Int32);
  if (!call.has(zeroPoint)) return wide;
  HostTensor zero = call.value(zeroPoint).cast(ElementType::Int32);
  if (zero.count() > 1) {
    Shape shape(wide.rank(), 1);
    shape[channelAxis] = zero.count();
    zero = zero.reshaped(shape);
  } else {
    zero = zero.reshaped({});
  }
  return numerics::binary(BinaryKind::Sub, wide, zero);
}
// Sums of products in integers go through the float kernels, which are far faster: over so few products at once that every sum
// stays below 2^24, up to where float counts exactly.
std::int64_t exactProducts(const HostTensor& a, const HostTensor& b) {
  const auto largest = [](const HostTensor& t) {
    std::int64_t most = 1;
    for (const std::int32_t v : t.values<std::int32_t>()) most = std::max(most, std::abs(std::int64_t(v)));
    return most;
  };
  return (std::int64_t(1) << 24) / (largest(a) * largest(b));
}
// `perIndex` products belong to one index of the dimension that is summed over.
template<class Product>
HostTensor integerProduct(const HostTensor& a, std::size_t axisA, const HostTensor& b, std::size_t axisB, std::int64_t perIndex,
                          Product product) {
  const std::int64_t dim = a.dim(axisA), step = exactProducts(a, b) / perIndex;
  if (step == 0 || dim == 0) return product(a, b);
  HostTensor sum;
  for (std::int64_t at = 0; at < dim; at += step) {
    const std::int64_t count = std::min(step, dim - at);
    const HostTensor left = numerics::slice(a, axisA, at, count).cast(ElementType::Float);
    const HostTensor right = numerics::slice(b, axisB, at, count).cast(ElementType::Float);
    const HostTensor part = product(left, right).cast(ElementType::Int32);
    sum = at == 0 ? part : numerics::binary(BinaryKind::Add, sum, part);
  }
  return sum;
}

// The dimension of rows, or of columns, that zero points of a product's operand are for.
std::size_t rowsOf(const Shape& shape) { return shape.size() < 2 ? 0 : shape.size() - 2; }
std::size_t columnsOf(const Shape& shape) { return shape.empty() ? 0 : shape.size() - 1; }

Types inferMatmulInteger(const Call& call) {
  requireAlong(call, 2, call.shape(0), rowsOf(call.shape(0)));
  requireAlong(call, 3, call.shape(1), columnsOf(call.shape(1)));
  return {{ElementType::Int32, numerics::matmulShape(call.shape(0), call.shape(1))}};
}
Tensors matmulInteger(const Call& call) {
  const std::size_t rank = call.shape(0).size(), rightRank = call.shape(1).size();
  const HostTensor a = withoutZeroPoint(call, 0, 2, rowsOf(call.shape(0))),
                   b = withoutZeroPoint(call, 1, 3, columnsOf(call.shape(1)));
  return {integerProduct(a, rank - 1, b, rightRank < 2 ? 0 : rightRank - 2, 1,
                         [](const HostTensor& x, const HostTensor& y) { return numerics::matmul(x, y); })};
}
Types inferConvolutionInteger(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  requireAlong(call, 2, call.shape(0), 1);
  requireAlong(call, 3, call.shape(1), 0);
  return {{ElementType::Int32, numerics::convolutionShape(call.shape(0), call.shape(1), p.window, p.groups)}};
}
Tensors convolutionInteger(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  const HostTensor x = withoutZeroPoint(call, 0, 2, 1), w = withoutZeroPoint(call, 1, 3, 0);
  const auto product = [&](const HostTensor& a, const HostTensor& b) {
    return numerics::convolution(a, b, nullptr, p.window, p.groups);
  };
  if (p.groups > 1) { // groups stay together; they mostly sum over few channels
    if (numerics::elementCount(w.shape(), 1, w.rank()) > exactProducts(x, w)) return {product(x, w)};
    return {product(x.cast(ElementType::Float), w.cast(ElementType::Float)).cast(ElementType::Int32)};
  }
  return {integerProduct(x, 1, w, 1, numerics::elementCount(p.window.kernel), product)};
}

// The axis matters only where there is one scale per index of it.
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

// One value per index of `axis`, as it broadcasts to a tensor of this rank; single values as scalars.
Tensor alongAxis(const Tensor& t, std::size_t rank, std::size_t axis) {
  if (t.numElements() == 1) return t.reshape({});
  Shape shape(rank, 1);
  shape[axis] = t.numElements();
  return t.reshape(shape);
}

// Everything flattened, with a scale (and zero point) for every element.
HostTensor flat(const HostTensor& t) { return t.reshaped({t.count()}); }

Tensor quantised(NodeLowering& n, const Tensor& x, const Tensor& scale, const Tensor& zero, std::size_t axis, ElementType to) {
  const ElementType from = x.elementType();
  const std::vector<MapStep> steps{
      {BinaryOp::Divide, from}, {UnaryOp::Round, from}, {BinaryOp::Add, from}, {TernaryOp::Clamp, from}, {CastTo{to}, from}};
  std::vector<Tensor> inputs{x, alongAxis(scale, x.rank(), axis)};
  if (zero.valid()) inputs.push_back(alongAxis(zero, x.rank(), axis));
  return ops::map(n.builder(), "quantise", steps, inputs, to, x.shape(), partKernel(n, [to](const Tensors& in) {
                    const HostTensor points = in.size() > 2 ? flat(in[2]) : HostTensor(to, {in[0].count()});
                    return numerics::quantise(flat(in[0]), flat(in[1]), points, 0);
                  }));
}

Tensor dequantised(NodeLowering& n, const Tensor& x, const Tensor& scale, const Tensor& zero, std::size_t axis) {
  const ElementType type = scale.elementType();
  const std::vector<MapStep> steps{{CastTo{type}, x.elementType()}, {BinaryOp::Subtract, type}, {BinaryOp::Multiply, type}};
  std::vector<Tensor> inputs{x, alongAxis(scale, x.rank(), axis)};
  if (zero.valid()) inputs.push_back(alongAxis(zero, x.rank(), axis));
  return ops::map(n.builder(), "dequantise", steps, inputs, type, x.shape(), partKernel(n, [](const Tensors& in) {
                    const HostTensor points = in.size() > 2 ? flat(in[2]) : HostTensor();
                    return numerics::dequantise(flat(in[0]), flat(in[1]), in.size() > 2 ? &points : nullptr, 0);
                  }));
}

std::size_t axisOfScale(NodeLowering& n) {
  return numerics::elementCount(n.call().shape(1)) == 1 ? 0 : axisOf(n.call(), 1, n.call().shape(0).size());
}
Tensor optional(NodeLowering& n, std::size_t i) { return n.has(i) ? n.input(i) : Tensor(); }

void lowerQuantise(NodeLowering& n) {
  n.give(quantised(n, n.input(0), n.input(1), optional(n, 2), axisOfScale(n), n.outputType()));
}
void lowerDequantise(NodeLowering& n) { n.give(dequantised(n, n.input(0), n.input(1), optional(n, 2), axisOfScale(n))); }

// The range of x by two reductions, then scale and zero point, then the map.
void lowerDynamicQuantise(NodeLowering& n) {
  const Tensor x = n.input(0);
  const ElementType type = x.elementType();
  std::vector<std::size_t> all(x.rank());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const Tensor low = ops::reduce(n.builder(), x, all, ReduceOp::Minimum, false),
               high = ops::reduce(n.builder(), x, all, ReduceOp::Maximum, false);
  const auto scaleOf = [](const Tensors& in) {
    return (std::max(0.0f, float(in[1].at(0))) - std::min(0.0f, float(in[0].at(0)))) / 255.0f;
  };
  const Tensor scale = ops::map(
      n.builder(), "scale", {{BinaryOp::Subtract, type}, {BinaryOp::Multiply, type}}, {low, high}, type, {},
      partKernel(n, [scaleOf](const Tensors& in) { return HostTensor::full(in[0].type(), in[0].shape(), double(scaleOf(in))); }));
  const Tensor zero =
      ops::map(n.builder(), "zeroPoint", {{BinaryOp::Divide, type}, {UnaryOp::Round, type}, {CastTo{ElementType::UInt8}, type}},
               {low, high}, ElementType::UInt8, {}, partKernel(n, [scaleOf](const Tensors& in) {
                 const float factor = scaleOf(in), least = std::min(0.0f, float(in[0].at(0)));
                 const double point = factor == 0 ? 0 : std::clamp(std::nearbyint(double(-least / factor)), 0.0, 255.0);
                 return HostTensor::full(ElementType::UInt8, in[0].shape(), point);
               }));
  n.give(quantised(n, x, scale, zero, 0, ElementType::UInt8), 0);
  if (n.call().wantsOutput(1)) n.give(scale, 1);
  if (n.call().wantsOutput(2)) n.give(zero, 2);
}

// Integers as floats less their zero point; sums of products of 8-bit integers are exact in float up to 2^24.
Tensor centred(NodeLowering& n, std::size_t i, std::size_t zeroPoint, std::size_t axis) {
  const Tensor x = n.input(i);
  std::vector<Tensor> inputs{x};
  std::vector<MapStep> steps{{CastTo{ElementType::Float}, x.elementType()}};
  if (n.has(zeroPoint)) {
    inputs.push_back(alongAxis(n.input(zeroPoint), x.rank(), axis));
    steps.push_back({BinaryOp::Subtract, ElementType::Float});
  }
  return ops::map(n.builder(), "centre", steps, inputs, ElementType::Float, x.shape(), partKernel(n, [](const Tensors& in) {
                    const HostTensor value = in[0].cast(ElementType::Float);
                    return in.size() < 2 ? value : numerics::binary(BinaryKind::Sub, value, in[1].cast(ElementType::Float));
                  }));
}

void giveIntegers(NodeLowering& n, const Tensor& y) {
  n.give(ops::map(n.builder(), "toIntegers", {{UnaryOp::Round, ElementType::Float}, {CastTo{n.outputType()}, ElementType::Float}},
                  {y}, n.outputType(), y.shape(), partKernel(n, [to = n.outputType()](const Tensors& in) {
                    return numerics::unary(UnaryKind::Round, in[0]).cast(to);
                  })));
}

void lowerIntegerConvolution(NodeLowering& n) {
  const ConvolutionParameters c = convolutionParameters(n.call());
  const Tensor x = centred(n, 0, 2, 0), w = centred(n, 1, 3, 0);
  giveIntegers(n, convolved(n, n.builder(), x, w, c));
}

Tensor asMatrix(const Tensor& t, bool row) {
  return t.rank() > 1 ? t : row ? t.reshape({1, t.dim(0)}) : t.reshape({t.dim(0), 1});
}
void lowerIntegerMatmul(NodeLowering& n) {
  const std::size_t rank = n.call().shape(0).size(), rightRank = n.call().shape(1).size();
  const Tensor a = centred(n, 0, 2, rank < 2 ? 0 : rank - 2), b = centred(n, 1, 3, rightRank - 1);
  const Tensor y = ops::matmul(n.builder(), asMatrix(a, true), asMatrix(b, false), {}, planOptions(n));
  giveIntegers(n, y.reshape(n.outputShape()));
}

void lowerQuantisedConvolution(NodeLowering& n) {
  const ConvolutionParameters c = convolutionParameters(n.call(), 3);
  const Tensor x = dequantised(n, n.input(0), n.input(1), optional(n, 2), 0),
               w = dequantised(n, n.input(3), n.input(4), optional(n, 5), 0);
  const Tensor y = convolved(n, n.builder(), x, w, c);
  if (n.has(8)) { // integers of the scale of a product
    const Tensor bias = n.input(8), scales = n.input(4);
    const ElementType type = x.elementType();
    const Tensor real = ops::map(n.builder(), "dequantise",
                                 {{CastTo{type}, bias.elementType()}, {BinaryOp::Multiply, type}, {BinaryOp::Multiply, type}},
                                 {bias, n.input(1).reshape({}), scales.numElements() == 1 ? scales.reshape({}) : scales}, type,
                                 bias.shape(), partKernel(n, [](const Tensors& in) {
                                   std::vector<double> out;
                                   for (std::int64_t i = 0; i < in[0].count(); ++i)
                                     out.push_back(in[0].at(i) * in[1].at(i) * in[2].at(i));
                                   return HostTensor::of(in[0].shape(), out).cast(in[1].type());
                                 }));
    ops::addBias(n.builder(), y, real);
  }
  n.give(quantised(n, y, n.input(6), n.input(7), 0, n.outputType()));
}

void lowerQuantisedMatmul(NodeLowering& n) {
  const std::size_t rank = n.call().shape(0).size(), rightRank = n.call().shape(3).size();
  const Tensor a = dequantised(n, n.input(0), n.input(1), optional(n, 2), rank < 2 ? 0 : rank - 2),
               b = dequantised(n, n.input(3), n.input(4), optional(n, 5), rightRank - 1);
  const Tensor y = ops::matmul(n.builder(), asMatrix(a, true), asMatrix(b, false), {}, planOptions(n));
  n.give(quantised(n, y.reshape(n.outputShape()), n.input(6), n.input(7), 0, n.outputType()));
}

constexpr Operator kQuantisedOperators[] = {
    {"ConvInteger", 10, inferConvolutionInteger, convolutionInteger, lowerIntegerConvolution},
    {"MatMulInteger", 10, inferMatmulInteger, matmulInteger, lowerIntegerMatmul},
    {"DequantizeLinear", 10, inferDequantise, dequantise, lowerDequantise},
    {"DynamicQuantizeLinear", 11, inferDynamic, quantiseDynamically, lowerDynamicQuantise},
    {"QLinearConv", 10, inferQuantisedConvolution, quantisedConvolution, lowerQuantisedConvolution},
    {"QLinearMatMul", 10, inferQuantisedMatmul, quantisedMatmul, lowerQuantisedMatmul},
    {"QuantizeLinear", 10, inferQuantise, quantise, lowerQuantise},
};

} // namespace

std::span<const Operator> quantisedOperators() { return kQuantisedOperators; }

} // namespace simcore::model
