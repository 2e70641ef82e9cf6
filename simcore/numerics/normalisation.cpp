#include "simcore/numerics/normalisation.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/kernel_support.h"
#include "simcore/numerics/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace simcore::numerics {

namespace {

void requireChannels(const HostTensor& x, const HostTensor& parameter, const char* what) {
  if (x.rank() < 2) failKernel("a normalisation over channels needs rank 2 or more, not " + toString(x.shape()));
  if (parameter.count() != x.dim(1))
    failKernel(std::string(what) + " of a normalisation should have " + std::to_string(x.dim(1)) + " elements, not " +
               toString(parameter.shape()));
}

template<class T> struct Statistics { T mean, variance; };
// Two passes: the mean first, so that large offsets do not cancel the variance.
template<class T> Statistics<T> statistics(const T* x, std::int64_t n) {
  constexpr std::int64_t kLanes = 16;
  const auto total = [&](auto map) {
    T lanes[kLanes] = {};
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
      for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += map(x[i + lane]);
    for (std::int64_t lane = 0; i < n; ++i, ++lane) lanes[lane] += map(x[i]);
    T sum = 0;
    for (const T lane : lanes) sum += lane;
    return sum;
  };
  const T mean = total([](T v) { return v; }) / T(n);
  return {mean, total([mean](T v) { return (v - mean) * (v - mean); }) / T(n)};
}

// Scales and shifts x per channel.
template<class T>
void scaleChannels(const HostTensor& x, const std::vector<T>& scale, const std::vector<T>& shift, HostTensor& result) {
  const std::int64_t size = elementCount(x.shape(), 2, x.rank()), channels = x.dim(1);
  const T* source = x.values<T>().data();
  T* target = result.mutableValues<T>().data();
  for (std::int64_t plane = 0; plane < x.dim(0) * channels; ++plane, source += size, target += size) {
    const T factor = scale[std::size_t(plane % channels)], offset = shift[std::size_t(plane % channels)];
    for (std::int64_t i = 0; i < size; ++i) target[i] = source[i] * factor + offset;
  }
}

} // namespace

HostTensor batchNorm(const HostTensor& x, const HostTensor& scale, const HostTensor& bias, const HostTensor& mean,
                     const HostTensor& variance, double epsilon) {
  if (x.rank() == 1) return batchNorm(x.reshaped({x.dim(0), 1}), scale, bias, mean, variance, epsilon).reshaped(x.shape());
  requireChannels(x, scale, "the scale");
  requireChannels(x, bias, "the bias");
  requireChannels(x, mean, "the mean");
  requireChannels(x, variance, "the variance");
  if (isNarrowFloat(x.type())) return batchNorm(x.cast(ElementType::Float), scale, bias, mean, variance, epsilon).cast(x.type());
  HostTensor result = HostTensor::uninitialised(x.type(), x.shape());
  visitReal("BatchNormalization", x.type(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> factor, shift;
    for (std::int64_t c = 0; c < x.dim(1); ++c) {
      const double f = scale.at(c) / std::sqrt(variance.at(c) + epsilon);
      factor.push_back(T(f));
      shift.push_back(T(bias.at(c) - mean.at(c) * f));
    }
    scaleChannels(x, factor, shift, result);
  });
  return result;
}

Moments channelMoments(const HostTensor& x) {
  if (x.rank() < 2) failKernel("channel statistics need rank 2 or more");
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < x.rank(); ++i)
    if (i != 1) axes.push_back(i);
  const HostTensor mean = reduce(ReduceKind::Mean, x, axes, true);
  const HostTensor centred = binary(BinaryKind::Sub, x, mean);
  const HostTensor variance = reduce(ReduceKind::Mean, binary(BinaryKind::Mul, centred, centred), axes, false);
  return {mean.reshaped({x.dim(1)}), variance};
}

BatchNormGradients batchNormGradient(const HostTensor& d, const HostTensor& x, const HostTensor& mean, const HostTensor& inverse,
                                     const HostTensor& factor) {
  if (isNarrowFloat(x.type())) {
    const auto wide = [](const HostTensor& t) { return t.cast(ElementType::Float); };
    BatchNormGradients g = batchNormGradient(wide(d), wide(x), wide(mean), wide(inverse), wide(factor));
    return {g.x.cast(x.type()), g.scale.cast(factor.type()), g.bias.cast(factor.type())};
  }
  requireChannels(x, mean, "the mean");
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < x.rank(); ++i)
    if (i != 1) axes.push_back(i);
  Shape channels(x.rank(), 1);
  channels[1] = x.dim(1);
  const auto along = [&](const HostTensor& t) { return t.cast(x.type()).reshaped(channels); };
  const auto product = [](const HostTensor& a, const HostTensor& b) { return binary(BinaryKind::Mul, a, b); };
  const HostTensor centred = binary(BinaryKind::Sub, x, along(mean));
  const HostTensor sum = reduce(ReduceKind::Sum, d, axes, true),
                   correlation = reduce(ReduceKind::Sum, product(d, centred), axes, true);
  const HostTensor count = HostTensor::full(x.type(), {}, double(x.count()) / double(mean.count()));
  const HostTensor square = product(along(inverse), along(inverse));
  const HostTensor taken = binary(BinaryKind::Add, sum, product(centred, product(square, correlation)));
  return {product(along(factor), binary(BinaryKind::Sub, d, binary(BinaryKind::Div, taken, count))),
          product(correlation, along(inverse)).reshaped(mean.shape()), sum.reshaped(mean.shape())};
}

HostTensor groupNorm(const HostTensor& x, const HostTensor& scale, const HostTensor& bias, std::int64_t groups, double epsilon) {
  requireChannels(x, scale, "the scale");
  requireChannels(x, bias, "the bias");
  if (!divideIntoGroups(x.dim(1), groups))
    failKernel("the " + std::to_string(x.dim(1)) + " channels of a group normalisation do not divide into " +
               std::to_string(groups) + " groups");
  if (isNarrowFloat(x.type())) return groupNorm(x.cast(ElementType::Float), scale, bias, groups, epsilon).cast(x.type());
  HostTensor result = HostTensor::uninitialised(x.type(), x.shape());
  const std::int64_t size = elementCount(x.shape(), 2, x.rank()), perGroup = x.dim(1) / groups;
  visitReal("a group normalisation", x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = x.values<T>().data();
    T* target = result.mutableValues<T>().data();
    for (std::int64_t block = 0; block < x.dim(0) * groups; ++block) {
      const auto [mean, variance] = statistics(source, perGroup * size);
      const T inverse = T(1) / std::sqrt(variance + T(epsilon));
      for (std::int64_t c = 0; c < perGroup; ++c, source += size, target += size) {
        const std::int64_t channel = block % groups * perGroup + c;
        const T factor = T(scale.at(channel)) * inverse, shift = T(bias.at(channel)) - mean * factor;
        for (std::int64_t i = 0; i < size; ++i) target[i] = source[i] * factor + shift;
      }
    }
  });
  return result;
}

LayerNorm layerNorm(const HostTensor& x, const HostTensor& scale, const HostTensor* bias, std::size_t axis, double epsilon) {
  if (axis >= x.rank()) failKernel("the axis of a layer normalisation is outside the shape " + toString(x.shape()));
  if (isNarrowFloat(x.type())) {
    const HostTensor wideBias = bias ? bias->cast(ElementType::Float) : HostTensor();
    LayerNorm wide =
        layerNorm(x.cast(ElementType::Float), scale.cast(ElementType::Float), bias ? &wideBias : nullptr, axis, epsilon);
    wide.output = wide.output.cast(x.type());
    return wide;
  }
  Shape kept = x.shape();
  std::fill(kept.begin() + std::ptrdiff_t(axis), kept.end(), 1);
  LayerNorm result{HostTensor::uninitialised(x.type(), x.shape()), HostTensor::uninitialised(x.type(), kept),
                   HostTensor::uninitialised(x.type(), kept)};
  const std::int64_t size = elementCount(x.shape(), axis, x.rank()), rows = elementCount(kept);
  visitReal("a layer normalisation", x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = x.values<T>().data();
    T* target = result.output.mutableValues<T>().data();
    T* means = result.mean.mutableValues<T>().data();
    T* inverses = result.inverseDeviation.mutableValues<T>().data();
    for (std::int64_t row = 0; row < rows; ++row, source += size, target += size) {
      const auto [mean, variance] = statistics(source, size);
      means[row] = mean;
      inverses[row] = T(1) / std::sqrt(variance + T(epsilon));
      for (std::int64_t i = 0; i < size; ++i) target[i] = (source[i] - mean) * inverses[row];
    }
  });
  result.output = binary(BinaryKind::Mul, result.output, scale);
  if (bias) result.output = binary(BinaryKind::Add, result.output, *bias);
  if (result.output.shape() != x.shape()) failKernel("the scale or bias of a layer normalisation is larger than its input");
  return result;
}

namespace {
// Sums of squares in a window that moves over the channels, one sum per element of a plane. Values that enter are added, values
// that leave are subtracted, so the cost does not depend on the window's width. Infinite values and NaN are only counted, because
// subtracting them would give NaN.
class MovingSquares {
public:
  explicit MovingSquares(std::int64_t plane)
      : m_sums(std::size_t(plane)), m_infinite(m_sums.size()), m_noNumbers(m_sums.size()) {}
  template<class T> void add(const T* values, int sign) {
    for (std::size_t i = 0; i < m_sums.size(); ++i) {
      const double square = double(values[i]) * double(values[i]);
      if (std::isfinite(square))
        m_sums[i] += sign * square;
      else
        (std::isnan(square) ? m_noNumbers : m_infinite)[i] += sign;
    }
  }
  double at(std::size_t i) const {
    if (m_noNumbers[i] > 0) return std::numeric_limits<double>::quiet_NaN();
    return m_infinite[i] > 0 ? std::numeric_limits<double>::infinity() : std::max(0.0, m_sums[i]);
  }

private:
  std::vector<double> m_sums;
  std::vector<std::int64_t> m_infinite, m_noNumbers;
};
constexpr std::int64_t kWideWindow = 64; // width from which the moving sum is used
} // namespace

HostTensor localResponseNorm(const HostTensor& x, std::int64_t size, double alpha, double beta, double bias) {
  if (x.rank() < 2 || size < 1) failKernel("LRN needs channels and a size of 1 or more");
  if (isNarrowFloat(x.type())) return localResponseNorm(x.cast(ElementType::Float), size, alpha, beta, bias).cast(x.type());
  HostTensor result = HostTensor::uninitialised(x.type(), x.shape());
  const std::int64_t channels = x.dim(1), plane = elementCount(x.shape(), 2, x.rank());
  visitReal("LRN", x.type(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> squares(std::size_t(plane), T{});
    const bool isWide = std::min(size, channels) >= kWideWindow;
    const std::int64_t before = (std::min(size, 2 * channels + 1) - 1) / 2, after = std::min(size / 2, channels);
    for (std::int64_t n = 0; n < x.dim(0); ++n) {
      const auto channel = [&](std::int64_t c) { return x.values<T>().data() + (n * channels + c) * plane; };
      MovingSquares moving(isWide ? plane : 0);
      std::int64_t inside = 0; // the first channel that is not in the window yet
      for (std::int64_t c = 0; c < channels; ++c) {
        const std::int64_t low = std::max<std::int64_t>(0, c - before), high = std::min(channels, c + after + 1);
        if (isWide) {
          for (; inside < high; ++inside) moving.add(channel(inside), 1);
          if (c - before > 0) moving.add(channel(low - 1), -1);
          for (std::size_t i = 0; i < squares.size(); ++i) squares[i] = T(moving.at(i));
        } else {
          std::fill(squares.begin(), squares.end(), T{});
          for (std::int64_t k = low; k < high; ++k) {
            const T* source = channel(k);
            for (std::int64_t i = 0; i < plane; ++i) squares[std::size_t(i)] += source[i] * source[i];
          }
        }
        const T* source = x.values<T>().data() + (n * channels + c) * plane;
        T* target = result.mutableValues<T>().data() + (n * channels + c) * plane;
        const T base = T(bias), factor = T(alpha / double(size)), exponent = T(beta);
        if (beta == 0.75) // the usual exponent, computed without pow()
          for (std::int64_t i = 0; i < plane; ++i) {
            const T root = std::sqrt(base + factor * squares[std::size_t(i)]);
            target[i] = source[i] / (root * std::sqrt(root));
          }
        else
          for (std::int64_t i = 0; i < plane; ++i)
            target[i] = source[i] / std::pow(base + factor * squares[std::size_t(i)], exponent);
      }
    }
  });
  return result;
}

Whitened whiten(const HostTensor& x, const std::vector<std::size_t>& axes, double epsilon) {
  const HostTensor centred = binary(BinaryKind::Sub, x, reduce(ReduceKind::Mean, x, axes, true));
  const HostTensor variance = reduce(ReduceKind::Mean, binary(BinaryKind::Mul, centred, centred), axes, true);
  const HostTensor moved = binary(BinaryKind::Add, variance, HostTensor::full(x.type(), {}, epsilon));
  const HostTensor inverse = unary(UnaryKind::Reciprocal, unary(UnaryKind::Sqrt, moved));
  return {binary(BinaryKind::Mul, centred, inverse), inverse};
}

HostTensor whitenGradient(const HostTensor& d, const Whitened& whitened, const std::vector<std::size_t>& axes) {
  const auto mean = [&](const HostTensor& t) { return reduce(ReduceKind::Mean, t, axes, true); };
  const HostTensor correlation = mean(binary(BinaryKind::Mul, d, whitened.out));
  const HostTensor centred = binary(BinaryKind::Sub, d, mean(d));
  return binary(BinaryKind::Mul, whitened.inverseDeviation,
                binary(BinaryKind::Sub, centred, binary(BinaryKind::Mul, whitened.out, correlation)));
}

HostTensor lpNorm(const HostTensor& x, std::size_t axis, int p) {
  if (p != 1 && p != 2) failKernel("LpNormalization supports only the norms 1 and 2");
  return binary(BinaryKind::Div, x, reduce(p == 1 ? ReduceKind::L1 : ReduceKind::L2, x, {axis}, true));
}

HostTensor meanVarianceNorm(const HostTensor& x, const std::vector<std::size_t>& axes) {
  const HostTensor centred = binary(BinaryKind::Sub, x, reduce(ReduceKind::Mean, x, axes, true));
  const HostTensor variance = reduce(ReduceKind::Mean, binary(BinaryKind::Mul, centred, centred), axes, true);
  const HostTensor epsilon = HostTensor::full(x.type(), {}, 1e-9);
  return binary(BinaryKind::Div, centred, binary(BinaryKind::Add, unary(UnaryKind::Sqrt, variance), epsilon));
}

HostTensor negativeLogLikelihood(const HostTensor& x, const HostTensor& targets, const HostTensor* weights,
                                 LossReduction reduction, const std::int64_t* ignored) {
  if (isNarrowFloat(x.type())) {
    const HostTensor wide = weights ? weights->cast(ElementType::Float) : HostTensor();
    return negativeLogLikelihood(x.cast(ElementType::Float), targets, weights ? &wide : nullptr, reduction, ignored)
        .cast(x.type());
  }
  Shape shape = x.shape();
  if (shape.size() < 2) failKernel("a negative log likelihood needs classes in dimension 1");
  shape.erase(shape.begin() + 1);
  if (targets.shape() != shape)
    failKernel("the targets of a loss should be " + toString(shape) + ", not " + toString(targets.shape()));
  if (weights) requireChannels(x, *weights, "the weights");
  HostTensor losses = HostTensor::uninitialised(x.type(), shape);
  const std::vector<std::int64_t> classes = targets.toIntegers();
  const std::int64_t channels = x.dim(1), inner = elementCount(shape, 1, shape.size());
  double total = 0, weightSum = 0;
  visitReal("a negative log likelihood", x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = x.values<T>().data();
    T* target = losses.mutableValues<T>().data();
    for (std::int64_t i = 0; i < losses.count(); ++i) {
      const std::int64_t chosen = classes[std::size_t(i)];
      target[i] = T{};
      if (ignored && chosen == *ignored) continue;
      if (chosen < 0 || chosen >= channels)
        failKernel("target class " + std::to_string(chosen) + " is outside the " + std::to_string(channels) + " classes");
      const double weight = weights ? weights->at(chosen) : 1.0;
      target[i] = T(-weight * double(source[(i / inner * channels + chosen) * inner + i % inner]));
      total += double(target[i]);
      weightSum += weight;
    }
  });
  if (reduction == LossReduction::None) return losses;
  return HostTensor::full(x.type(), {}, reduction == LossReduction::Sum ? total : total / weightSum);
}

HostTensor negativeLogLikelihoodGradient(const HostTensor& gradient, const HostTensor& targets, const HostTensor* weights,
                                         LossReduction reduction, const std::int64_t* ignored, const Shape& x) {
  const std::vector<std::int64_t> chosen = targets.toIntegers();
  const std::int64_t classes = x[1], inner = elementCount(x, 2, x.size());
  const auto weightOf = [&](std::int64_t target) {
    return ignored && target == *ignored ? 0.0 : weights ? weights->at(target) : 1.0;
  };
  double divisor = reduction == LossReduction::Mean ? 0 : 1;
  if (reduction == LossReduction::Mean)
    for (const std::int64_t target : chosen) divisor += weightOf(target);
  return inRealType(gradient.type(), [&](auto zero) {
    using T = decltype(zero);
    HostTensor result(ElementTypeOf<T>::kType, x);
    const auto dx = result.template mutableValues<T>();
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const double weight = weightOf(chosen[i]);
      if (weight == 0) continue;
      if (chosen[i] < 0 || chosen[i] >= classes)
        failKernel("target " + std::to_string(chosen[i]) + " is outside the " + std::to_string(classes) + " classes");
      const auto row = std::int64_t(i);
      const double from = gradient.at(reduction == LossReduction::None ? row : 0);
      dx[std::size_t((row / inner * classes + chosen[i]) * inner + row % inner)] = T(-from * weight / divisor);
    }
    return result;
  });
}

} // namespace simcore::numerics
