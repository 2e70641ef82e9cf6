#include "simcore/ops/network/quantise.h"

#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/quantise.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/reduce/reduce.h"

#include <algorithm>
#include <cmath>

namespace simcore::ops {

using codelets::BinaryOp;
using codelets::CastTo;
using codelets::MapStep;
using codelets::ReduceOp;
using codelets::UnaryOp;
using numerics::HostTensor;

namespace {

// A tensor with one value per index of `axis`, shaped to broadcast to a tensor of this rank; a single value becomes a scalar.
Tensor alongAxis(const Tensor& t, std::size_t rank, std::size_t axis) {
  if (t.numElements() == 1) return t.reshape({});
  Shape shape(rank, 1);
  shape[axis] = t.numElements();
  return t.reshape(shape);
}

// Flattens a tensor; the kernels below have a scale (and zero point) for every element.
HostTensor flat(const HostTensor& t) { return t.reshaped({t.count()}); }

// x and those of its parameters that are valid.
std::vector<Tensor> operandsOf(const Tensor& x, const Tensor& scale, const Tensor& zeroPoint, std::size_t axis) {
  std::vector<Tensor> operands{x};
  for (const Tensor& parameter : {scale, zeroPoint})
    if (parameter.valid()) operands.push_back(alongAxis(parameter, x.rank(), axis));
  return operands;
}

} // namespace

Tensor quantise(const OpBuilder& b, const Tensor& x, const Tensor& scale, const Tensor& zero, std::size_t axis, ElementType to,
                std::optional<ElementType> rounded) {
  const ElementType from = x.elementType();
  const ElementType format = rounded.value_or(to);
  const bool isFloat8 = numerics::isFloat8(format); // its cast rounds and saturates, and its zero point is 0
  const std::vector<MapStep> steps =
      isFloat8 ? mapSteps(from, {BinaryOp::Divide, CastTo{to}})
               : mapSteps(from, {BinaryOp::Divide, UnaryOp::Round, BinaryOp::Add, codelets::TernaryOp::Clamp, CastTo{to}});
  return map(b, "quantise", steps, operandsOf(x, scale, isFloat8 ? Tensor() : zero, axis), to, x.shape(),
             partKernel(b, [format](const std::vector<HostTensor>& in) {
               const HostTensor points = in.size() > 2 ? flat(in[2]) : HostTensor(format, {in[0].count()});
               return numerics::quantise(flat(in[0]), flat(in[1]), points, 0);
             }));
}

Tensor dequantise(const OpBuilder& b, const Tensor& x, const Tensor& scale, const Tensor& zero, std::size_t axis) {
  const ElementType type = scale.elementType();
  const bool isFloat = numerics::isFloating(x.elementType()); // the zero point of floats is 0
  std::vector<MapStep> steps{{CastTo{type}, x.elementType()}, {BinaryOp::Subtract, type}, {BinaryOp::Multiply, type}};
  if (isFloat) steps.erase(steps.begin() + 1);
  return map(b, "dequantise", steps, operandsOf(x, scale, isFloat ? Tensor() : zero, axis), type, x.shape(),
             partKernel(b, [](const std::vector<HostTensor>& in) {
               const HostTensor points = in.size() > 2 ? flat(in[2]) : HostTensor();
               return numerics::dequantise(flat(in[0]), flat(in[1]), in.size() > 2 ? &points : nullptr, 0);
             }));
}

Tensor centred(const OpBuilder& b, const Tensor& x, const Tensor& zero, std::size_t axis) {
  std::vector<MapStep> steps{{CastTo{ElementType::Float}, x.elementType()}};
  if (zero.valid()) steps.push_back({BinaryOp::Subtract, ElementType::Float});
  return map(b, "centre", steps, operandsOf(x, {}, zero, axis), ElementType::Float, x.shape(),
             partKernel(b, [](const std::vector<HostTensor>& in) {
               const HostTensor value = in[0].cast(ElementType::Float);
               if (in.size() < 2) return value;
               return numerics::binary(numerics::BinaryKind::Sub, value, in[1].cast(ElementType::Float));
             }));
}

Tensor toIntegers(const OpBuilder& b, const Tensor& x, ElementType to) {
  return map(b, "toIntegers", mapSteps(ElementType::Float, {UnaryOp::Round, CastTo{to}}), {x}, to, x.shape(),
             partKernel(b, [to](const std::vector<HostTensor>& in) {
               return numerics::unary(numerics::UnaryKind::Round, in[0]).cast(to);
             }));
}

QuantisedTensor quantiseDynamically(const OpBuilder& b, const Tensor& x) {
  const ElementType type = x.elementType();
  std::vector<std::size_t> all(x.rank());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const Tensor low = reduce(b, x, all, ReduceOp::Minimum, false), high = reduce(b, x, all, ReduceOp::Maximum, false);
  const auto scaleOf = [](const std::vector<HostTensor>& in) {
    return (std::max(0.0f, float(in[1].at(0))) - std::min(0.0f, float(in[0].at(0)))) / 255.0f;
  };
  const Tensor scale = map(b, "scale", mapSteps(type, {BinaryOp::Subtract, BinaryOp::Multiply}), {low, high}, type, {},
                           partKernel(b, [scaleOf](const std::vector<HostTensor>& in) {
                             return HostTensor::full(in[0].type(), in[0].shape(), double(scaleOf(in)));
                           }));
  const Tensor zero = map(b, "zeroPoint", mapSteps(type, {BinaryOp::Divide, UnaryOp::Round, CastTo{ElementType::UInt8}}),
                          {low, high}, ElementType::UInt8, {}, partKernel(b, [scaleOf](const std::vector<HostTensor>& in) {
                            const float factor = scaleOf(in), least = std::min(0.0f, float(in[0].at(0)));
                            const double point =
                                factor == 0 ? 0 : std::clamp(std::nearbyint(double(-least / factor)), 0.0, 255.0);
                            return HostTensor::full(ElementType::UInt8, in[0].shape(), point);
                          }));
  return {quantise(b, x, scale, zero, 0, ElementType::UInt8), scale, zero};
}

} // namespace simcore::ops
