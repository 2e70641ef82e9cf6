#include "simcore/numerics/detection.h"
#include "simcore/numerics/kernel_support.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace simcore::numerics {

namespace {

struct Box {
  float top, left, bottom, right;
  float area() const { return (bottom - top) * (right - left); }
};

Box boxAt(const float* v, bool centreFormat) {
  if (centreFormat) return {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
  return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]), std::max(v[1], v[3])};
}

float overlap(const Box& a, const Box& b) {
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0) return 0;
  return height * width / (a.area() + b.area() - height * width);
}

// One plane of an image; `padding` defines its values outside the edges.
struct Plane {
  const float* values;
  std::int64_t height, width;
  GridPadding padding;
  bool alignCorners;

  static double reflected(double x, double low, double high) {
    const double range = high - low;
    if (range <= 0) return 0;
    const double distance = std::fabs(x - low), rest = std::fmod(distance, range);
    return std::fmod(std::floor(distance / range), 2) == 0 ? low + rest : high - rest;
  }
  double padded(double x, std::int64_t size) const {
    if (padding == GridPadding::Border) return std::clamp(x, 0.0, double(size - 1));
    if (padding == GridPadding::Reflection)
      return alignCorners ? reflected(x, 0, double(size - 1)) : reflected(x, -0.5, double(size) - 0.5);
    return x;
  }
  // Index of the element at a position; -1 if the value is 0.
  std::int64_t indexAt(double y, double x) const {
    if (padding != GridPadding::Zeros) {
      y = std::clamp(padded(y, height), 0.0, double(height - 1));
      x = std::clamp(padded(x, width), 0.0, double(width - 1));
    }
    if (!(y >= 0 && x >= 0 && y < double(height) && x < double(width))) return -1;
    return std::int64_t(y) * width + std::int64_t(x);
  }
  float at(double y, double x) const {
    const std::int64_t index = indexAt(y, x);
    return index < 0 ? 0 : values[index];
  }
  // Moves a position into the plane according to `padding`, and multiplies `slope` by the derivative of this move.
  double inside(double x, std::int64_t size, double& slope) const {
    if (padding == GridPadding::Zeros) return x;
    if (padding == GridPadding::Reflection) {
      const double low = alignCorners ? 0 : -0.5, range = alignCorners ? double(size - 1) : double(size);
      if (range <= 0 || (x < low) != (std::fmod(std::floor(std::fabs(x - low) / range), 2) != 0)) slope = range <= 0 ? 0 : -slope;
      x = padded(x, size);
    }
    if (x <= 0 || x >= double(size - 1)) slope = 0;
    return std::clamp(x, 0.0, double(size - 1));
  }
};

// The cubic convolution kernel of Keys with a = -0.75.
double cubic(double d) {
  const double a = -0.75, x = std::fabs(d);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

double cubicSlope(double d) {
  const double a = -0.75, x = std::fabs(d), sign = d < 0 ? -1 : 1;
  if (x <= 1) return sign * (3 * (a + 2) * x - 2 * (a + 3)) * x;
  return x < 2 ? sign * ((3 * a * x - 10 * a) * x + 8 * a) : 0;
}

// The elements that a sample reads along one axis: `count` elements from `first` on, with weights and with the weights'
// derivatives by the grid coordinate.
struct Reads {
  double first = 0;
  int count = 1;
  double weights[4] = {1}, slopes[4] = {};
};
Reads readsAt(const Plane& plane, double position, double slope, std::int64_t size, GridMode mode) {
  Reads reads;
  if (mode == GridMode::Bicubic) {
    reads.first = std::floor(position) - 1, reads.count = 4;
  } else {
    position = plane.inside(position, size, slope);
    reads.first = mode == GridMode::Nearest ? std::nearbyint(position) : std::floor(position);
    if (mode == GridMode::Nearest) return reads;
    reads.count = 2;
  }
  for (int i = 0; i < reads.count; ++i) {
    const double d = position - (reads.first + i);
    reads.weights[i] = reads.count == 4 ? cubic(d) : 1 - std::fabs(d);
    reads.slopes[i] = slope * (reads.count == 4 ? cubicSlope(d) : i == 0 ? -1 : 1);
  }
  return reads;
}

float sampled(const Plane& plane, double y, double x, GridMode mode) {
  if (mode == GridMode::Nearest)
    return plane.at(std::nearbyint(plane.padded(y, plane.height)), std::nearbyint(plane.padded(x, plane.width)));
  if (mode == GridMode::Bilinear) {
    y = plane.padded(y, plane.height);
    x = plane.padded(x, plane.width);
  }
  const double y0 = std::floor(y), x0 = std::floor(x);
  const int low = mode == GridMode::Bicubic ? -1 : 0, high = mode == GridMode::Bicubic ? 2 : 1;
  double sum = 0;
  for (int i = low; i <= high; ++i)
    for (int j = low; j <= high; ++j) {
      const double dy = y - (y0 + i), dx = x - (x0 + j);
      const double weight = mode == GridMode::Bicubic ? cubic(dy) * cubic(dx) : (1 - std::fabs(dy)) * (1 - std::fabs(dx));
      if (weight != 0) sum += weight * double(plane.at(y0 + i, x0 + j));
    }
  return float(sum);
}

} // namespace

float boxOverlap(const float* a, const float* b, bool centreFormat) {
  return overlap(boxAt(a, centreFormat), boxAt(b, centreFormat));
}

HostTensor nonMaxSuppression(const HostTensor& boxes, const HostTensor& scores, const SuppressionParameters& p) {
  requireRank(boxes, 3, "the boxes of NonMaxSuppression");
  requireRank(scores, 3, "the scores of NonMaxSuppression");
  const std::int64_t batches = boxes.dim(0), n = boxes.dim(1), classes = scores.dim(1);
  if (boxes.dim(2) != 4) failKernel(fmt::format("a box of NonMaxSuppression has {} coordinates instead of 4", boxes.dim(2)));
  if (scores.dim(0) != batches || scores.dim(2) != n)
    failKernel(fmt::format("the scores {} of NonMaxSuppression must have the shape [{}, classes, {}], as its boxes are {}",
                           toString(scores.shape()), batches, n, toString(boxes.shape())));
  std::vector<std::int64_t> chosen;
  for (std::int64_t batch = 0; batch < batches; ++batch)
    for (std::int64_t c = 0; c < classes; ++c) {
      const float* score = scores.values<float>().data() + (batch * classes + c) * n;
      const float* corners = boxes.values<float>().data() + batch * n * 4;
      std::vector<std::int64_t> order(std::size_t(n), 0);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return score[a] > score[b]; });
      std::vector<Box> kept;
      for (const std::int64_t i : order) {
        if (std::int64_t(kept.size()) >= p.maximumPerClass) break;
        if (p.scoreThreshold && !(double(score[i]) > *p.scoreThreshold)) continue;
        const Box box = boxAt(corners + i * 4, p.centreFormat);
        if (std::any_of(kept.begin(), kept.end(),
                        [&](const Box& other) { return double(overlap(box, other)) > p.overlapThreshold; }))
          continue;
        kept.push_back(box);
        chosen.insert(chosen.end(), {batch, c, i});
      }
    }
  return HostTensor::of({std::int64_t(chosen.size()) / 3, 3}, chosen);
}

HostTensor gridSample(const HostTensor& x, const HostTensor& grid, const GridParameters& p) {
  requireRank(x, 4, "the input of GridSample");
  requireRank(grid, 4, "the grid of GridSample");
  if (x.count() == 0) failKernel(fmt::format("the input of GridSample is empty: its shape is {}", toString(x.shape())));
  if (grid.dim(0) != x.dim(0) || grid.dim(3) != 2)
    failKernel(fmt::format("the grid {} of GridSample does not fit its input {}: it needs the batch size {} and 2 coordinates",
                           toString(grid.shape()), toString(x.shape()), x.dim(0)));
  const std::int64_t channels = x.dim(1), height = x.dim(2), width = x.dim(3), outputs = grid.dim(1) * grid.dim(2);
  HostTensor result = HostTensor::uninitialised(ElementType::Float, {x.dim(0), channels, grid.dim(1), grid.dim(2)});
  float* target = result.mutableValues<float>().data();
  const auto position = [&](float g, std::int64_t size) {
    return p.alignCorners ? (double(g) + 1) / 2 * double(size - 1) : ((double(g) + 1) * double(size) - 1) / 2;
  };
  for (std::int64_t n = 0; n < x.dim(0); ++n)
    for (std::int64_t c = 0; c < channels; ++c) {
      const Plane plane{x.values<float>().data() + (n * channels + c) * height * width, height, width, p.padding, p.alignCorners};
      const float* at = grid.values<float>().data() + n * outputs * 2;
      for (std::int64_t i = 0; i < outputs; ++i)
        *target++ = sampled(plane, position(at[2 * i + 1], height), position(at[2 * i], width), p.mode);
    }
  return result;
}

GridGradients gridSampleGradient(const HostTensor& gradient, const HostTensor& x, const HostTensor& grid,
                                 const GridParameters& p) {
  const std::int64_t channels = x.dim(1), height = x.dim(2), width = x.dim(3), outputs = grid.dim(1) * grid.dim(2);
  GridGradients result{HostTensor(ElementType::Float, x.shape()), HostTensor(ElementType::Float, grid.shape())};
  float *toX = result.x.mutableValues<float>().data(), *toGrid = result.grid.mutableValues<float>().data();
  const float *dy = gradient.values<float>().data(), *in = x.values<float>().data(), *places = grid.values<float>().data();
  const auto reads = [&](const Plane& plane, float g, std::int64_t size) {
    const double scale = double(p.alignCorners ? size - 1 : size) / 2;
    return readsAt(plane, (double(g) + 1) * scale - (p.alignCorners ? 0 : 0.5), scale, size, p.mode);
  };
  for (std::int64_t n = 0; n < x.dim(0); ++n)
    for (std::int64_t i = 0; i < outputs; ++i) {
      const float* at = places + (n * outputs + i) * 2;
      const Plane shape{nullptr, height, width, p.padding, p.alignCorners};
      const Reads rows = reads(shape, at[1], height), columns = reads(shape, at[0], width);
      double ofRow = 0, ofColumn = 0;
      for (int r = 0; r < rows.count; ++r)
        for (int c = 0; c < columns.count; ++c) {
          const std::int64_t index = shape.indexAt(rows.first + r, columns.first + c);
          for (std::int64_t channel = 0; index >= 0 && channel < channels; ++channel) {
            const std::int64_t plane = n * channels + channel;
            const double d = double(dy[plane * outputs + i]), value = double(in[plane * height * width + index]);
            toX[plane * height * width + index] += float(d * rows.weights[r] * columns.weights[c]);
            ofRow += d * value * rows.slopes[r] * columns.weights[c];
            ofColumn += d * value * rows.weights[r] * columns.slopes[c];
          }
        }
      toGrid[(n * outputs + i) * 2] = float(ofColumn), toGrid[(n * outputs + i) * 2 + 1] = float(ofRow);
    }
  return result;
}

} // namespace simcore::numerics
