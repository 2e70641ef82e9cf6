// Interpolation, detection and quantisation.
#include "simcore/model/parameters.h"
#include "simcore/numerics/convolution.h"
#include "simcore/numerics/detection.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/matmul.h"
#include "simcore/numerics/quantise.h"
#include "simcore/numerics/resize.h"
#include "simcore/numerics/roi_align.h"

#include <cmath>

namespace simcore::model {

using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using reports::Error;
using reports::ErrorCode;

namespace {

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

Tensors nonMaxSuppression(const Call& call) {
  return {numerics::nonMaxSuppression(call.value(0), call.value(1), suppressionParameters(call))};
}
// How many boxes remain is only known from their values.
Types inferSuppression(const Call& call) { return {{ElementType::Int64, nonMaxSuppression(call)[0].shape()}}; }

Types inferGridSample(const Call& call) {
  const Shape &x = call.shape(0), &grid = call.shape(1);
  if (x.size() != 4 || grid.size() != 4) throw Error(ErrorCode::InvalidInput, "GridSample needs an input and a grid of rank 4");
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

Types inferRegions(const Call& call) {
  const auto p = regionParameters(call);
  return {{call.elementType(0), {call.shape(1).at(0), call.shape(0).at(1), p.height, p.width}}};
}
Tensors alignRegions(const Call& call) {
  const HostTensor x = call.value(0).cast(ElementType::Float), regions = call.value(1).cast(ElementType::Float);
  return {numerics::alignRegions(x, regions, call.value(2), regionParameters(call)).cast(call.elementType(0))};
}
Tensors maxPoolRegions(const Call& call) {
  const HostTensor x = call.value(0).cast(ElementType::Float), regions = call.value(1).cast(ElementType::Float);
  return {numerics::maxPoolRegions(x, regions, regionParameters(call)).cast(call.elementType(0))};
}

Types inferUnpool(const Call& call) {
  const Shape shape = call.has(2) ? call.value(2).toIntegers() : pooledShape(call);
  if (shape.size() != call.shape(0).size())
    throw Error(ErrorCode::InvalidInput, "the output shape of MaxUnpool does not fit its input");
  return {{call.elementType(0), shape}};
}
Tensors maxUnpool(const Call& call) {
  const Shape from = pooledShape(call), to = inferUnpool(call)[0].shape;
  const HostTensor y = numerics::unpool(call.value(0), call.value(1), from);
  if (to == from) return {y};
  std::vector<std::int64_t> before(from.size(), 0), after(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) after[i] = to[i] - from[i];
  return {numerics::pad(y, before, after, numerics::PadMode::Constant, nullptr)};
}

// The axis matters only where there is one scale per index of it.
std::size_t quantisedAxis(const Call& call) {
  return numerics::elementCount(call.shape(1)) == 1 ? 0 : axisOf(call, 1, call.shape(0).size());
}
Types inferQuantise(const Call& call) { return {{call.has(2) ? call.elementType(2) : ElementType::UInt8, call.shape(0)}}; }
Tensors quantise(const Call& call) {
  const HostTensor zero = call.has(2) ? call.value(2) : HostTensor::scalar(std::uint8_t(0));
  return {numerics::quantise(call.value(0), call.value(1), zero, quantisedAxis(call))};
}
Types inferDequantise(const Call& call) { return {{ElementType::Float, call.shape(0)}}; }
Tensors dequantise(const Call& call) {
  return {numerics::dequantise(call.value(0), call.value(1), call.optional(2), quantisedAxis(call))};
}
Types inferDynamic(const Call& call) {
  return {{ElementType::UInt8, call.shape(0)}, {ElementType::Float, {}}, {ElementType::UInt8, {}}};
}
Tensors quantiseDynamically(const Call& call) {
  const auto result = numerics::quantiseDynamically(call.value(0));
  return {result.values, result.scale, result.zeroPoint};
}

// Inputs: x, its scale, its zero point, weights, their scale and zero point, output scale and zero point (, bias).
Types inferQuantisedConvolution(const Call& call) {
  const auto p = convolutionParameters(call, 3);
  return {{call.elementType(7), numerics::convolutionShape(call.shape(0), call.shape(3), p.window, p.groups)}};
}
Tensors quantisedConvolution(const Call& call) {
  const auto p = convolutionParameters(call, 3);
  const HostTensor x = numerics::dequantise(call.value(0), call.value(1), call.optional(2), 0);
  const HostTensor weights = numerics::dequantise(call.value(3), call.value(4), call.optional(5), 0);
  std::optional<HostTensor> bias;
  if (call.has(8)) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < call.value(8).count(); ++i)
      values.push_back(float(call.value(8).at(i) * call.value(1).at(0) * call.value(4).at(call.value(4).count() > 1 ? i : 0)));
    bias = HostTensor::vector(values);
  }
  const HostTensor y = numerics::convolution(x, weights, bias ? &*bias : nullptr, p.window, p.groups);
  return {numerics::quantise(y, call.value(6), call.value(7), 0)};
}
Types inferQuantisedMatmul(const Call& call) {
  return {{call.elementType(7), numerics::matmulShape(call.shape(0), call.shape(3))}};
}
Tensors quantisedMatmul(const Call& call) {
  const std::size_t rank = call.shape(0).size(), rightRank = call.shape(3).size();
  const HostTensor a = numerics::dequantise(call.value(0), call.value(1), call.optional(2), rank < 2 ? 0 : rank - 2);
  const HostTensor b = numerics::dequantise(call.value(3), call.value(4), call.optional(5), rightRank - 1);
  return {numerics::quantise(numerics::matmul(a, b), call.value(6), call.value(7), 0)};
}

constexpr Operator kVisionOperators[] = {
    {"Resize", inferResize, resize},
    {"Upsample", inferResize, resize},
    {"NonMaxSuppression", inferSuppression, nonMaxSuppression},
    {"GridSample", inferGridSample, gridSample},
    {"RoiAlign", inferRegions, alignRegions},
    {"MaxRoiPool", inferRegions, maxPoolRegions},
    {"MaxUnpool", inferUnpool, maxUnpool},
    {"QuantizeLinear", inferQuantise, quantise},
    {"DequantizeLinear", inferDequantise, dequantise},
    {"DynamicQuantizeLinear", inferDynamic, quantiseDynamically},
    {"QLinearConv", inferQuantisedConvolution, quantisedConvolution},
    {"QLinearMatMul", inferQuantisedMatmul, quantisedMatmul},
};

} // namespace

std::span<const Operator> visionOperators() { return kVisionOperators; }

} // namespace simcore::model
