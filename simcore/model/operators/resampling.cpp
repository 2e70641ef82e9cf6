// Resize and GridSample: interpolation between elements.
#include "simcore/model/operators/family.h"
#include "simcore/numerics/detection.h"
#include "simcore/numerics/resize.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace simcore::model {

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

bool isGiven(const Call& call, std::size_t i) { return call.has(i) && numerics::elementCount(call.shape(i)) > 0; }

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
  if (a.has("axes")) numerics::onAllAxes(p, a.integers("axes"), call.shape(0));
  if (const std::string policy = a.text("keep_aspect_ratio_policy", "stretch"); policy != "stretch" && !p.sizes.empty())
    numerics::keepAspectRatio(p, policy, a.integers("axes"), call.shape(0));
  return p;
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

// The parameters of the forward operator of a gradient.
numerics::ResizeParameters forwardParameters(const Call& gradient) {
  const Node forward = forwardNode(gradient);
  std::vector<std::optional<Call::Operand>> operands;
  for (std::size_t i = 0; i < gradient.inputCount(); ++i)
    operands.push_back(gradient.has(i)
                           ? std::optional(Call::Operand{gradient.type(i), gradient.isKnown(i) ? &gradient.value(i) : nullptr})
                           : std::nullopt);
  return resizeParameters(Call(forward, std::move(operands), {}, {}));
}
Tensors resizeGrad(const Call& call) { return {numerics::resizeGradient(call.value(0), shapeOf(call), forwardParameters(call))}; }

std::int64_t scaled(std::int64_t size, double scale) {
  const double wanted = std::floor(double(size) * scale);
  if (!(wanted >= 0 && wanted < 0x1p62)) // also refuses NaN
    refuseNode("Resize cannot make " + std::to_string(wanted) + " of " + std::to_string(size));
  return std::int64_t(wanted);
}

Types inferResize(const Call& call) {
  const auto p = resizeParameters(call);
  Shape shape = call.shape(0);
  const bool scales = p.sizes.empty();
  requireCount("Resize", scales ? p.scales.size() : p.sizes.size(), shape.size(), scales ? "scale" : "size");
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = p.sizes.empty() ? scaled(shape[i], p.scales[i]) : p.sizes[i];
  return {{call.elementType(0), shape}};
}
Tensors resize(const Call& call) { return {numerics::resize(call.value(0), resizeParameters(call))}; }

Types inferGridSample(const Call& call) {
  const Shape &x = call.shape(0), &grid = call.shape(1);
  if (x.size() != 4 || grid.size() != 4) refuseNode("GridSample needs an input and a grid of rank 4");
  if (numerics::elementCount(x) == 0) refuseNode("the input of GridSample is empty: its shape is " + numerics::toString(x));
  if (grid[0] != x[0] || grid[3] != 2)
    refuseNode("the grid " + numerics::toString(grid) + " of GridSample does not fit its input " + numerics::toString(x) +
               ": it needs the batch size " + std::to_string(x[0]) + " and 2 coordinates");
  return {{call.elementType(0), {x[0], x[1], grid[1], grid[2]}}};
}
numerics::GridParameters gridParameters(const Call& call) {
  using numerics::GridMode;
  using numerics::GridPadding;
  const Attributes& a = call.attributes();
  const auto mode = chosen<GridMode>("mode", a.text("mode", "bilinear"),
                                     {{"bilinear", GridMode::Bilinear},
                                      {"linear", GridMode::Bilinear}, // since opset 20
                                      {"nearest", GridMode::Nearest},
                                      {"bicubic", GridMode::Bicubic},
                                      {"cubic", GridMode::Bicubic}});
  const auto padding = chosen<GridPadding>(
      "padding_mode", a.text("padding_mode", "zeros"),
      {{"zeros", GridPadding::Zeros}, {"border", GridPadding::Border}, {"reflection", GridPadding::Reflection}});
  return {mode, padding, a.integer("align_corners", 0) != 0};
}
Tensors gridSample(const Call& call) {
  const HostTensor x = call.value(0).cast(ElementType::Float), grid = call.value(1).cast(ElementType::Float);
  return {numerics::gridSample(x, grid, gridParameters(call)).cast(call.elementType(0))};
}

Types inferGridSampleGrad(const Call& call) { return {call.type(1), call.type(2)}; }
Tensors gridSampleGrad(const Call& call) {
  const auto in = [&](std::size_t i) { return call.value(i).cast(ElementType::Float); };
  const auto gradients = numerics::gridSampleGradient(in(0), in(1), in(2), gridParameters(call));
  return {gradients.x.cast(call.elementType(1)), gradients.grid.cast(call.elementType(2))};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

void lowerResize(NodeLowering& n) {
  n.give(ops::resize(n.builder(), n.node().opType, n.input(0), n.outputShape(), resizeParameters(n.call())));
}
void lowerResizeGrad(NodeLowering& n) {
  n.give(ops::resizeGradient(n.builder(), n.input(0), n.outputShape(), forwardParameters(n.call())));
}
void lowerGridSample(NodeLowering& n) {
  const Tensor x = n.input(0), grid = n.input(1);
  n.give(ops::gridSample(n.builder(), x, grid, gridParameters(n.call())));
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

void gridSampleBack(const GradientCall& c) {
  const Attributes& a = c.call().attributes();
  const auto parts = c.graph().addOwnMany("GridSampleGrad", {c.gradient(), c.input(0), c.input(1)}, a, {true, true});
  for (std::size_t i = 0; i < parts.size(); ++i) c.give(i, parts[i]);
}
// Applies the weights of the forward pass in reverse.
void resizeBack(const GradientCall& c) { giveReversed(c, "ResizeGrad"); }

constexpr Operator kResamplingOperators[] = {
    {"GridSample", 16, inferGridSample, gridSample, lowerGridSample, gridSampleBack},
    {"GridSampleGrad", 1, inferGridSampleGrad, gridSampleGrad, nullptr, nullptr, kPlain, kOwnDomain},
    {"Resize", 10, inferResize, resize, lowerResize, resizeBack},
    {"Upsample", 6, inferResize, resize, lowerResize, resizeBack},
    {"ResizeGrad", 1, inferShape, resizeGrad, lowerResizeGrad, nullptr, kPlain, kOwnDomain},
};

} // namespace

std::span<const Operator> resamplingOperators() { return kResamplingOperators; }

} // namespace simcore::model
