#include "simcore/ops/vision/resize.h"

#include "simcore/numerics/layout.h"
#include "simcore/ops/cells/cellwise.h"
#include "simcore/ops/move/movement.h"

#include <algorithm>

namespace simcore::ops {

using numerics::HostTensor;
using numerics::ResizeMode;

namespace {

constexpr int64_t kCyclesPerTap = 4;

// Weights of the outputs of one dimension over its inputs: the interpolation of each unit vector.
HostTensor interpolation(const numerics::ResizeParameters& p, std::size_t axis, int64_t inputs) {
  HostTensor units(ElementType::Double, {inputs, inputs});
  for (int64_t i = 0; i < inputs; ++i) units.mutableValues<double>()[std::size_t(i * inputs + i)] = 1;
  numerics::ResizeParameters one = p;
  one.extrapolationValue = 0;
  if (!p.sizes.empty()) one.sizes = {p.sizes[axis], inputs};
  if (!p.scales.empty()) one.scales = {p.scales[axis], 1};
  if (!p.region.empty()) one.region = {p.region[axis], 0, p.region[axis + p.region.size() / 2], 1};
  return numerics::resize(units, one); // [outputs, inputs]
}

// Computes elements of `to` from elements of `from`, one dimension after another; `transposed` uses the transposed weights.
// Elements without weights are `outside`.
PositionKernel separable(std::vector<HostTensor> weights, const Shape& from, const Shape& to, bool transposed,
                         double outside = 0) {
  return [=](const std::vector<HostTensor>& values, const std::vector<int64_t>& positions) {
    const Shape fromStrides = numerics::rowMajorStrides(from), toStrides = numerics::rowMajorStrides(to);
    std::vector<double> result;
    for (const int64_t at : positions) {
      std::vector<std::pair<int64_t, double>> taps{{0, 1}};
      for (std::size_t d = 0; d < from.size(); ++d) {
        std::vector<std::pair<int64_t, double>> more;
        const int64_t row = at / toStrides[d] % to[d];
        for (int64_t i = 0; i < from[d]; ++i)
          if (const double w = weights[d].at(transposed ? i * to[d] + row : row * from[d] + i); w != 0)
            for (const auto& [offset, factor] : taps) more.emplace_back(offset + i * fromStrides[d], factor * w);
        taps = std::move(more);
      }
      double sum = taps.empty() ? outside : 0;
      for (const auto& [offset, factor] : taps) sum += factor * values[0].at(offset);
      result.push_back(sum);
    }
    return HostTensor::vector(result).cast(values[0].type());
  };
}

// Each tile needs the rows of the interpolation for its own outputs; they are constants of the codelet.
std::vector<HostTensor> interpolations(const OpBuilder& b, const numerics::ResizeParameters& p, const Shape& x) {
  std::vector<HostTensor> weights;
  for (std::size_t d = 0; b.byCells() && d < x.size(); ++d) weights.push_back(interpolation(p, d, x[d]));
  return weights;
}

} // namespace

Tensor resize(const OpBuilder& b, const std::string& name, const Tensor& x, const Shape& shape,
              const numerics::ResizeParameters& p) {
  if (p.mode == ResizeMode::Nearest) {
    auto where = p;
    where.extrapolationValue = 0;
    const auto kernel = partKernel(b, [where](const std::vector<HostTensor>& in) { return numerics::resize(in[0], where); });
    return move(b, name, {x}, x.elementType(), shape, 1, {kernel, 1, p.extrapolationValue});
  }
  int64_t taps = 1;
  for (std::size_t d = 0; d < x.rank(); ++d)
    if (x.dim(d) != shape[d]) taps *= p.mode == ResizeMode::Linear ? 2 : 4;
  const double outside = p.coordinates == numerics::ResizeCoordinates::TfCropAndResize ? p.extrapolationValue : 0;
  return generate(b, "resize", {x}, x.elementType(), shape, kCyclesPerTap * taps, {},
                  separable(interpolations(b, p, x.shape()), x.shape(), shape, false, outside));
}

Tensor resizeGradient(const OpBuilder& b, const Tensor& dy, const Shape& x, const numerics::ResizeParameters& p) {
  int64_t taps = 1;
  for (std::size_t d = 0; d < x.size(); ++d)
    if (x[d] != dy.dim(d))
      taps *= std::max<int64_t>(1, dy.dim(d) / std::max<int64_t>(1, x[d])) * (p.mode == ResizeMode::Nearest ? 1 : 2);
  return generate(b, "resizeGrad", {dy}, dy.elementType(), x, kCyclesPerTap * taps, {},
                  separable(interpolations(b, p, x), dy.shape(), x, true));
}

Tensor gridSample(const OpBuilder& b, const Tensor& x, const Tensor& grid, const numerics::GridParameters& p) {
  constexpr int64_t kCycles = 40; // per sample: coordinates, and four taps with their bounds
  const Shape out{x.dim(0), x.dim(1), grid.dim(1), grid.dim(2)};
  const auto sample = [p, out](const std::vector<HostTensor>& in, int64_t at) { // one plane of x, one point of the grid
    const int64_t points = out[2] * out[3], plane = at / points, place = plane / out[1] * points + at % points;
    const int64_t area = in[0].dim(2) * in[0].dim(3);
    const HostTensor one =
        numerics::slice(in[0].reshaped({in[0].count()}), 0, plane * area, area).reshaped({1, 1, in[0].dim(2), in[0].dim(3)});
    const HostTensor to = numerics::slice(in[1].reshaped({in[1].count()}), 0, 2 * place, 2).reshaped({1, 1, 1, 2});
    return numerics::gridSample(one.cast(ElementType::Float), to.cast(ElementType::Float), p).at(0);
  };
  return generate(b, "gridSample", {x, grid}, x.elementType(), out, kCycles, {}, eachPosition(sample));
}

} // namespace simcore::ops
