#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/kernel_support.h"
#include "simcore/numerics/processor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace simcore::numerics {

namespace {

template<class T, class F> HostTensor mapped(const HostTensor& x, F f) {
  HostTensor result = HostTensor::uninitialised(x.type(), x.shape());
  const T* source = x.values<T>().data();
  T* target = result.mutableValues<T>().data();
  const std::int64_t count = x.count();
  for (std::int64_t i = 0; i < count; ++i) target[i] = f(source[i]);
  return result;
}

template<class T> T rectified(T v) { return v > T(0) ? v : v != v ? v : T(0); }

template<class T> T sigmoid(T x) { return T(1) / (T(1) + std::exp(-x)); }
template<class T> T softplus(T x) { return std::max(x, T(0)) + std::log1p(std::exp(-std::abs(x))); }

// Floats: the odd rational function of Eigen and ONNX Runtime (their constants), plus 1/2. Results near 0 and 1 are multiples of
// 2^-25, so close inputs give equal outputs, which networks rely on that find peaks by comparing scores. The function is not
// defined beyond +-18.
constexpr float kLastRational = 18;
[[gnu::always_inline]] inline void rationalSigmoids(const float* x, float* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float v = std::max(-kLastRational, std::min(kLastRational, x[i])), square = v * v;
    float p = 4.37031012579801e-11f * square + 1.15627324459942e-07f;
    p = p * square + 6.08574864600143e-05f;
    p = p * square + 8.51377133304701e-03f;
    p = p * square + 2.48287947061529e-01f;
    float q = 6.10247389755681e-13f * square + 5.76102136993427e-09f;
    q = q * square + 6.29106785017040e-06f;
    q = q * square + 1.70198817374094e-03f;
    q = q * square + 1.16817656904453e-01f;
    q = q * square + 9.93151921023180e-01f;
    y[i] = std::max(0.0f, std::min(1.0f, p * v / q + 0.5f));
  }
}
TILESCOPE_FOR("avx2,fma") void fusedSigmoids(const float* x, float* y, std::int64_t count) { rationalSigmoids(x, y, count); }
void plainSigmoids(const float* x, float* y, std::int64_t count) { rationalSigmoids(x, y, count); }

HostTensor floatSigmoid(const HostTensor& x) {
  HostTensor result = HostTensor::uninitialised(ElementType::Float, x.shape());
  const float* source = x.values<float>().data();
  float* target = result.mutableValues<float>().data();
  (hasFusedMultiplyAdd() ? fusedSigmoids : plainSigmoids)(source, target, x.count());
  for (std::int64_t i = 0; i < x.count(); ++i)
    if (!(std::abs(source[i]) <= kLastRational)) target[i] = sigmoid(source[i]);
  return result;
}

template<class T> HostTensor trigonometric(UnaryKind kind, const HostTensor& x) {
  switch (kind) {
  case UnaryKind::Sin: return mapped<T>(x, [](T v) { return std::sin(v); });
  case UnaryKind::Cos: return mapped<T>(x, [](T v) { return std::cos(v); });
  case UnaryKind::Tan: return mapped<T>(x, [](T v) { return std::tan(v); });
  case UnaryKind::Asin: return mapped<T>(x, [](T v) { return std::asin(v); });
  case UnaryKind::Acos: return mapped<T>(x, [](T v) { return std::acos(v); });
  case UnaryKind::Atan: return mapped<T>(x, [](T v) { return std::atan(v); });
  case UnaryKind::Sinh: return mapped<T>(x, [](T v) { return std::sinh(v); });
  case UnaryKind::Cosh: return mapped<T>(x, [](T v) { return std::cosh(v); });
  case UnaryKind::Tanh: return mapped<T>(x, [](T v) { return std::tanh(v); });
  case UnaryKind::Asinh: return mapped<T>(x, [](T v) { return std::asinh(v); });
  case UnaryKind::Acosh: return mapped<T>(x, [](T v) { return std::acosh(v); });
  default: return mapped<T>(x, [](T v) { return std::atanh(v); });
  }
}

// NaN stays NaN, because std::min and std::max return their first argument if a comparison is false.
template<class T> HostTensor activation(UnaryKind kind, const HostTensor& x, T a, T b) {
  switch (kind) {
  case UnaryKind::Sigmoid:
    if constexpr (std::is_same_v<T, float>)
      return floatSigmoid(x);
    else
      return mapped<T>(x, [](T v) { return sigmoid(v); });
  case UnaryKind::Softplus: return mapped<T>(x, [](T v) { return softplus(v); });
  case UnaryKind::Softsign: return mapped<T>(x, [](T v) { return v / (T(1) + std::abs(v)); });
  case UnaryKind::HardSwish: return mapped<T>(x, [](T v) { return v * std::max(T(0), std::min(T(1), v * T(1.0 / 6) + T(0.5))); });
  case UnaryKind::Mish: return mapped<T>(x, [](T v) { return v * std::tanh(softplus(v)); });
  case UnaryKind::Gelu: return mapped<T>(x, [](T v) { return T(0.5) * v * (T(1) + std::erf(v * T(M_SQRT1_2))); });
  case UnaryKind::GeluTanh:
    return mapped<T>(
        x, [](T v) { return T(0.5) * v * (T(1) + std::tanh(T(M_SQRT2 * M_2_SQRTPI / 2) * (v + T(0.044715) * v * v * v))); });
  case UnaryKind::LeakyRelu: return mapped<T>(x, [a](T v) { return v < T(0) ? a * v : v; });
  case UnaryKind::Elu: return mapped<T>(x, [a](T v) { return v < T(0) ? a * std::expm1(v) : v; });
  case UnaryKind::Celu: return mapped<T>(x, [a](T v) { return std::max(v, T(0)) + std::min(T(0), a * std::expm1(v / a)); });
  case UnaryKind::Selu: return mapped<T>(x, [a, b](T v) { return v > T(0) ? b * v : b * (a * std::exp(v) - a); });
  case UnaryKind::HardSigmoid: return mapped<T>(x, [a, b](T v) { return std::min(std::max(a * v + b, T(0)), T(1)); });
  case UnaryKind::ThresholdedRelu: return mapped<T>(x, [a](T v) { return v > a ? v : T(0); });
  default: return trigonometric<T>(kind, x);
  }
}

template<class T> HostTensor real(UnaryKind kind, const HostTensor& x, double alpha, double beta) {
  switch (kind) {
  case UnaryKind::Exp: return mapped<T>(x, [](T v) { return std::exp(v); });
  case UnaryKind::Log: return mapped<T>(x, [](T v) { return std::log(v); });
  case UnaryKind::Sqrt: return mapped<T>(x, [](T v) { return std::sqrt(v); });
  case UnaryKind::Reciprocal: return mapped<T>(x, [](T v) { return T(1) / v; });
  case UnaryKind::Erf: return mapped<T>(x, [](T v) { return std::erf(v); });
  default: return activation<T>(kind, x, T(alpha), T(beta));
  }
}

template<class T> HostTensor arithmetic(UnaryKind kind, const HostTensor& x) {
  constexpr bool isReal = std::is_floating_point_v<T>;
  switch (kind) {
  case UnaryKind::Abs:
    if constexpr (isReal)
      return mapped<T>(x, [](T v) { return std::abs(v); });
    else
      return mapped<T>(x, [](T v) { return v < T(0) ? T(std::uint64_t(0) - std::uint64_t(v)) : v; });
  case UnaryKind::Neg:
    if constexpr (isReal)
      return mapped<T>(x, [](T v) { return -v; });
    else
      return mapped<T>(x, [](T v) { return T(std::uint64_t(0) - std::uint64_t(v)); });
  case UnaryKind::Sign: return mapped<T>(x, [](T v) { return T(int(v > T(0)) - int(v < T(0))); });
  case UnaryKind::Relu: return mapped<T>(x, [](T v) { return rectified(v); });
  default: break;
  }
  if constexpr (isReal) {
    switch (kind) {
    case UnaryKind::Floor: return mapped<T>(x, [](T v) { return std::floor(v); });
    case UnaryKind::Ceil: return mapped<T>(x, [](T v) { return std::ceil(v); });
    default: return mapped<T>(x, [](T v) { return std::nearbyint(v); });
    }
  }
  return x; // integers are their own floor, ceiling and rounding
}

template<class T> HostTensor shrink(const HostTensor& x, double lambda, double bias) {
  return mapped<T>(x, [=](T v) {
    if (double(v) < -lambda) return T(double(v) + bias);
    if (double(v) > lambda) return T(double(v) - bias);
    return T(0);
  });
}

template<class T, class F> HostTensor tested(const HostTensor& x, F f) {
  HostTensor result = HostTensor::uninitialised(ElementType::Bool, x.shape());
  const T* source = x.values<T>().data();
  bool* target = result.mutableValues<bool>().data();
  for (std::int64_t i = 0; i < x.count(); ++i) target[i] = f(source[i]);
  return result;
}

} // namespace

bool rectify(HostTensor& x) {
  if (x.type() != ElementType::Float) return false;
  for (float& v : x.mutableValues<float>()) v = rectified(v);
  return true;
}

HostTensor unary(UnaryKind kind, const HostTensor& x, double alpha, double beta) {
  if (kind == UnaryKind::Not) {
    if (x.type() != ElementType::Bool) unsupportedType("Not", x.type());
    return tested<bool>(x, [](bool v) { return !v; });
  }
  const bool isTest = kind == UnaryKind::IsNaN || kind == UnaryKind::IsInf;
  if (isNarrowFloat(x.type())) {
    const HostTensor wide = unary(kind, x.cast(ElementType::Float), alpha, beta);
    return isTest ? wide : wide.cast(x.type());
  }
  if (isTest)
    return visitReal("IsNaN or IsInf", x.type(), [&](auto zero) {
      using T = decltype(zero);
      if (kind == UnaryKind::IsNaN) return tested<T>(x, [](T v) { return std::isnan(v); });
      return tested<T>(x, [&](T v) { return std::isinf(v) && ((v < 0 && alpha != 0) || (v > 0 && beta != 0)); });
    });
  if (kind <= UnaryKind::Round || kind == UnaryKind::Relu || kind == UnaryKind::Shrink)
    return visitNumeric("this arithmetic function", x.type(), [&](auto zero) {
      using T = decltype(zero);
      return kind == UnaryKind::Shrink ? shrink<T>(x, alpha, beta) : arithmetic<T>(kind, x);
    });
  return visitReal("this function", x.type(), [&](auto zero) { return real<decltype(zero)>(kind, x, alpha, beta); });
}

namespace {
double activationSlope(UnaryKind kind, double v) {
  switch (kind) {
  case UnaryKind::Relu: return v > 0 ? 1 : 0;
  case UnaryKind::Sigmoid: return v * (1 - v);
  case UnaryKind::Tanh: return 1 - v * v;
  case UnaryKind::Gelu: return 0.5 * (1 + std::erf(v * M_SQRT1_2)) + v * std::exp(-0.5 * v * v) / std::sqrt(2 * M_PI);
  case UnaryKind::GeluTanh: {
    const double c = std::sqrt(2 / M_PI), t = std::tanh(c * (v + 0.044715 * v * v * v));
    return 0.5 * (1 + t) + 0.5 * v * (1 - t * t) * c * (1 + 3 * 0.044715 * v * v);
  }
  default: failKernel("this function has no gradient of its own");
  }
}
} // namespace

HostTensor activationGradient(UnaryKind kind, const HostTensor& gradient, const HostTensor& at) {
  return inRealType(gradient.type(), [&](auto zero) {
    using T = decltype(zero);
    HostTensor result = gradient.cast(ElementTypeOf<T>::kType);
    const HostTensor where = at.cast(result.type());
    const auto v = where.template values<T>();
    const auto d = result.template mutableValues<T>();
    for (std::size_t i = 0; i < d.size(); ++i) d[i] *= T(activationSlope(kind, double(v[i])));
    return result;
  });
}

} // namespace simcore::numerics
