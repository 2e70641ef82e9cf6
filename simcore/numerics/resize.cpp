#include "simcore/numerics/resize.h"
#include "simcore/numerics/kernel_support.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace simcore::numerics {

namespace {

// The inputs of one output coordinate of a dimension: up to four inputs with weights, or a fixed value.
struct Tap {
  std::int64_t index[4] = {0, 0, 0, 0};
  double weight[4] = {0, 0, 0, 0};
  int count = 0;
  bool isOutside = false;
};

// Computed in float, as in ONNX Runtime, because the precision decides whether a coordinate is exactly between two inputs.
double sourceCoordinate(double at, std::size_t axis, std::int64_t inputs, std::int64_t outputs, const ResizeParameters& p) {
  const auto x = float(at), scale = float(p.scales[axis]), in = float(inputs);
  switch (p.coordinates) {
  case ResizeCoordinates::HalfPixel: return double((x + 0.5f) / scale - 0.5f);
  case ResizeCoordinates::PytorchHalfPixel: return outputs > 1 ? double((x + 0.5f) / scale - 0.5f) : 0;
  case ResizeCoordinates::AlignCorners: {
    const double length = p.scales[axis] * double(inputs); // the unrounded size, as in ONNX's definition
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

// Number of outputs whose taps are in memory at once. All taps of a long dimension would take twenty times the memory of its
// elements.
constexpr std::int64_t kTapsAtOnce = 1 << 14;

// Calls visit(first, taps) for runs of the outputs of one dimension.
template<class Visit> void visitTaps(std::size_t axis, std::int64_t inputs, const ResizeParameters& p, Visit visit) {
  const std::int64_t outputs = p.sizes[axis];
  std::vector<Tap> taps;
  for (std::int64_t first = 0; first < outputs; first += kTapsAtOnce) {
    taps.clear();
    for (std::int64_t i = first; i < std::min(outputs, first + kTapsAtOnce); ++i)
      taps.push_back(tapAt(sourceCoordinate(double(i), axis, inputs, outputs, p), axis, inputs, p));
    visit(first, taps);
  }
}

// Fills the outputs of `taps` in each of `outer` blocks of [outputs, inner]; `target` points to the output of the first tap.
template<class T>
void resizeAxis(const T* source, T* target, std::int64_t outer, std::int64_t inputs, std::int64_t outputs, std::int64_t inner,
                const std::vector<Tap>& taps, T outside) {
  for (std::int64_t block = 0; block < outer; ++block, source += inputs * inner, target += outputs * inner) {
    T* next = target;
    for (const Tap& tap : taps) {
      if (tap.isOutside)
        std::fill_n(next, inner, outside);
      else if (tap.count == 1)
        std::copy_n(source + tap.index[0] * inner, inner, next);
      else if constexpr (std::is_floating_point_v<T>) {
        for (std::int64_t j = 0; j < inner; ++j) {
          T sum = 0;
          for (int i = 0; i < tap.count; ++i) sum += source[tap.index[i] * inner + j] * T(tap.weight[i]);
          next[j] = sum;
        }
      }
      next += inner;
    }
  }
}

// Two equal inputs (at an edge) get half the weight each.
void halveEqualNeighbours(std::vector<Tap>& taps) {
  for (Tap& tap : taps)
    if (tap.index[0] == tap.index[1]) tap.weight[0] = tap.weight[1] = 0.5;
}

// Images: all four neighbours at once, with the upper and the lower pair summed separately, in ONNX Runtime's order.
void bilinear(const HostTensor& x, HostTensor& result, const ResizeParameters& p) {
  const std::size_t axis = x.rank() - 2;
  const std::int64_t height = x.dim(axis), width = x.dim(axis + 1), planes = elementCount(x.shape(), 0, axis);
  const std::int64_t rowCount = p.sizes[axis], columnCount = p.sizes[axis + 1];
  const float* const from = x.values<float>().data();
  float* const to = result.mutableValues<float>().data();
  visitTaps(axis, height, p, [&](std::int64_t firstRow, std::vector<Tap>& rows) {
    halveEqualNeighbours(rows);
    visitTaps(axis + 1, width, p, [&](std::int64_t firstColumn, std::vector<Tap>& columns) {
      halveEqualNeighbours(columns);
      for (std::int64_t plane = 0; plane < planes; ++plane) {
        const float* const source = from + plane * height * width;
        float* row = to + (plane * rowCount + firstRow) * columnCount + firstColumn;
        for (const Tap& rowTap : rows) {
          const float *upper = source + rowTap.index[0] * width, *lower = source + rowTap.index[1] * width;
          const auto up = float(rowTap.weight[0]), down = float(rowTap.weight[1]);
          float* target = row;
          for (const Tap& column : columns) {
            const auto left = float(column.weight[0]), right = float(column.weight[1]);
            const std::int64_t l = column.index[0], r = column.index[1];
            *target++ = (up * left * upper[l] + up * right * upper[r]) + (down * left * lower[l] + down * right * lower[r]);
          }
          row += columnCount;
        }
      }
    });
  });
}

bool isBilinear(const HostTensor& x, const ResizeParameters& p) {
  if (p.mode != ResizeMode::Linear || x.type() != ElementType::Float || x.rank() < 2) return false;
  if (p.coordinates == ResizeCoordinates::TfCropAndResize) return false;
  for (std::size_t axis = 0; axis < x.rank(); ++axis)
    if ((p.sizes[axis] == x.dim(axis) && p.scales[axis] == 1) != (axis + 2 < x.rank())) return false;
  return true;
}

void requireOnePerDimension(const ResizeParameters& p, const Shape& shape) {
  const std::size_t given = p.sizes.empty() ? p.scales.size() : p.sizes.size();
  if (given != shape.size())
    failKernel(fmt::format("Resize has {} {}, but the tensor has {} dimensions", given, p.sizes.empty() ? "scales" : "sizes",
                           shape.size()));
}

void complete(ResizeParameters& p, const Shape& shape) {
  const std::size_t rank = shape.size();
  if (p.sizes.empty() && p.scales.empty() && rank) failKernel("Resize needs scales or sizes");
  requireOnePerDimension(p, shape);
  if (p.coordinates == ResizeCoordinates::TfCropAndResize && p.region.size() != 2 * rank)
    failKernel(fmt::format("the region of Resize has {} values instead of {}, two per dimension", p.region.size(), 2 * rank));
  if (p.sizes.empty()) {
    for (std::size_t i = 0; i < rank; ++i) {
      if (!(p.scales[i] > 0) || p.scales[i] > 1e9)
        failKernel(fmt::format("a scale of Resize is {}: it must be above 0 and at most 1e9", p.scales[i]));
      p.sizes.push_back(std::int64_t(std::floor(double(shape[i]) * p.scales[i])));
    }
  } else {
    // Scales and sizes are both set if the sizes were computed from the scales and rounded.
    const bool hasScales = p.scales.size() == rank;
    p.scales.resize(rank, 1);
    for (std::size_t i = 0; i < rank; ++i) {
      if (shape[i] == 0 && p.sizes[i] != 0) failKernel("Resize cannot make elements from an empty dimension");
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
    visitReal("the gradient of Resize", gradient.type(), [&](auto zero) {
      using T = decltype(zero);
      visitTaps(axis, shape[axis], p, [&](std::int64_t first, const std::vector<Tap>& taps) {
        const T* block = current.values<T>().data() + first * inner;
        T* target = next.mutableValues<T>().data();
        for (std::int64_t i = 0; i < outer; ++i, target += shape[axis] * inner, block += p.sizes[axis] * inner) {
          const T* source = block;
          for (const Tap& tap : taps) {
            for (int k = 0; k < tap.count && !tap.isOutside; ++k)
              for (std::int64_t j = 0; j < inner; ++j) target[tap.index[k] * inner + j] += source[j] * T(tap.weight[k]);
            source += inner;
          }
        }
      });
    });
    current = std::move(next);
  }
  return current;
}

HostTensor resize(const HostTensor& x, const ResizeParameters& parameters) {
  ResizeParameters p = parameters;
  complete(p, x.shape());
  if (isNarrowFloat(x.type())) return resize(x.cast(ElementType::Float), parameters).cast(x.type());
  if (!isFloating(x.type()) && p.mode != ResizeMode::Nearest) // rounded towards zero, like a cast of the exact value
    return resize(x.cast(ElementType::Double), parameters).cast(x.type());
  if (isBilinear(x, p)) {
    HostTensor result = HostTensor::uninitialised(x.type(), p.sizes);
    bilinear(x, result, p);
    return result;
  }
  HostTensor current = x;
  for (std::size_t axis = x.rank(); axis-- > 0;) {
    const bool crops =
        p.coordinates == ResizeCoordinates::TfCropAndResize && (p.region[axis] != 0 || p.region[axis + x.rank()] != 1);
    if (p.sizes[axis] == x.dim(axis) && p.scales[axis] == 1 && !crops) continue;
    Shape shape = current.shape();
    shape[axis] = p.sizes[axis];
    HostTensor next = HostTensor::uninitialised(x.type(), shape);
    const std::int64_t outer = elementCount(shape, 0, axis), inner = elementCount(shape, axis + 1, shape.size());
    visitNumeric("Resize", x.type(), [&](auto zero) {
      using T = decltype(zero);
      visitTaps(axis, x.dim(axis), p, [&](std::int64_t first, const std::vector<Tap>& taps) {
        resizeAxis(current.values<T>().data(), next.mutableValues<T>().data() + first * inner, outer, x.dim(axis), p.sizes[axis],
                   inner, taps, T(p.extrapolationValue));
      });
    });
    current = std::move(next);
  }
  return current;
}

void onAllAxes(ResizeParameters& p, const std::vector<std::int64_t>& axes, const Shape& shape) {
  const std::size_t rank = shape.size(), n = axes.size();
  std::vector<double> scales(rank, 1), region(2 * rank, 0);
  std::fill(region.begin() + std::ptrdiff_t(rank), region.end(), 1);
  Shape sizes = shape;
  const auto fits = [&](const char* what, std::size_t count, std::size_t wanted) {
    if (count && count != wanted)
      failKernel(fmt::format("Resize of {} along {} axes needs {} {}, not {}", toString(shape), n, wanted, what, count));
    return count != 0;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t axis = normaliseAxis(axes[i], rank);
    if (fits("scales", p.scales.size(), n)) scales[axis] = p.scales[i];
    if (fits("sizes", p.sizes.size(), n)) sizes[axis] = p.sizes[i];
    if (!fits("limits of the region", p.region.size(), 2 * n)) continue;
    region[axis] = p.region[i];
    region[rank + axis] = p.region[n + i];
  }
  if (!p.scales.empty()) p.scales = scales;
  if (!p.sizes.empty()) p.sizes = sizes;
  if (!p.region.empty()) p.region = region;
}

void keepAspectRatio(ResizeParameters& p, const std::string& policy, std::vector<std::int64_t> axes, const Shape& shape) {
  if (policy != "not_larger" && policy != "not_smaller")
    failKernel("attribute 'keep_aspect_ratio_policy' is '" + policy + "', not one of stretch, not_larger, not_smaller");
  if (p.sizes.size() != shape.size())
    failKernel(fmt::format("Resize has {} sizes, but the tensor has {} dimensions", p.sizes.size(), shape.size()));
  if (axes.empty()) {
    axes.resize(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  std::optional<double> scale;
  for (const std::int64_t axis : axes) {
    const std::size_t i = normaliseAxis(axis, shape.size());
    const double own = double(p.sizes[i]) / double(std::max<std::int64_t>(1, shape[i]));
    scale = !scale ? own : policy == "not_larger" ? std::min(*scale, own) : std::max(*scale, own);
  }
  p.scales.assign(shape.size(), 1);
  for (const std::int64_t axis : axes) {
    const std::size_t i = normaliseAxis(axis, shape.size());
    p.scales[i] = *scale;
    p.sizes[i] = std::int64_t(std::floor(*scale * double(shape[i]) + 0.5));
  }
}

} // namespace simcore::numerics
