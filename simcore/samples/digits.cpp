#include "simcore/samples/digits.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

namespace simcore::samples {

namespace {

struct Point {
  double x, y;
};
using Stroke = std::vector<Point>;

// Strokes on a unit square, y down.
const std::vector<std::vector<Stroke>>& glyphs() {
  static const auto arc = [](double cx, double cy, double rx, double ry, double from, double to) {
    Stroke s;
    for (int i = 0; i <= 16; ++i) {
      const double a = (from + (to - from) * i / 16) * M_PI / 180;
      s.push_back({cx + rx * std::cos(a), cy + ry * std::sin(a)});
    }
    return s;
  };
  static const std::vector<std::vector<Stroke>> all{
      {arc(0.5, 0.5, 0.28, 0.38, 0, 360)},
      {{{0.35, 0.25}, {0.52, 0.12}, {0.52, 0.88}}},
      {arc(0.5, 0.32, 0.25, 0.2, 180, 380), {{0.73, 0.4}, {0.25, 0.88}, {0.77, 0.88}}},
      {arc(0.47, 0.31, 0.25, 0.19, 200, 450), arc(0.47, 0.69, 0.27, 0.19, 270, 520)},
      {{{0.62, 0.88}, {0.62, 0.12}, {0.22, 0.62}, {0.8, 0.62}}},
      {{{0.75, 0.12}, {0.3, 0.12}, {0.28, 0.46}}, arc(0.47, 0.64, 0.27, 0.23, 230, 510)},
      {{{0.66, 0.12}, {0.38, 0.36}, {0.27, 0.62}}, arc(0.5, 0.66, 0.23, 0.22, 0, 360)},
      {{{0.23, 0.12}, {0.77, 0.12}, {0.42, 0.88}}},
      {arc(0.5, 0.31, 0.2, 0.18, 0, 360), arc(0.5, 0.69, 0.25, 0.2, 0, 360)},
      {arc(0.5, 0.34, 0.23, 0.22, 0, 360), {{0.73, 0.34}, {0.68, 0.66}, {0.5, 0.88}}},
  };
  return all;
}

double squaredDistance(const Point& p, const Point& a, const Point& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double t = length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0.0;
  const double x = p.x - a.x - t * dx, y = p.y - a.y - t * dy;
  return x * x + y * y;
}

constexpr double kMostThick = 0.06, kInkEnds = 1.5; // largest thickness of a stroke, and where its ink ends, in thicknesses

// Whether the stroke from a to b may leave ink on p.
bool isNear(const Point& p, const Point& a, const Point& b) {
  constexpr double kReach = kInkEnds * kMostThick + 1e-9;
  return p.x >= std::min(a.x, b.x) - kReach && p.x <= std::max(a.x, b.x) + kReach && p.y >= std::min(a.y, b.y) - kReach &&
         p.y <= std::max(a.y, b.y) + kReach;
}

DigitBatch drawnNow(int64_t n, uint64_t seed) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15ull + 1);
  auto uniform = [&](double low, double high) { return low + (high - low) * double(random() >> 11) * 0x1p-53; };
  DigitBatch batch;
  batch.images = numerics::HostTensor(numerics::ElementType::Float, {n, 1, 28, 28});
  batch.labels = numerics::HostTensor(numerics::ElementType::Int32, {n});
  auto pixels = batch.images.mutableValues<float>();
  auto labels = batch.labels.mutableValues<int32_t>();
  for (int64_t i = 0; i < n; ++i) {
    const int digit = int(random() % 10);
    labels[std::size_t(i)] = digit;
    const double shiftX = uniform(-0.08, 0.08), shiftY = uniform(-0.06, 0.06), thick = uniform(0.035, kMostThick),
                 slant = uniform(-0.15, 0.15);
    for (int y = 0; y < 28; ++y)
      for (int x = 0; x < 28; ++x) {
        Point p{(x + 0.5) / 28 - shiftX, (y + 0.5) / 28 - shiftY};
        p.x += slant * (p.y - 0.5);
        double nearest = 1;
        for (const Stroke& s : glyphs()[std::size_t(digit)])
          for (std::size_t k = 1; k < s.size(); ++k)
            if (isNear(p, s[k - 1], s[k])) nearest = std::min(nearest, squaredDistance(p, s[k - 1], s[k]));
        const double ink = std::clamp(kInkEnds - std::sqrt(nearest) / thick, 0.0, 1.0);
        pixels[std::size_t((i * 28 + y) * 28 + x)] = float(std::clamp(ink + uniform(-0.06, 0.06), 0.0, 1.0));
      }
  }
  return batch;
}

// Draws a batch once for both of its tensors.
struct Drawing {
  std::once_flag made;
  DigitBatch batch;
};

} // namespace

DigitBatch drawDigits(int64_t n, uint64_t seed) {
  const auto drawn = [drawing = std::make_shared<Drawing>(), n, seed]() -> const DigitBatch& {
    std::call_once(drawing->made, [&] { drawing->batch = drawnNow(n, seed); });
    return drawing->batch;
  };
  using numerics::ElementType;
  using numerics::HostTensor;
  return {HostTensor::deferred(ElementType::Float, {n, 1, 28, 28}, [drawn] { return drawn().images; }),
          HostTensor::deferred(ElementType::Int32, {n}, [drawn] { return drawn().labels; })};
}

} // namespace simcore::samples
