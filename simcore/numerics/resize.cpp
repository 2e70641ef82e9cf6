#include "simcore/numerics/resize.h"
#include "simcore/numerics/kernel_support.h"

#include <algorithm>
#include <cmath>

#pragma GCC optimize("O3")

namespace simcore::numerics {

namespace {

// The inputs of one output coordinate of a dimension: up to four inputs with weights, or a fixed value.
struct Tap {
  std::int64_t index[4] = {0, 0, 0, 0};
  double weight[4] = {0, 0, 0, 0};
  int count = 0;
  bool isOutside = false;
};

// In float, as ONNX Runtime has it: whether a coordinate lies on the middle between two inputs depends on it.
double sourceCoordinate(double at, std::size_t axis, std::int64_t inputs, std::int64_t outputs, const ResizeParameters& p) {
  const auto x = float(at), scale = float(p.scales[axis]), in = float(inputs);
  switch (p.coordinates) {
  case ResizeCoordinates::HalfPixel: return double((x + 0.5f) / scale - 0.5f);
  case ResizeCoordinates::PytorchHalfPixel: return outputs > 1 ? double((x + 0.5f) / scale - 0.5f) : 0;
  case ResizeCoordinates::AlignCorners: {
    const double length = p.scales[axis] * double(inputs); // the unrounded size, as ONNX's own definition has it
    return length == 1 ? 0 : at * double(inputs - 1) / (length - 1);
  }
  case ResizeCoordinates::Asymmetric: return double(x / scale);
  case ResizeCoordinates::TfHalfPixelForNearest: return double((x + 0.5f) / scale);
  case ResizeCoordinates::TfCropAndResize: {
    const auto start = float(p.region[axis]), end = float(p.region[axis + p.scales.size()]);
    if (outputs <= 1) return double(0.5f * (start + end) * (in - 1));
    return double(start * (in - 1) + x * (end - start) * (in - 1) / float(outputs - 1));
  }
  }
  return at;
}

double rounded(double x, double scale, NearestRounding rounding) {
  switch (rounding) {
  case NearestRounding::PreferFloor: return std::ceil(x - 0.5);
  case NearestRounding::PreferCeil: return std::floor(x + 0.5);
  case NearestRounding::Floor: return std::floor(x);
  case NearestRounding::Ceil: return std::ceil(x);
  case NearestRounding::Shrinking: return scale < 1 ? std::ceil(x) : std::floor(x);
  }
  return x;
}

void cubicWeights(double t, double a, double* weights) {
  const auto near = [a](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto far = [a](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  weights[0] = far(t + 1);
  weights[1] = near(t);
  weights[2] = near(1 - t);
  weights[3] = far(2 - t);
}

Tap tapAt(double x, std::size_t axis, std::int64_t inputs, const ResizeParameters& p) {
  Tap tap;
  const auto last = double(inputs - 1);
  tap.isOutside = p.coordinates == ResizeCoordinates::TfCropAndResize && (x < 0 || x > last);
  const auto clamped = [&](double i) { return std::int64_t(std::clamp(i, 0.0, last)); };
  if (p.mode == ResizeMode::Nearest) {
    tap.count = 1;
    tap.index[0] = clamped(rounded(x, p.scales[axis], p.rounding));
    tap.weight[0] = 1;
  } else if (p.mode == ResizeMode::Linear) {
    const double low = std::floor(x);
    tap.count = 2;
    tap.index[0] = clamped(low);
    tap.index[1] = clamped(low + 1);
    tap.weight[1] = x - low;
    tap.weight[0] = 1 - tap.weight[1];
  } else {
    const double low = std::floor(x);
    tap.count = 4;
    cubicWeights(x - low, p.cubicCoefficient, tap.weight);
    double total = 0;
    for (int i = 0; i < 4; ++i) {
      const double at = low - 1 + i;
      if (p.excludeOutside && (at < 0 || at > last)) tap.weight[i] = 0;
      tap.index[i] = clamped(at);
      total += tap.weight[i];
    }
    if (p.excludeOutside && total != 0)
      for (double& weight : tap.weight) weight /= total;
  }
  return tap;
}

template<class T>
void resizeAxis(const T* source, T* target, std::int64_t outer, std::int64_t inputs, std::int64_t inner,
                const std::vector<Tap>& taps, T outside) {
  for (std::int64_t block = 0; block < outer; ++block, source += inputs * inner)
    for (const Tap& tap : taps) {
      if (tap.isOutside)
        std::fill_n(target, inner, outside);
      else if (tap.count == 1)
        std::copy_n(source + tap.index[0] * inner, inner, target);
      else if constexpr (std::is_floating_point_v<T>) {
        for (std::int64_t j = 0; j < inner; ++j) {
          T sum = 0;
          for (int i = 0; i < tap.count; ++i) sum += source[tap.index[i] * inner + j] * T(tap.weight[i]);
          target[j] = sum;
        }
      }
      target += inner;
    }
}

// Images: all four neighbours at once, the upper pair and the lower pair summed apart, which is ONNX Runtime's order. Two
// equal neighbours (at an edge) count half each.
void bilinear(const float* source, float* target, std::int64_t planes, const Shape& from, std::vector<Tap> rows,
              std::vector<Tap> columns) {
  for (auto* taps : {&rows, &columns})
    for (Tap& tap : *taps)
      if (tap.index[0] == tap.index[1]) tap.weight[0] = tap.weight[1] = 0.5;
  for (std::int64_t plane = 0; plane < planes; ++plane, source += from[0] * from[1])
    for (const Tap& row : rows) {
      const float *upper = source + row.index[0] * from[1], *lower = source + row.index[1] * from[1];
      const auto up = float(row.weight[0]), down = float(row.weight[1]);
      for (const Tap& column : columns) {
        const auto left = float(column.weight[0]), right = float(column.weight[1]);
        const std::int64_t l = column.index[0], r = column.index[1];
        *target++ = (up * left * upper[l] + up * right * upper[r]) + (down * left * lower[l] + down * right * lower[r]);
      }
    }
}

bool isBilinear(const HostTensor& x, const ResizeParameters& p) {
  if (p.mode != ResizeMode::Linear || x.type() != ElementType::Float || x.rank() < 2) return false;
  if (p.coordinates == ResizeCoordinates::TfCropAndResize) return false;
  for (std::size_t axis = 0; axis < x.rank(); ++axis)
    if ((p.sizes[axis] == x.dim(axis) && p.scales[axis] == 1) != (axis + 2 < x.rank())) return false;
  return true;
}

void complete(ResizeParameters& p, const Shape& shape) {
  const std::size_t rank = shape.size();
  if (p.sizes.empty() && p.scales.empty() && rank) failKernel("Resize needs scales or sizes");
  if ((!p.sizes.empty() && p.sizes.size() != rank) || (p.sizes.empty() && p.scales.size() != rank))
    failKernel("the scales or sizes of Resize do not fit the shape " + toString(shape));
  if (p.coordinates == ResizeCoordinates::TfCropAndResize && p.region.size() != 2 * rank)
    failKernel("the region of Resize does not fit the shape " + toString(shape));
  if (p.sizes.empty()) {
    for (std::size_t i = 0; i < rank; ++i) {
      if (!(p.scales[i] > 0) || p.scales[i] > 1e9) failKernel("a scale of Resize is not a positive number");
      p.sizes.push_back(std::int64_t(std::floor(double(shape[i]) * p.scales[i])));
    }
  } else {
    // Both are given where sizes were rounded from one scale.
    const bool hasScales = p.scales.size() == rank;
    p.scales.resize(rank, 1);
    for (std::size_t i = 0; i < rank; ++i) {
      if (shape[i] == 0 && p.sizes[i] != 0) failKernel("Resize cannot make something from an empty dimension");
      if (shape[i] && !hasScales) p.scales[i] = double(p.sizes[i]) / double(shape[i]);
    }
  }
}

} // namespace

HostTensor resizeGradient(const HostTensor& gradient, const Shape& shape, const ResizeParameters& parameters) {
  ResizeParameters p = parameters;
  complete(p, shape);
  if (gradient.shape() != p.sizes) failKernel("the gradient of Resize does not have the shape of its result");
  if (isNarrowFloat(gradient.type()))
    return resizeGradient(gradient.cast(ElementType::Float), shape, parameters).cast(gradient.type());
  HostTensor current = gradient;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    Shape back = current.shape();
    back[axis] = shape[axis];
    HostTensor next(gradient.type(), back);
    const std::int64_t outer = elementCount(back, 0, axis), inner = elementCount(back, axis + 1, back.size());
    std::vector<Tap> taps;
    for (std::int64_t i = 0; i < p.sizes[axis]; ++i)
      taps.push_back(tapAt(sourceCoordinate(double(i), axis, shape[axis], p.sizes[axis], p), axis, shape[axis], p));
    visitReal("the gradient of Resize", gradient.type(), [&](auto zero) {
      using T = decltype(zero);
      const T* source = current.values<T>().data();
      T* target = next.mutableValues<T>().data();
      for (std::int64_t block = 0; block < outer; ++block, target += shape[axis] * inner)
        for (const Tap& tap : taps) {
          for (int i = 0; i < tap.count && !tap.isOutside; ++i)
            for (std::int64_t j = 0; j < inner; ++j) target[tap.index[i] * inner + j] += source[j] * T(tap.weight[i]);
          source += inner;
        }
    });
    current = std::move(next);
  }
  return current;
}

HostTensor resize(const HostTensor& x, const ResizeParameters& parameters) {
  ResizeParameters p = parameters;
  complete(p, x.shape());
  if (isNarrowFloat(x.type())) return resize(x.cast(ElementType::Float), parameters).cast(x.type());
  if (!isFloating(x.type()) && p.mode != ResizeMode::Nearest) // rounded towards zero, as a cast of the exact value
    return resize(x.cast(ElementType::Double), parameters).cast(x.type());
  const auto tapsOf = [&](std::size_t axis) {
    std::vector<Tap> taps;
    for (std::int64_t i = 0; i < p.sizes[axis]; ++i)
      taps.push_back(tapAt(sourceCoordinate(double(i), axis, x.dim(axis), p.sizes[axis], p), axis, x.dim(axis), p));
    return taps;
  };
  if (isBilinear(x, p)) {
    const std::size_t row = x.rank() - 2;
    HostTensor result = HostTensor::uninitialised(x.type(), p.sizes);
    bilinear(x.values<float>().data(), result.mutableValues<float>().data(), elementCount(x.shape(), 0, row),
             {x.dim(row), x.dim(row + 1)}, tapsOf(row), tapsOf(row + 1));
    return result;
  }
  HostTensor current = x;
  for (std::size_t axis = x.rank(); axis-- > 0;) {
    const bool crops =
        p.coordinates == ResizeCoordinates::TfCropAndResize && (p.region[axis] != 0 || p.region[axis + x.rank()] != 1);
    if (p.sizes[axis] == x.dim(axis) && p.scales[axis] == 1 && !crops) continue;
    const std::vector<Tap> taps = tapsOf(axis);
    Shape shape = current.shape();
    shape[axis] = p.sizes[axis];
    HostTensor next = HostTensor::uninitialised(x.type(), shape);
    const std::int64_t outer = elementCount(shape, 0, axis), inner = elementCount(shape, axis + 1, shape.size());
    visitNumeric("Resize", x.type(), [&](auto zero) {
      using T = decltype(zero);
      resizeAxis(current.values<T>().data(), next.mutableValues<T>().data(), outer, x.dim(axis), inner, taps,
                 T(p.extrapolationValue));
    });
    current = std::move(next);
  }
  return current;
}

} // namespace simcore::numerics
