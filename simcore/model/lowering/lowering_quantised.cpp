// Quantised operators: maps around the float product that the matrix unit runs.
#include "simcore/model/lowering/lowering_support.h"
#include "simcore/model/parameters.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/quantise.h"

#include <algorithm>
#include <cmath>

namespace simcore::model {

using codelets::BinaryOp;
using codelets::CastTo;
using codelets::MapStep;
using codelets::ReduceOp;
using codelets::TernaryOp;
using codelets::UnaryOp;
using graph::Tensor;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;

namespace {

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
  return ops::map(n.parts(), "quantise", steps, inputs, to, x.shape(), partKernel(n, [to](const std::vector<HostTensor>& in) {
                    const HostTensor points = in.size() > 2 ? flat(in[2]) : HostTensor(to, {in[0].count()});
                    return numerics::quantise(flat(in[0]), flat(in[1]), points, 0);
                  }));
}

Tensor dequantised(NodeLowering& n, const Tensor& x, const Tensor& scale, const Tensor& zero, std::size_t axis) {
  const ElementType type = scale.elementType();
  const std::vector<MapStep> steps{{CastTo{type}, x.elementType()}, {BinaryOp::Subtract, type}, {BinaryOp::Multiply, type}};
  std::vector<Tensor> inputs{x, alongAxis(scale, x.rank(), axis)};
  if (zero.valid()) inputs.push_back(alongAxis(zero, x.rank(), axis));
  return ops::map(n.parts(), "dequantise", steps, inputs, type, x.shape(), partKernel(n, [](const std::vector<HostTensor>& in) {
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
  const Tensor low = ops::reduce(n.parts(), x, all, ReduceOp::Minimum, false),
               high = ops::reduce(n.parts(), x, all, ReduceOp::Maximum, false);
  const auto scaleOf = [](const std::vector<HostTensor>& in) {
    return (std::max(0.0f, float(in[1].at(0))) - std::min(0.0f, float(in[0].at(0)))) / 255.0f;
  };
  const Tensor scale = ops::map(n.parts(), "scale", {{BinaryOp::Subtract, type}, {BinaryOp::Multiply, type}}, {low, high}, type,
                                {}, partKernel(n, [scaleOf](const std::vector<HostTensor>& in) {
                                  return HostTensor::full(in[0].type(), in[0].shape(), double(scaleOf(in)));
                                }));
  const Tensor zero =
      ops::map(n.parts(), "zeroPoint", {{BinaryOp::Divide, type}, {UnaryOp::Round, type}, {CastTo{ElementType::UInt8}, type}},
               {low, high}, ElementType::UInt8, {}, partKernel(n, [scaleOf](const std::vector<HostTensor>& in) {
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
  return ops::map(
      n.parts(), "centre", steps, inputs, ElementType::Float, x.shape(), partKernel(n, [](const std::vector<HostTensor>& in) {
        const HostTensor value = in[0].cast(ElementType::Float);
        return in.size() < 2 ? value : numerics::binary(numerics::BinaryKind::Sub, value, in[1].cast(ElementType::Float));
      }));
}

void giveIntegers(NodeLowering& n, const Tensor& y) {
  n.give(ops::map(n.parts(), "toIntegers", {{UnaryOp::Round, ElementType::Float}, {CastTo{n.outputType()}, ElementType::Float}},
                  {y}, n.outputType(), y.shape(), partKernel(n, [to = n.outputType()](const std::vector<HostTensor>& in) {
                    return numerics::unary(numerics::UnaryKind::Round, in[0]).cast(to);
                  })));
}

void lowerIntegerConvolution(NodeLowering& n) {
  const ConvolutionParameters c = convolutionParameters(n.call());
  const Tensor x = centred(n, 0, 2, 0), w = centred(n, 1, 3, 0);
  giveIntegers(n, convolved(n, n.parts(), x, w, c));
}

Tensor asMatrix(const Tensor& t, bool row) {
  return t.rank() > 1 ? t : row ? t.reshape({1, t.dim(0)}) : t.reshape({t.dim(0), 1});
}
void lowerIntegerMatmul(NodeLowering& n) {
  const std::size_t rank = n.call().shape(0).size(), rightRank = n.call().shape(1).size();
  const Tensor a = centred(n, 0, 2, rank < 2 ? 0 : rank - 2), b = centred(n, 1, 3, rightRank - 1);
  const Tensor y = ops::matmul(n.parts(), asMatrix(a, true), asMatrix(b, false), {}, planOptions(n));
  giveIntegers(n, y.reshape(n.outputShape()));
}

void lowerQuantisedConvolution(NodeLowering& n) {
  const ConvolutionParameters c = convolutionParameters(n.call(), 3);
  const Tensor x = dequantised(n, n.input(0), n.input(1), optional(n, 2), 0),
               w = dequantised(n, n.input(3), n.input(4), optional(n, 5), 0);
  const Tensor y = convolved(n, n.parts(), x, w, c);
  if (n.has(8)) { // integers of the scale of a product
    const Tensor bias = n.input(8), scales = n.input(4);
    const ElementType type = x.elementType();
    const Tensor real = ops::map(n.parts(), "dequantise",
                                 {{CastTo{type}, bias.elementType()}, {BinaryOp::Multiply, type}, {BinaryOp::Multiply, type}},
                                 {bias, n.input(1).reshape({}), scales.numElements() == 1 ? scales.reshape({}) : scales}, type,
                                 bias.shape(), partKernel(n, [](const std::vector<HostTensor>& in) {
                                   std::vector<double> out;
                                   for (std::int64_t i = 0; i < in[0].count(); ++i)
                                     out.push_back(in[0].at(i) * in[1].at(i) * in[2].at(i));
                                   return HostTensor::of(in[0].shape(), out).cast(in[1].type());
                                 }));
    ops::addBias(n.parts(), y, real);
  }
  n.give(quantised(n, y, n.input(6), n.input(7), 0, n.outputType()));
}

void lowerQuantisedMatmul(NodeLowering& n) {
  const std::size_t rank = n.call().shape(0).size(), rightRank = n.call().shape(3).size();
  const Tensor a = dequantised(n, n.input(0), n.input(1), optional(n, 2), rank < 2 ? 0 : rank - 2),
               b = dequantised(n, n.input(3), n.input(4), optional(n, 5), rightRank - 1);
  const Tensor y = ops::matmul(n.parts(), asMatrix(a, true), asMatrix(b, false), {}, planOptions(n));
  n.give(quantised(n, y.reshape(n.outputShape()), n.input(6), n.input(7), 0, n.outputType()));
}

constexpr LoweringEntry kQuantisedLowerings[] = {
    {"QuantizeLinear", lowerQuantise},
    {"DequantizeLinear", lowerDequantise},
    {"DynamicQuantizeLinear", lowerDynamicQuantise},
    {"ConvInteger", lowerIntegerConvolution},
    {"MatMulInteger", lowerIntegerMatmul},
    {"QLinearConv", lowerQuantisedConvolution},
    {"QLinearMatMul", lowerQuantisedMatmul},
};

} // namespace

std::span<const LoweringEntry> quantisedLowerings() { return kQuantisedLowerings; }

} // namespace simcore::model
