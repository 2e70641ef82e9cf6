// Regions of interest and non-maximum suppression.
#include "simcore/numerics/detection.h"
#include "simcore/model/operators/family.h"
#include "simcore/numerics/roi_align.h"
#include "simcore/ops/vision/nms.h"

#include <fmt/format.h>

namespace simcore::model {

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

constexpr std::int64_t kMostSamples = 1 << 15; // per bin along one direction

numerics::RegionParameters regionParameters(const Call& call) {
  const Attributes& a = call.attributes();
  numerics::RegionParameters p;
  p.scale = double(a.real("spatial_scale", 1));
  if (call.node().opType.starts_with("MaxRoiPool")) {
    const std::vector<std::int64_t> size = a.integers("pooled_shape");
    requireCount("attribute 'pooled_shape'", size.size(), 2);
    p.height = size[0];
    p.width = size[1];
    return p;
  }
  p.height = a.integer("output_height", 1);
  p.width = a.integer("output_width", 1);
  p.samples = a.integer("sampling_ratio", 0);
  if (p.samples < 0 || p.samples > kMostSamples)
    refuseNode(fmt::format("attribute 'sampling_ratio' is {}, not 0 to {}", p.samples, kMostSamples));
  p.takesMaximum = chosen<bool>("mode", a.text("mode", "avg"), {{"avg", false}, {"max", true}});
  p.halfPixel = chosen<bool>("coordinate_transformation_mode",
                             a.text("coordinate_transformation_mode", call.opset() < 16 ? "output_half_pixel" : "half_pixel"),
                             {{"half_pixel", true}, {"output_half_pixel", false}});
  return p;
}

numerics::SuppressionParameters suppressionParameters(const Call& call) {
  numerics::SuppressionParameters p;
  if (call.has(2)) p.maximumPerClass = call.value(2).integerAt(0);
  if (call.has(3)) p.overlapThreshold = call.value(3).at(0);
  if (call.has(4)) p.scoreThreshold = call.value(4).at(0);
  p.centreFormat = call.attributes().integer("center_point_box", 0) != 0;
  return p;
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

Tensors nonMaxSuppression(const Call& call) {
  return {numerics::nonMaxSuppression(call.value(0), call.value(1), suppressionParameters(call))};
}
// The number of remaining boxes is only known from their values.
Types inferSuppression(const Call& call) { return {{ElementType::Int64, nonMaxSuppression(call)[0].shape()}}; }

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

// A gradient node's inputs are the incoming gradient and then the inputs of the forward node.
Types inferRegionsGrad(const Call& call) { return {call.type(1)}; }
Tensors alignRegionsGrad(const Call& call) {
  const HostTensor x = call.value(1).cast(ElementType::Float), regions = call.value(2).cast(ElementType::Float);
  return {
      numerics::alignRegionsGradient(call.value(0), x, regions, call.value(3), regionParameters(call)).cast(call.elementType(1))};
}
Tensors maxPoolRegionsGrad(const Call& call) {
  const HostTensor x = call.value(1).cast(ElementType::Float), regions = call.value(2).cast(ElementType::Float);
  return {numerics::maxPoolRegionsGradient(call.value(0), x, regions, regionParameters(call)).cast(call.elementType(1))};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

void lowerRoiAlign(NodeLowering& n) {
  n.give(ops::alignRegions(n.builder(), n.input(0), n.input(1), n.input(2), regionParameters(n.call())));
}
void lowerMaxRoiPool(NodeLowering& n) {
  n.give(ops::maxPoolRegions(n.builder(), n.input(0), n.input(1), regionParameters(n.call())));
}

void lowerRoiAlignGrad(NodeLowering& n) {
  const Tensor gradient = n.input(0), x = n.input(1), regions = n.input(2), images = n.input(3);
  n.give(ops::alignRegionsGradient(n.builder(), gradient, x, regions, images, regionParameters(n.call())));
}
void lowerMaxRoiPoolGrad(NodeLowering& n) {
  const Tensor gradient = n.input(0), x = n.input(1), regions = n.input(2);
  n.give(ops::maxPoolRegionsGradient(n.builder(), gradient, x, regions, regionParameters(n.call())));
}

void lowerSuppression(NodeLowering& n) {
  for (std::size_t i = 2; i < n.call().inputCount(); ++i)
    if (n.has(i) && !n.call().isKnown(i)) return lowerGeneric(n);
  n.give(gathered(
      n, ops::nonMaxSuppression(n.builder(), n.input(0), n.input(1), suppressionParameters(n.call()), n.outputShape()[0])));
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

// The gradient of the maps; the regions have no gradient, as in torchvision.
void regionsBack(const GradientCall& c) {
  if (!c.wants(0)) return;
  Attributes a = c.call().attributes();
  if (c.node().opType == "RoiAlign")
    a.set("coordinate_transformation_mode",
          std::string(regionParameters(c.call()).halfPixel ? "half_pixel" : "output_half_pixel"));
  std::vector<std::string> inputs = c.node().inputs;
  inputs.insert(inputs.begin(), c.gradient());
  c.give(0, c.graph().addOwn(c.node().opType + "Grad", inputs, a));
}

constexpr Operator kDetectionOperators[] = {
    {"MaxRoiPool", 6, inferRegions, maxPoolRegions, lowerMaxRoiPool, regionsBack},
    {"MaxRoiPoolGrad", 1, inferRegionsGrad, maxPoolRegionsGrad, lowerMaxRoiPoolGrad, nullptr, kPlain, kOwnDomain},
    {"NonMaxSuppression", 10, inferSuppression, nonMaxSuppression, lowerSuppression, nullptr, kTypedByNumbers},
    {"RoiAlign", 10, inferRegions, alignRegions, lowerRoiAlign, regionsBack},
    {"RoiAlignGrad", 1, inferRegionsGrad, alignRegionsGrad, lowerRoiAlignGrad, nullptr, kPlain, kOwnDomain},
};

} // namespace

std::span<const Operator> detectionOperators() { return kDetectionOperators; }

} // namespace simcore::model
