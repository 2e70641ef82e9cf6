#include "simcore/ops/elementwise/elementwise_numbers.h"

#include "reports/core/error.h"
#include "simcore/numerics/elementwise.h"

#include <bit>
#include <cmath>
#include <optional>

namespace simcore::ops {

using codelets::BinaryOp;
using codelets::UnaryOp;
using numerics::BinaryKind;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::UnaryKind;
using reports::Error;
using reports::ErrorCode;

namespace {

// Operations with a host kernel.
std::optional<UnaryKind> unaryKernel(UnaryOp op) {
  switch (op) {
  case UnaryOp::Absolute: return UnaryKind::Abs;
  case UnaryOp::Asin: return UnaryKind::Asin;
  case UnaryOp::Ceil: return UnaryKind::Ceil;
  case UnaryOp::Cos: return UnaryKind::Cos;
  case UnaryOp::Erf: return UnaryKind::Erf;
  case UnaryOp::Exp: return UnaryKind::Exp;
  case UnaryOp::Floor: return UnaryKind::Floor;
  case UnaryOp::GeluErf: return UnaryKind::Gelu;
  case UnaryOp::Inverse: return UnaryKind::Reciprocal;
  case UnaryOp::IsNan: return UnaryKind::IsNaN;
  case UnaryOp::Log: return UnaryKind::Log;
  case UnaryOp::LogicalNot: return UnaryKind::Not;
  case UnaryOp::Negate: return UnaryKind::Neg;
  case UnaryOp::Relu: return UnaryKind::Relu;
  case UnaryOp::Round: return UnaryKind::Round;
  case UnaryOp::Sigmoid: return UnaryKind::Sigmoid;
  case UnaryOp::Signum: return UnaryKind::Sign;
  case UnaryOp::Sin: return UnaryKind::Sin;
  case UnaryOp::Sqrt: return UnaryKind::Sqrt;
  case UnaryOp::Tan: return UnaryKind::Tan;
  case UnaryOp::Tanh: return UnaryKind::Tanh;
  default: return std::nullopt;
  }
}

std::optional<BinaryKind> binaryKernel(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add: return BinaryKind::Add;
  case BinaryOp::Divide: return BinaryKind::Div;
  case BinaryOp::Equal: return BinaryKind::Equal;
  case BinaryOp::Greater: return BinaryKind::Greater;
  case BinaryOp::GreaterEqual: return BinaryKind::GreaterOrEqual;
  case BinaryOp::Less: return BinaryKind::Less;
  case BinaryOp::LessEqual: return BinaryKind::LessOrEqual;
  case BinaryOp::LogicalAnd: return BinaryKind::And;
  case BinaryOp::LogicalOr: return BinaryKind::Or;
  case BinaryOp::Maximum: return BinaryKind::Max;
  case BinaryOp::Minimum: return BinaryKind::Min;
  case BinaryOp::Multiply: return BinaryKind::Mul;
  case BinaryOp::Power: return BinaryKind::Pow;
  case BinaryOp::Remainder: return BinaryKind::Fmod; // sign of the dividend, as in C
  case BinaryOp::Subtract: return BinaryKind::Sub;
  default: return std::nullopt;
  }
}

template<class F> HostTensor eachFloat(const HostTensor& x, F f) {
  HostTensor out = x.cast(ElementType::Float);
  for (float& v : out.mutableValues<float>()) v = float(f(v));
  return out.cast(x.type());
}

HostTensor isFinite(const HostTensor& x) {
  HostTensor out = HostTensor::uninitialised(ElementType::Bool, x.shape());
  const HostTensor floats = x.cast(ElementType::Float);
  const auto from = floats.values<float>();
  const auto to = out.mutableValues<bool>();
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = std::isfinite(from[i]);
  return out;
}

// Both operands, broadcast to a common shape.
std::pair<HostTensor, HostTensor> together(const HostTensor& a, const HostTensor& b) {
  const numerics::Shape shape = numerics::broadcast(a.shape(), b.shape());
  return {a.shape() == shape ? a : numerics::expand(a, shape), b.shape() == shape ? b : numerics::expand(b, shape)};
}

template<class F> HostTensor eachPairOfFloats(const HostTensor& a, const HostTensor& b, F f) {
  const auto [x, y] = together(a.cast(ElementType::Float), b.cast(ElementType::Float));
  HostTensor out = HostTensor::uninitialised(ElementType::Float, x.shape());
  const auto left = x.values<float>(), right = y.values<float>();
  const auto to = out.mutableValues<float>();
  for (std::size_t i = 0; i < left.size(); ++i) to[i] = f(left[i], right[i]);
  return out.cast(a.type());
}

// Calls f for each pair of words of the machine. A narrower result is truncated, as when an integer is stored.
template<class F> HostTensor eachPairOfWords(const HostTensor& a, const HostTensor& b, const char* name, F f) {
  if (numerics::isFloating(a.type()))
    throw Error(ErrorCode::InvalidInput,
                std::string("the operation works on bits, the operands are ") + numerics::elementTypeName(a.type()), name,
                "cast them to integers");
  const auto [x, y] = together(a, b);
  std::vector<int64_t> words = x.toIntegers(), right = y.toIntegers();
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = f(words[i], right[i]);
  const bool isSigned = a.type() == ElementType::Int32;
  if (isSigned)
    for (int64_t& w : words) w = int32_t(uint32_t(w));
  return HostTensor::of(x.shape(), words).cast(a.type());
}

// A shift beyond the width of a word gives zero.
uint32_t shifted(uint32_t word, int64_t by, bool left) {
  if (by < 0 || by > 31) return 0;
  return left ? word << by : word >> by;
}

} // namespace

bool isTest(UnaryOp op) { return op == UnaryOp::IsFinite || op == UnaryOp::IsInf || op == UnaryOp::IsNan; }

HostTensor unaryNumbers(UnaryOp op, const HostTensor& x) {
  if (const auto kind = unaryKernel(op)) return numerics::unary(*kind, x);
  switch (op) {
  case UnaryOp::BitwiseNot: return eachPairOfWords(x, x, "BITWISE_NOT", [](int64_t v, int64_t) { return int64_t(uint32_t(~v)); });
  case UnaryOp::CountLeadingZeros:
    return eachPairOfWords(x, x, "COUNT_LEADING_ZEROS",
                           [](int64_t v, int64_t) { return int64_t(std::countl_zero(uint32_t(v))); });
  case UnaryOp::Popcount:
    return eachPairOfWords(x, x, "POPCOUNT", [](int64_t v, int64_t) { return int64_t(std::popcount(uint32_t(v))); });
  case UnaryOp::Cbrt: return eachFloat(x, [](float v) { return std::cbrt(v); });
  case UnaryOp::Expm1: return eachFloat(x, [](float v) { return std::expm1(v); });
  case UnaryOp::Log1p: return eachFloat(x, [](float v) { return std::log1p(v); });
  case UnaryOp::Trunc: return eachFloat(x, [](float v) { return std::trunc(v); });
  case UnaryOp::Rsqrt: return numerics::unary(UnaryKind::Reciprocal, numerics::unary(UnaryKind::Sqrt, x));
  case UnaryOp::Square: return numerics::binary(BinaryKind::Mul, x, x);
  case UnaryOp::IsFinite: return isFinite(x);
  case UnaryOp::IsInf: return numerics::unary(UnaryKind::IsInf, x, 1, 1);
  default: throw Error(ErrorCode::Internal, "a unary operation without numbers", codelets::unaryOpName(op));
  }
}

HostTensor binaryNumbers(BinaryOp op, const HostTensor& a, const HostTensor& b) {
  if (const auto kind = binaryKernel(op)) return numerics::binary(*kind, a, b);
  const char* name = codelets::binaryOpName(op);
  switch (op) {
  case BinaryOp::NotEqual: return numerics::unary(UnaryKind::Not, numerics::binary(BinaryKind::Equal, a, b));
  case BinaryOp::Atan2: return eachPairOfFloats(a, b, [](float y, float x) { return std::atan2(y, x); });
  case BinaryOp::InvStdDevToVariance: return eachPairOfFloats(a, b, [](float x, float e) { return 1.0f / (x * x) - e; });
  case BinaryOp::VarianceToInvStdDev: return eachPairOfFloats(a, b, [](float x, float e) { return 1.0f / std::sqrt(x + e); });
  case BinaryOp::BitwiseAnd: return eachPairOfWords(a, b, name, [](int64_t x, int64_t y) { return x & y; });
  case BinaryOp::BitwiseOr: return eachPairOfWords(a, b, name, [](int64_t x, int64_t y) { return x | y; });
  case BinaryOp::BitwiseXor: return eachPairOfWords(a, b, name, [](int64_t x, int64_t y) { return x ^ y; });
  case BinaryOp::ShiftLeft:
    return eachPairOfWords(a, b, name, [](int64_t x, int64_t y) { return int64_t(shifted(uint32_t(x), y, true)); });
  case BinaryOp::ShiftRight:
    return eachPairOfWords(a, b, name, [](int64_t x, int64_t y) { return int64_t(shifted(uint32_t(x), y, false)); });
  default: throw Error(ErrorCode::Internal, "a binary operation without numbers", name);
  }
}

} // namespace simcore::ops
