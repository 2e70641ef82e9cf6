#include "simcore/numerics/broadcast_loop.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/kernel_support.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace simcore::numerics {

namespace {

template<class T, class R, class F> HostTensor combined(const HostTensor& a, const HostTensor& b, ElementType type, F f) {
  HostTensor result = HostTensor::uninitialised(type, broadcast(a.shape(), b.shape()));
  if (result.count() == 0) return result;
  const T* left = a.values<T>().data();
  const T* right = b.values<T>().data();
  R* target = result.mutableValues<R>().data();
  const BroadcastLoop<2> loop(result.shape(), {&a.shape(), &b.shape()});
  const std::int64_t n = loop.rowLength(), leftStep = loop.rowSteps()[0], rightStep = loop.rowSteps()[1];
  loop.forEachRow([&](std::int64_t at, const std::array<std::int64_t, 2>& from) {
    const T* l = left + from[0];
    const T* r = right + from[1];
    R* out = target + at;
    if (leftStep && rightStep)
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(l[i], r[i]);
    else if (leftStep) {
      const T y = *r;
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(l[i], y);
    } else if (rightStep) {
      const T x = *l;
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(x, r[i]);
    } else
      std::fill(out, out + n, f(*l, *r));
  });
  return result;
}

// Integers are computed as uint64, whose overflow is defined.
template<class T> T added(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    return x + y;
  else
    return T(std::uint64_t(x) + std::uint64_t(y));
}
template<class T> T subtracted(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    return x - y;
  else
    return T(std::uint64_t(x) - std::uint64_t(y));
}
template<class T> T multiplied(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    return x * y;
  else
    return T(std::uint64_t(x) * std::uint64_t(y));
}
template<class T> T divided(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    return x / y;
  else {
    if (y == T(0)) return T(0);
    if (std::is_signed_v<T> && y == T(-1)) return T(std::uint64_t(0) - std::uint64_t(x));
    return T(x / y);
  }
}
template<class T> T remainder(T x, T y, bool signOfDividend) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(x, y);
    return signOfDividend || rest == T(0) || (rest < T(0)) == (y < T(0)) ? rest : rest + y;
  } else {
    if (y == T(0) || (std::is_signed_v<T> && y == T(-1))) return T(0);
    const T rest = T(x % y);
    return signOfDividend || rest == T(0) || (rest < T(0)) == (y < T(0)) ? rest : T(rest + y);
  }
}
template<class T> T power(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    return y == T(2) ? x * x : std::pow(x, y);
  else {
    const double value = std::pow(double(x), double(y));
    if (!(value > double(std::numeric_limits<T>::min()))) return std::numeric_limits<T>::min();
    return value >= double(std::numeric_limits<T>::max()) ? std::numeric_limits<T>::max() : T(value);
  }
}
// Like numpy: a NaN on either side gives NaN.
template<class T> T smaller(T x, T y) { return x != x ? x : y < x || y != y ? y : x; }
template<class T> T larger(T x, T y) { return x != x ? x : y > x || y != y ? y : x; }

template<class T> HostTensor arithmetic(BinaryKind kind, const HostTensor& a, const HostTensor& b) {
  const ElementType type = a.type();
  switch (kind) {
  case BinaryKind::Add: return combined<T, T>(a, b, type, [](T x, T y) { return added(x, y); });
  case BinaryKind::Sub: return combined<T, T>(a, b, type, [](T x, T y) { return subtracted(x, y); });
  case BinaryKind::Mul: return combined<T, T>(a, b, type, [](T x, T y) { return multiplied(x, y); });
  case BinaryKind::Div: return combined<T, T>(a, b, type, [](T x, T y) { return divided(x, y); });
  case BinaryKind::Min: return combined<T, T>(a, b, type, [](T x, T y) { return smaller(x, y); });
  case BinaryKind::Max: return combined<T, T>(a, b, type, [](T x, T y) { return larger(x, y); });
  case BinaryKind::Mod: return combined<T, T>(a, b, type, [](T x, T y) { return remainder(x, y, false); });
  case BinaryKind::Fmod: return combined<T, T>(a, b, type, [](T x, T y) { return remainder(x, y, true); });
  case BinaryKind::PRelu: return combined<T, T>(a, b, type, [](T x, T y) { return x < T(0) ? multiplied(x, y) : x; });
  default: return combined<T, T>(a, b, type, [](T x, T y) { return power(x, y); });
  }
}

template<class T> HostTensor compared(BinaryKind kind, const HostTensor& a, const HostTensor& b) {
  constexpr auto type = ElementType::Bool;
  switch (kind) {
  case BinaryKind::Equal: return combined<T, bool>(a, b, type, [](T x, T y) { return x == y; });
  case BinaryKind::Less: return combined<T, bool>(a, b, type, [](T x, T y) { return x < y; });
  case BinaryKind::LessOrEqual: return combined<T, bool>(a, b, type, [](T x, T y) { return x <= y; });
  case BinaryKind::Greater: return combined<T, bool>(a, b, type, [](T x, T y) { return x > y; });
  default: return combined<T, bool>(a, b, type, [](T x, T y) { return x >= y; });
  }
}

HostTensor logical(BinaryKind kind, const HostTensor& a, const HostTensor& b) {
  if (a.type() != ElementType::Bool) unsupportedType("a logical operation", a.type());
  constexpr auto type = ElementType::Bool;
  if (kind == BinaryKind::And) return combined<bool, bool>(a, b, type, [](bool x, bool y) { return x && y; });
  if (kind == BinaryKind::Or) return combined<bool, bool>(a, b, type, [](bool x, bool y) { return x || y; });
  return combined<bool, bool>(a, b, type, [](bool x, bool y) { return x != y; });
}

HostTensor shifted(BinaryKind kind, const HostTensor& a, const HostTensor& b) {
  return visitNumeric("a bit shift", a.type(), [&](auto zero) -> HostTensor {
    using T = decltype(zero);
    if constexpr (!std::is_unsigned_v<T>)
      unsupportedType("a bit shift", a.type());
    else {
      constexpr T bits = T(sizeof(T) * 8);
      if (kind == BinaryKind::BitShiftLeft)
        return combined<T, T>(a, b, a.type(), [](T x, T y) { return y >= bits ? T(0) : T(std::uint64_t(x) << y); });
      return combined<T, T>(a, b, a.type(), [](T x, T y) { return y >= bits ? T(0) : T(x >> y); });
    }
  });
}

// Selects elements of one size from two sources, row by row.
template<class T> void selectInto(HostTensor& result, const HostTensor& condition, const HostTensor& a, const HostTensor& b) {
  const bool* chosen = condition.values<bool>().data();
  const T* left = rawAs<T>(a);
  const T* right = rawAs<T>(b);
  T* target = mutableRawAs<T>(result);
  const BroadcastLoop<3> loop(result.shape(), {&condition.shape(), &a.shape(), &b.shape()});
  const auto steps = loop.rowSteps();
  loop.forEachRow([&](std::int64_t at, const std::array<std::int64_t, 3>& from) {
    for (std::int64_t i = 0; i < loop.rowLength(); ++i)
      target[at + i] = chosen[from[0] + i * steps[0]] ? left[from[1] + i * steps[1]] : right[from[2] + i * steps[2]];
  });
}

} // namespace

HostTensor binary(BinaryKind kind, const HostTensor& a, const HostTensor& b) {
  if (kind == BinaryKind::Pow && a.type() != b.type()) {
    // Computes in double, because a fractional exponent must have an effect on an integer base, and converts the result to the
    // type of the base.
    if (isFloating(b.type()) && !isFloating(a.type()))
      return binary(kind, a.cast(ElementType::Double), b.cast(ElementType::Double)).cast(a.type());
    return binary(kind, a, b.cast(a.type()));
  }
  requireSameType(a, b, "an element-wise operation");
  const bool isComparison = kind >= BinaryKind::Equal;
  if (isNarrowFloat(a.type())) {
    const HostTensor wide = binary(kind, a.cast(ElementType::Float), b.cast(ElementType::Float));
    return isComparison ? wide : wide.cast(a.type());
  }
  if (kind >= BinaryKind::And && kind <= BinaryKind::Xor) return logical(kind, a, b);
  if (kind == BinaryKind::BitShiftLeft || kind == BinaryKind::BitShiftRight) return shifted(kind, a, b);
  if (isComparison) {
    if (a.type() == ElementType::Bool) return compared<bool>(kind, a, b);
    return visitNumeric("a comparison", a.type(), [&](auto zero) { return compared<decltype(zero)>(kind, a, b); });
  }
  return visitNumeric("arithmetic", a.type(), [&](auto zero) { return arithmetic<decltype(zero)>(kind, a, b); });
}

HostTensor where(const HostTensor& condition, const HostTensor& a, const HostTensor& b) {
  requireSameType(a, b, "Where");
  if (condition.type() != ElementType::Bool) unsupportedType("the condition of Where", condition.type());
  HostTensor result = HostTensor::uninitialised(a.type(), broadcast(condition.shape(), broadcast(a.shape(), b.shape())));
  visitBySize(a.type(), [&](auto zero) { selectInto<decltype(zero)>(result, condition, a, b); });
  return result;
}

HostTensor clip(const HostTensor& x, const HostTensor* low, const HostTensor* high) {
  if (isNarrowFloat(x.type())) {
    HostTensor wideLow, wideHigh;
    if (low) wideLow = low->cast(ElementType::Float);
    if (high) wideHigh = high->cast(ElementType::Float);
    return clip(x.cast(ElementType::Float), low ? &wideLow : nullptr, high ? &wideHigh : nullptr).cast(x.type());
  }
  for (const HostTensor* limit : {low, high})
    if (limit && (limit->count() != 1 || limit->type() != x.type()))
      failKernel("a limit of Clip must be one " + std::string(elementTypeName(x.type())));
  return visitNumeric("Clip", x.type(), [&](auto zero) {
    using T = decltype(zero);
    using Limits = std::numeric_limits<T>;
    const T from = low ? low->values<T>()[0] : Limits::has_infinity ? T(-Limits::infinity()) : Limits::lowest();
    const T to = high ? high->values<T>()[0] : Limits::has_infinity ? Limits::infinity() : Limits::max();
    HostTensor result = HostTensor::uninitialised(x.type(), x.shape());
    const T* source = x.values<T>().data();
    T* target = result.mutableValues<T>().data();
    // If the lower limit exceeds the upper one, the result is the upper one, as defined by ONNX.
    for (std::int64_t i = 0; i < x.count(); ++i) {
      const T raised = source[i] < from ? from : source[i];
      target[i] = raised > to ? to : raised;
    }
    return result;
  });
}

HostTensor expand(const HostTensor& x, const Shape& shape) {
  HostTensor result = HostTensor::uninitialised(x.type(), shape);
  if (broadcast(x.shape(), shape) != shape)
    failKernel("a tensor of " + toString(x.shape()) + " does not expand to " + toString(shape));
  visitBySize(x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = rawAs<T>(x);
    T* target = mutableRawAs<T>(result);
    const BroadcastLoop<1> loop(shape, {&x.shape()});
    loop.forEachRow([&](std::int64_t at, const std::array<std::int64_t, 1>& from) {
      if (loop.rowSteps()[0])
        std::copy_n(source + from[0], loop.rowLength(), target + at);
      else
        std::fill_n(target + at, loop.rowLength(), source[from[0]]);
    });
  });
  return result;
}

HostTensor scaledAlong(const HostTensor& weights, const std::vector<double>& factor, std::size_t axis) {
  const std::int64_t inner = elementCount(weights.shape(), axis + 1, weights.rank()), outputs = weights.dim(axis);
  const auto factorOf = [&](std::size_t i) { return factor[std::size_t(std::int64_t(i) / inner % outputs)]; };
  if (weights.type() == ElementType::Float) { // the usual case: no copy in double precision
    HostTensor made = weights;
    const std::span<float> values = made.mutableValues<float>();
    for (std::size_t begin = 0; begin < values.size(); begin += std::size_t(inner))
      for (float& value : values.subspan(begin, std::size_t(inner))) value = float(double(value) * factorOf(begin));
    return made;
  }
  std::vector<double> values = weights.toDoubles();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factorOf(i);
  return HostTensor::of(weights.shape(), values).cast(weights.type());
}

} // namespace simcore::numerics
