#include "simcore/numerics/regions.h"
#include "simcore/numerics/kernel_support.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace simcore::numerics {

namespace {

constexpr std::int64_t kMostSamples = 4096; // per bin and direction

// As Detectron has it: up to an element outside counts as the edge, further out as zero.
// `terms` are the four weighted neighbours.
void bilinearAt(const float* plane, std::int64_t height, std::int64_t width, double y, double x, double (&terms)[4]) {
  std::fill_n(terms, 4, 0.0);
  if (!(y >= -1 && y <= double(height) && x >= -1 && x <= double(width))) return;
  y = std::clamp(y, 0.0, double(height - 1));
  x = std::clamp(x, 0.0, double(width - 1));
  const auto y0 = std::int64_t(y), x0 = std::int64_t(x);
  const std::int64_t y1 = std::min(y0 + 1, height - 1), x1 = std::min(x0 + 1, width - 1);
  const double dy = y - double(y0), dx = x - double(x0);
  const auto at = [&](std::int64_t row, std::int64_t column) { return double(plane[row * width + column]); };
  terms[0] = (1 - dy) * (1 - dx) * at(y0, x0);
  terms[1] = (1 - dy) * dx * at(y0, x1);
  terms[2] = dy * (1 - dx) * at(y1, x0);
  terms[3] = dy * dx * at(y1, x1);
}

struct Span {
  double start = 0, bin = 0;
  std::int64_t samples = 1;
};
Span spanOf(double first, double last, std::int64_t bins, const RegionParameters& p) {
  const double offset = p.halfPixel ? 0.5 : 0;
  Span span;
  span.start = first * p.scale - offset;
  double size = last * p.scale - offset - span.start;
  if (!p.halfPixel) size = std::max(size, 1.0);
  span.bin = size / double(bins);
  const double samples = p.samples > 0 ? double(p.samples) : std::ceil(span.bin);
  if (!(samples <= double(kMostSamples))) failKernel("a region has too many samples");
  span.samples = std::max<std::int64_t>(0, std::int64_t(samples));
  return span;
}

float binValue(const float* plane, std::int64_t height, std::int64_t width, const Span& rows, const Span& columns,
               std::int64_t row, std::int64_t column, bool takesMaximum) {
  double sum = 0, most = -std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < rows.samples; ++i)
    for (std::int64_t j = 0; j < columns.samples; ++j) {
      const double y = rows.start + rows.bin * (double(row) + (double(i) + 0.5) / double(rows.samples));
      const double x = columns.start + columns.bin * (double(column) + (double(j) + 0.5) / double(columns.samples));
      double terms[4];
      bilinearAt(plane, height, width, y, x, terms);
      // The maximum is that of the weighted neighbours, not of the samples: ONNX Runtime has it so.
      most = std::max({most, terms[0], terms[1], terms[2], terms[3]});
      sum += terms[0] + terms[1] + terms[2] + terms[3];
    }
  const std::int64_t count = rows.samples * columns.samples;
  if (count == 0) return 0;
  return float(takesMaximum ? most : sum / double(count));
}

void requireMap(const HostTensor& x, const HostTensor& regions, std::int64_t columns, const RegionParameters& p) {
  requireRank(x, 4, "the input of a region operator");
  requireRank(regions, 2, "regions");
  if (regions.dim(1) != columns || x.type() != ElementType::Float || regions.type() != ElementType::Float)
    failKernel("the regions do not fit their input");
  if (p.height < 1 || p.width < 1) failKernel("a region needs a size");
}
std::int64_t imageAt(double image, const HostTensor& x) {
  if (!(image >= 0 && image < double(x.dim(0)))) failKernel("a region is of an image that is not there");
  return std::int64_t(image);
}

} // namespace

HostTensor alignRegions(const HostTensor& x, const HostTensor& regions, const HostTensor& images, const RegionParameters& p) {
  requireMap(x, regions, 4, p);
  if (images.count() != regions.dim(0)) failKernel("there is not one image per region");
  const std::int64_t channels = x.dim(1), height = x.dim(2), width = x.dim(3);
  HostTensor result = HostTensor::uninitialised(ElementType::Float, {regions.dim(0), channels, p.height, p.width});
  float* target = result.mutableValues<float>().data();
  for (std::int64_t r = 0; r < regions.dim(0); ++r) {
    const float* corners = regions.values<float>().data() + 4 * r;
    const std::int64_t image = imageAt(double(images.integerAt(r)), x);
    const Span columns = spanOf(double(corners[0]), double(corners[2]), p.width, p);
    const Span rows = spanOf(double(corners[1]), double(corners[3]), p.height, p);
    for (std::int64_t c = 0; c < channels; ++c) {
      const float* plane = x.values<float>().data() + (image * channels + c) * height * width;
      for (std::int64_t i = 0; i < p.height; ++i)
        for (std::int64_t j = 0; j < p.width; ++j)
          *target++ = binValue(plane, height, width, rows, columns, i, j, p.takesMaximum);
    }
  }
  return result;
}

HostTensor maxPoolRegions(const HostTensor& x, const HostTensor& regions, const RegionParameters& p) {
  requireMap(x, regions, 5, p);
  const std::int64_t channels = x.dim(1), height = x.dim(2), width = x.dim(3);
  HostTensor result = HostTensor::uninitialised(ElementType::Float, {regions.dim(0), channels, p.height, p.width});
  float* target = result.mutableValues<float>().data();
  for (std::int64_t r = 0; r < regions.dim(0); ++r) {
    const float* region = regions.values<float>().data() + 5 * r;
    const std::int64_t image = imageAt(double(region[0]), x);
    const auto edge = [&](int i) { return std::round(std::clamp(double(region[i]) * p.scale, -1e9, 1e9)); };
    const double left = edge(1), top = edge(2);
    const double binWidth = std::max(1.0, edge(3) - left + 1) / double(p.width);
    const double binHeight = std::max(1.0, edge(4) - top + 1) / double(p.height);
    const auto inside = [](double at, std::int64_t size) { return std::int64_t(std::clamp(at, 0.0, double(size))); };
    for (std::int64_t c = 0; c < channels; ++c) {
      const float* plane = x.values<float>().data() + (image * channels + c) * height * width;
      for (std::int64_t i = 0; i < p.height; ++i)
        for (std::int64_t j = 0; j < p.width; ++j) {
          const std::int64_t y0 = inside(std::floor(double(i) * binHeight) + top, height),
                             y1 = inside(std::ceil(double(i + 1) * binHeight) + top, height);
          const std::int64_t x0 = inside(std::floor(double(j) * binWidth) + left, width),
                             x1 = inside(std::ceil(double(j + 1) * binWidth) + left, width);
          float most = y1 > y0 && x1 > x0 ? plane[y0 * width + x0] : 0;
          for (std::int64_t y = y0; y < y1; ++y)
            for (std::int64_t k = x0; k < x1; ++k) most = std::max(most, plane[y * width + k]);
          *target++ = most;
        }
    }
  }
  return result;
}

HostTensor unpool(const HostTensor& x, const HostTensor& positions, const Shape& shape) {
  if (positions.count() != x.count()) failKernel("there is not one position per element");
  HostTensor result(x.type(), shape);
  visitReal("MaxUnpool", x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = x.values<T>().data();
    T* target = result.mutableValues<T>().data();
    for (std::int64_t i = 0; i < x.count(); ++i) {
      const std::int64_t at = positions.integerAt(i);
      if (at < 0 || at >= result.count()) failKernel("MaxUnpool writes outside of its output");
      target[at] = source[i];
    }
  });
  return result;
}

} // namespace simcore::numerics
