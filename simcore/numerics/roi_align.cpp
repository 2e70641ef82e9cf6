#include "simcore/numerics/roi_align.h"
#include "simcore/numerics/kernel_support.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace simcore::numerics {

namespace {

constexpr std::int64_t kMostSamples = std::int64_t(1) << 20; // per bin

// As in Detectron: a position up to one element outside counts as on the edge, a position farther out as 0.
void addSample(RegionBin& bin, std::int64_t height, std::int64_t width, double y, double x) {
  if (!(y >= -1 && y <= double(height) && x >= -1 && x <= double(width))) {
    bin.reachesOutside = true;
    return;
  }
  y = std::clamp(y, 0.0, double(height - 1));
  x = std::clamp(x, 0.0, double(width - 1));
  const auto y0 = std::int64_t(y), x0 = std::int64_t(x);
  const std::int64_t y1 = std::min(y0 + 1, height - 1), x1 = std::min(x0 + 1, width - 1);
  const double dy = y - double(y0), dx = x - double(x0);
  bin.taps.push_back({y0, x0, (1 - dy) * (1 - dx)});
  bin.taps.push_back({y0, x1, (1 - dy) * dx});
  bin.taps.push_back({y1, x0, dy * (1 - dx)});
  bin.taps.push_back({y1, x1, dy * dx});
}

[[noreturn]] void failTooManySamples() {
  failKernel("a region needs more than " + std::to_string(kMostSamples) + " samples per bin");
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
  if (!std::isfinite(samples)) failKernel("the coordinates of a region are not finite");
  if (samples > double(kMostSamples)) failTooManySamples();
  span.samples = std::max<std::int64_t>(0, std::int64_t(samples));
  return span;
}

void requireMap(const HostTensor& x, const HostTensor& regions, std::int64_t columns, const RegionParameters& p) {
  requireRank(x, 4, "the input of a region operator");
  requireRank(regions, 2, "regions");
  if (regions.dim(1) != columns)
    failKernel("the regions have " + std::to_string(regions.dim(1)) + " columns instead of " + std::to_string(columns));
  if (x.type() != ElementType::Float || regions.type() != ElementType::Float)
    failKernel("a region operator needs an input and regions of type float");
  if (p.height < 1 || p.width < 1) failKernel("the output size of a region must be at least 1 x 1");
}

void requireImages(const HostTensor& images, const HostTensor& regions) {
  if (images.count() != regions.dim(0))
    failKernel(std::to_string(images.count()) + " images are given for " + std::to_string(regions.dim(0)) + " regions");
}

} // namespace

RegionBin alignedBin(const HostTensor& regions, std::int64_t region, std::int64_t row, std::int64_t column, const Shape& x,
                     const RegionParameters& p) {
  const float* corners = regions.values<float>().data() + 4 * region;
  const Span columns = spanOf(double(corners[0]), double(corners[2]), p.width, p);
  const Span rows = spanOf(double(corners[1]), double(corners[3]), p.height, p);
  if (rows.samples * columns.samples > kMostSamples) failTooManySamples();
  RegionBin bin;
  bin.takesMaximum = p.takesMaximum;
  bin.divisor = double(std::max<std::int64_t>(1, rows.samples * columns.samples));
  for (std::int64_t i = 0; i < rows.samples; ++i)
    for (std::int64_t j = 0; j < columns.samples; ++j)
      addSample(bin, x[2], x[3], rows.start + rows.bin * (double(row) + (double(i) + 0.5) / double(rows.samples)),
                columns.start + columns.bin * (double(column) + (double(j) + 0.5) / double(columns.samples)));
  return bin;
}

RegionBin pooledBin(const HostTensor& regions, std::int64_t region, std::int64_t row, std::int64_t column, const Shape& x,
                    const RegionParameters& p) {
  const float* corners = regions.values<float>().data() + 5 * region;
  const auto edge = [&](int i) { return std::round(std::clamp(double(corners[i]) * p.scale, -1e9, 1e9)); };
  const double left = edge(1), top = edge(2);
  const double binWidth = std::max(1.0, edge(3) - left + 1) / double(p.width);
  const double binHeight = std::max(1.0, edge(4) - top + 1) / double(p.height);
  const auto inside = [](double at, std::int64_t size) { return std::int64_t(std::clamp(at, 0.0, double(size))); };
  const std::int64_t y0 = inside(std::floor(double(row) * binHeight) + top, x[2]),
                     y1 = inside(std::ceil(double(row + 1) * binHeight) + top, x[2]);
  const std::int64_t x0 = inside(std::floor(double(column) * binWidth) + left, x[3]),
                     x1 = inside(std::ceil(double(column + 1) * binWidth) + left, x[3]);
  RegionBin bin;
  bin.takesMaximum = true;
  for (std::int64_t y = y0; y < y1; ++y)
    for (std::int64_t k = x0; k < x1; ++k) bin.taps.push_back({y, k, 1});
  return bin;
}

std::int64_t regionImage(double image, const Shape& x) {
  if (!(image >= 0 && image < double(x[0])))
    failKernel("a region refers to image " + std::to_string(image) + " of " + std::to_string(x[0]));
  return std::int64_t(image);
}

namespace {

// The maximum of the weighted neighbours instead of the samples, like ONNX Runtime.
float binValue(const RegionBin& bin, const float* plane, std::int64_t width) {
  double sum = 0, most = bin.reachesOutside ? 0 : -std::numeric_limits<double>::infinity();
  for (const RegionTap& t : bin.taps) {
    const double term = t.weight * double(plane[t.row * width + t.column]);
    sum += term;
    most = std::max(most, term);
  }
  if (bin.taps.empty()) return 0;
  return float(bin.takesMaximum ? most : sum / bin.divisor);
}

// Adds the gradient of a bin to the elements that it read.
void addBack(const RegionBin& bin, double gradient, const float* plane, double* target, std::int64_t width) {
  if (!bin.takesMaximum) {
    for (const RegionTap& t : bin.taps) target[t.row * width + t.column] += t.weight * gradient / bin.divisor;
    return;
  }
  double most = bin.reachesOutside ? 0 : -std::numeric_limits<double>::infinity();
  const RegionTap* best = nullptr;
  for (const RegionTap& t : bin.taps)
    if (const double term = t.weight * double(plane[t.row * width + t.column]); term > most) {
      most = term;
      best = &t;
    }
  if (best) target[best->row * width + best->column] += best->weight * gradient;
}

template<class ImageOf, class BinOf>
HostTensor readBack(const HostTensor& gradient, const HostTensor& x, std::int64_t regions, const RegionParameters& p,
                    ImageOf imageOf, BinOf binOf) {
  const std::int64_t channels = x.dim(1), area = x.dim(2) * x.dim(3), bins = p.height * p.width;
  if (gradient.shape() != Shape{regions, channels, p.height, p.width})
    failKernel("the gradient does not have the shape of the regions' bins");
  const std::vector<double> dy = gradient.toDoubles();
  std::vector<double> dx(std::size_t(x.count()), 0);
  for (std::int64_t r = 0; r < regions; ++r) {
    const std::int64_t image = imageOf(r) * channels * area;
    for (std::int64_t i = 0; i < bins; ++i) {
      const RegionBin bin = binOf(r, i / p.width, i % p.width);
      for (std::int64_t c = 0; c < channels; ++c)
        addBack(bin, dy[std::size_t((r * channels + c) * bins + i)], x.values<float>().data() + image + c * area,
                dx.data() + image + c * area, x.dim(3));
    }
  }
  return HostTensor::of(x.shape(), dx).cast(ElementType::Float);
}

// Every bin of every region, for all channels of its image.
template<class ImageOf, class BinOf>
HostTensor readRegions(const HostTensor& x, std::int64_t regions, const RegionParameters& p, ImageOf imageOf, BinOf binOf) {
  const std::int64_t channels = x.dim(1), area = x.dim(2) * x.dim(3), bins = p.height * p.width;
  HostTensor result = HostTensor::uninitialised(ElementType::Float, {regions, channels, p.height, p.width});
  float* target = result.mutableValues<float>().data();
  for (std::int64_t r = 0; r < regions; ++r) {
    const float* image = x.values<float>().data() + imageOf(r) * channels * area;
    for (std::int64_t i = 0; i < bins; ++i) {
      const RegionBin bin = binOf(r, i / p.width, i % p.width);
      for (std::int64_t c = 0; c < channels; ++c)
        target[(r * channels + c) * bins + i] = binValue(bin, image + c * area, x.dim(3));
    }
  }
  return result;
}

} // namespace

HostTensor alignRegions(const HostTensor& x, const HostTensor& regions, const HostTensor& images, const RegionParameters& p) {
  requireMap(x, regions, 4, p);
  requireImages(images, regions);
  return readRegions(
      x, regions.dim(0), p, [&](std::int64_t r) { return regionImage(double(images.integerAt(r)), x.shape()); },
      [&](std::int64_t r, std::int64_t i, std::int64_t j) { return alignedBin(regions, r, i, j, x.shape(), p); });
}

HostTensor maxPoolRegions(const HostTensor& x, const HostTensor& regions, const RegionParameters& p) {
  requireMap(x, regions, 5, p);
  return readRegions(
      x, regions.dim(0), p, [&](std::int64_t r) { return regionImage(regions.at(5 * r), x.shape()); },
      [&](std::int64_t r, std::int64_t i, std::int64_t j) { return pooledBin(regions, r, i, j, x.shape(), p); });
}

HostTensor alignRegionsGradient(const HostTensor& gradient, const HostTensor& x, const HostTensor& regions,
                                const HostTensor& images, const RegionParameters& p) {
  requireMap(x, regions, 4, p);
  requireImages(images, regions);
  return readBack(
      gradient, x, regions.dim(0), p, [&](std::int64_t r) { return regionImage(double(images.integerAt(r)), x.shape()); },
      [&](std::int64_t r, std::int64_t i, std::int64_t j) { return alignedBin(regions, r, i, j, x.shape(), p); });
}

HostTensor maxPoolRegionsGradient(const HostTensor& gradient, const HostTensor& x, const HostTensor& regions,
                                  const RegionParameters& p) {
  requireMap(x, regions, 5, p);
  return readBack(
      gradient, x, regions.dim(0), p, [&](std::int64_t r) { return regionImage(regions.at(5 * r), x.shape()); },
      [&](std::int64_t r, std::int64_t i, std::int64_t j) { return pooledBin(regions, r, i, j, x.shape(), p); });
}

HostTensor unpool(const HostTensor& x, const HostTensor& positions, const Shape& shape) {
  if (positions.count() != x.count())
    failKernel("MaxUnpool has " + std::to_string(positions.count()) + " positions for " + std::to_string(x.count()) +
               " elements");
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
