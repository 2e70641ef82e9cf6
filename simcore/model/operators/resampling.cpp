// Resizing and sampling between elements.
#include "simcore/model/operators/family.h"
#include "simcore/numerics/detection.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/resize.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace simcore::model {

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

bool isGiven(const Call& call, std::size_t i) { return call.has(i) && numerics::elementCount(call.shape(i)) > 0; }

// Since opset 18 scales, sizes and the region may be those of some axes only.
void onAllAxes(numerics::ResizeParameters& p, const std::vector<std::int64_t>& axes, const Shape& shape) {
  const std::size_t rank = shape.size(), n = axes.size();
  std::vector<double> scales(rank, 1), region(2 * rank, 0);
  std::fill(region.begin() + std::ptrdiff_t(rank), region.end(), 1);
  Shape sizes = shape;
  const auto fits = [&](std::size_t count, std::size_t wanted) {
    if (count && count != wanted) refuseNode("the axes of Resize do not fit its scales, sizes or region");
    return count != 0;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t axis = numerics::normaliseAxis(axes[i], rank);
    if (fits(p.scales.size(), n)) scales[axis] = p.scales[i];
    if (fits(p.sizes.size(), n)) sizes[axis] = p.sizes[i];
    if (!fits(p.region.size(), 2 * n)) continue;
    region[axis] = p.region[i];
    region[rank + axis] = p.region[n + i];
  }
  if (!p.scales.empty()) p.scales = scales;
  if (!p.sizes.empty()) p.sizes = sizes;
  if (!p.region.empty()) p.region = region;
}

// One scale for all axes: the smallest or the largest of those that the sizes ask for.
void keepAspectRatio(numerics::ResizeParameters& p, const std::string& policy, std::vector<std::int64_t> axes,
                     const Shape& shape) {
  if (policy != "not_larger" && policy != "not_smaller") refuseNode("attribute 'keep_aspect_ratio_policy' is '" + policy + "'");
  if (p.sizes.size() != shape.size()) refuseNode("the sizes of Resize do not fit the shape " + numerics::toString(shape));
  if (axes.empty()) {
    axes.resize(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  std::optional<double> scale;
  for (const std::int64_t axis : axes) {
    const std::size_t i = numerics::normaliseAxis(axis, shape.size());
    const double own = double(p.sizes[i]) / double(std::max<std::int64_t>(1, shape[i]));
    scale = !scale ? own : policy == "not_larger" ? std::min(*scale, own) : std::max(*scale, own);
  }
  p.scales.assign(shape.size(), 1);
  for (const std::int64_t axis : axes) {
    const std::size_t i = numerics::normaliseAxis(axis, shape.size());
    p.scales[i] = *scale;
    p.sizes[i] = std::int64_t(std::floor(*scale * double(shape[i]) + 0.5));
  }
}

numerics::ResizeParameters resizeParameters(const Call& call) {
  using Coordinates = numerics::ResizeCoordinates;
  using Rounding = numerics::NearestRounding;
  const Attributes& a = call.attributes();
  numerics::ResizeParameters p;
  p.mode = chosen<numerics::ResizeMode>("mode", a.text("mode", "nearest"),
                                        {{"nearest", numerics::ResizeMode::Nearest},
                                         {"linear", numerics::ResizeMode::Linear},
                                         {"bilinear", numerics::ResizeMode::Linear},
                                         {"cubic", numerics::ResizeMode::Cubic}});
  const bool isOld = call.node().opType == "Upsample" || call.opset() < 11;
  p.coordinates = chosen<Coordinates>("coordinate_transformation_mode",
                                      a.text("coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel"),
                                      {{"half_pixel", Coordinates::HalfPixel},
                                       {"pytorch_half_pixel", Coordinates::PytorchHalfPixel},
                                       {"align_corners", Coordinates::AlignCorners},
                                       {"asymmetric", Coordinates::Asymmetric},
                                       {"tf_crop_and_resize", Coordinates::TfCropAndResize},
                                       {"tf_half_pixel_for_nn", Coordinates::TfHalfPixelForNearest}});
  p.rounding = chosen<Rounding>("nearest_mode", a.text("nearest_mode", isOld ? "" : "round_prefer_floor"),
                                {{"round_prefer_floor", Rounding::PreferFloor},
                                 {"round_prefer_ceil", Rounding::PreferCeil},
                                 {"floor", Rounding::Floor},
                                 {"ceil", Rounding::Ceil},
                                 {"", Rounding::Shrinking}});
  p.cubicCoefficient = double(a.real("cubic_coeff_a", -0.75f));
  p.excludeOutside = a.integer("exclude_outside", 0) != 0;
  p.extrapolationValue = double(a.real("extrapolation_value", 0));
  const std::size_t scales = isOld ? 1 : 2;
  if (isGiven(call, scales)) p.scales = call.value(scales).toDoubles();
  for (const float scale : a.reals("scales")) p.scales.push_back(double(scale));
  if (!isOld && isGiven(call, 3)) p.sizes = call.value(3).toIntegers();
  if (!isOld && isGiven(call, 1)) p.region = call.value(1).toDoubles();
  if (a.integer("antialias", 0))
    throw Error(ErrorCode::Unsupported, "Resize with antialias (opset " + std::to_string(call.opset()) + ") is not supported");
  if (a.has("axes")) onAllAxes(p, a.integers("axes"), call.shape(0));
  if (const std::string policy = a.text("keep_aspect_ratio_policy", "stretch"); policy != "stretch" && !p.sizes.empty())
    keepAspectRatio(p, policy, a.integers("axes"), call.shape(0));
  return p;
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

Tensors resizeGrad(const Call& call) {
  const Node forward = forwardNode(call);
  std::vector<std::optional<Call::Operand>> operands;
  for (std::size_t i = 0; i < call.inputCount(); ++i)
    operands.push_back(call.has(i) ? std::optional(Call::Operand{call.type(i), &call.value(i)}) : std::nullopt);
  return {numerics::resizeGradient(call.value(0), shapeOf(call), resizeParameters(Call(forward, std::move(operands), {}, {})))};
}

std::int64_t scaled(std::int64_t size, double scale) {
  const double wanted = std::floor(double(size) * scale);
  if (!(wanted >= 0 && wanted < 0x1p62)) // nor what is no number
    throw Error(ErrorCode::InvalidInput, "Resize cannot make " + std::to_string(wanted) + " of " + std::to_string(size));
  return std::int64_t(wanted);
}

Types inferResize(const Call& call) {
  const auto p = resizeParameters(call);
  Shape shape = call.shape(0);
  if (p.sizes.empty() ? p.scales.size() != shape.size() : p.sizes.size() != shape.size())
    throw Error(ErrorCode::InvalidInput, "the scales or sizes of Resize do not fit the shape " + numerics::toString(shape));
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = p.sizes.empty() ? scaled(shape[i], p.scales[i]) : p.sizes[i];
  return {{call.elementType(0), shape}};
}
Tensors resize(const Call& call) { return {numerics::resize(call.value(0), resizeParameters(call))}; }

Types inferGridSample(const Call& call) {
  const Shape &x = call.shape(0), &grid = call.shape(1);
  if (x.size() != 4 || grid.size() != 4) throw Error(ErrorCode::InvalidInput, "GridSample needs an input and a grid of rank 4");
  if (grid[0] != x[0] || grid[3] != 2 || numerics::elementCount(x) == 0)
    throw Error(ErrorCode::InvalidInput, "the grid of GridSample does not fit its input");
  return {{call.elementType(0), {x[0], x[1], grid[1], grid[2]}}};
}
Tensors gridSample(const Call& call) {
  using numerics::GridMode;
  using numerics::GridPadding;
  const auto mode = chosen<GridMode>("mode", call.attributes().text("mode", "bilinear"),
                                     {{"bilinear", GridMode::Bilinear},
                                      {"linear", GridMode::Bilinear}, // since opset 20
                                      {"nearest", GridMode::Nearest},
                                      {"bicubic", GridMode::Bicubic},
                                      {"cubic", GridMode::Bicubic}});
  const auto padding = chosen<GridPadding>(
      "padding_mode", call.attributes().text("padding_mode", "zeros"),
      {{"zeros", GridPadding::Zeros}, {"border", GridPadding::Border}, {"reflection", GridPadding::Reflection}});
  const HostTensor x = call.value(0).cast(ElementType::Float), grid = call.value(1).cast(ElementType::Float);
  return {
      numerics::gridSample(x, grid, mode, padding, call.attributes().integer("align_corners", 0) != 0).cast(call.elementType(0))};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

// Weights of output positions of one dimension over its inputs: what the interpolation makes of each unit vector.
HostTensor interpolation(const numerics::ResizeParameters& p, std::size_t axis, std::int64_t inputs) {
  HostTensor units(ElementType::Double, {inputs, inputs});
  for (std::int64_t i = 0; i < inputs; ++i) units.mutableValues<double>()[std::size_t(i * inputs + i)] = 1;
  numerics::ResizeParameters one = p;
  one.extrapolationValue = 0;
  if (!p.sizes.empty()) one.sizes = {p.sizes[axis], inputs};
  if (!p.scales.empty()) one.scales = {p.scales[axis], 1};
  if (!p.region.empty()) one.region = {p.region[axis], 0, p.region[axis + p.region.size() / 2], 1};
  return numerics::resize(units, one); // [outputs, inputs]
}

// Elements of `to` from those of `from`, one dimension after the other; `transposed` takes the weights the other way round. What
// has no weights is `outside`.
ops::PositionKernel separable(Tensors weights, const Shape& from, const Shape& to, bool transposed, double outside = 0) {
  return [=](const Tensors& values, const Positions& positions) {
    const Shape fromStrides = numerics::rowMajorStrides(from), toStrides = numerics::rowMajorStrides(to);
    std::vector<double> result;
    for (const std::int64_t at : positions) {
      std::vector<std::pair<std::int64_t, double>> taps{{0, 1}};
      for (std::size_t d = 0; d < from.size(); ++d) {
        std::vector<std::pair<std::int64_t, double>> more;
        const std::int64_t row = at / toStrides[d] % to[d];
        for (std::int64_t i = 0; i < from[d]; ++i)
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

void lowerResize(NodeLowering& n) {
  const auto p = resizeParameters(n.call());
  const Tensor x = n.input(0);
  if (p.mode == numerics::ResizeMode::Nearest) {
    auto where = p;
    where.extrapolationValue = 0;
    n.give(ops::move(
        n.builder(), n.node().opType, {x}, n.outputType(), n.outputShape(), 1,
        {partKernel(n, [where](const Tensors& in) { return numerics::resize(in[0], where); }), 1, p.extrapolationValue}));
    return;
  }
  constexpr std::int64_t kCyclesPerTap = 4;
  std::int64_t tapCount = 1;
  for (std::size_t d = 0; d < x.rank(); ++d)
    if (x.dim(d) != n.outputShape()[d]) tapCount *= p.mode == numerics::ResizeMode::Linear ? 2 : 4;
  // Each tile needs the rows of the interpolation for its own outputs; they are constants of the codelet.
  Tensors weights;
  if (n.byVertices())
    for (std::size_t d = 0; d < x.rank(); ++d) weights.push_back(interpolation(p, d, x.dim(d)));
  const double outside = p.coordinates == numerics::ResizeCoordinates::TfCropAndResize ? p.extrapolationValue : 0;
  n.give(ops::generate(n.builder(), "resize", {x}, n.outputType(), n.outputShape(), kCyclesPerTap * tapCount, {},
                       separable(weights, x.shape(), n.outputShape(), false, outside)));
}

// Each input gathers what the outputs it went into bring back.
void lowerResizeGrad(NodeLowering& n) {
  constexpr std::int64_t kCyclesPerTap = 4;
  const Node forward = forwardNode(n.call());
  std::vector<std::optional<Call::Operand>> operands;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i)
    operands.push_back(n.has(i)
                           ? std::optional(Call::Operand{n.call().type(i), n.call().isKnown(i) ? &n.call().value(i) : nullptr})
                           : std::nullopt);
  const auto p = resizeParameters(Call(forward, std::move(operands), {}, {}));
  const Tensor dy = n.input(0);
  const Shape x = n.outputShape();
  Tensors weights;
  std::int64_t taps = 1;
  for (std::size_t d = 0; d < x.size(); ++d) {
    if (n.byVertices()) weights.push_back(interpolation(p, d, x[d]));
    if (x[d] != dy.dim(d))
      taps *= std::max<std::int64_t>(1, dy.dim(d) / std::max<std::int64_t>(1, x[d])) *
              (p.mode == numerics::ResizeMode::Nearest ? 1 : 2);
  }
  n.give(ops::generate(n.builder(), "resizeGrad", {dy}, n.outputType(), x, kCyclesPerTap * taps, {},
                       separable(weights, dy.shape(), x, true)));
}

void lowerGridSample(NodeLowering& n) {
  constexpr std::int64_t kCycles = 40; // coordinates, four taps with their bounds
  const Tensor x = n.input(0), grid = n.input(1);
  const auto own = n.hostKernel({0, 1});
  n.give(ops::generate(
      n.builder(), "gridSample", {x, grid}, n.outputType(), n.outputShape(), kCycles, {},
      [own, out = n.outputShape()](const Tensors& in, const Positions& positions) {
        std::vector<double> result;
        for (const std::int64_t at : positions) { // one plane of x, one point of the grid
          const std::int64_t point = at % (out[2] * out[3]), plane = at / (out[2] * out[3]), image = plane / out[1];
          const Shape size{1, 1, in[0].dim(2), in[0].dim(3)};
          const std::int64_t area = size[2] * size[3];
          const HostTensor one = numerics::slice(in[0].reshaped({in[0].count()}), 0, plane * area, area).reshaped(size);
          const HostTensor to = numerics::slice(in[1].reshaped({in[1].count()}), 0, 2 * (image * out[2] * out[3] + point), 2)
                                    .reshaped({1, 1, 1, 2});
          result.push_back(own({one, to}).at(0).at(0));
        }
        return HostTensor::vector(result).cast(in[0].type());
      }));
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

// The taps of the forward pass the other way round.
void resizeBack(const GradientCall& c) { giveReversed(c, "ResizeGrad"); }

constexpr Operator kResamplingOperators[] = {
    {"GridSample", 16, inferGridSample, gridSample, lowerGridSample},
    {"Resize", 10, inferResize, resize, lowerResize, resizeBack},
    {"Upsample", 6, inferResize, resize, lowerResize, resizeBack},
    {"ResizeGrad", 1, inferShape, resizeGrad, lowerResizeGrad, nullptr, kPlain, kOwnDomain},
};

} // namespace

std::span<const Operator> resamplingOperators() { return kResamplingOperators; }

} // namespace simcore::model
