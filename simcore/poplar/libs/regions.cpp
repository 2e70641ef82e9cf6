#include "poplin/MatMul.hpp"
#include "poplin/MeshGrid.hpp"
#include "popnn/NonLinearity.hpp"
#include "popnn/SpatialSoftMax.hpp"
#include "popnn/experimental/ROIAlign.hpp"
#include "popops/ElementWise.hpp"
#include "simcore/numerics/roi_align.h"
#include "simcore/ops/vision/roi_align.h"
#include "simcore/poplar/libs/library_call.h"

namespace popnn {

using namespace simcore::poplar::names;
using simcore::numerics::RegionParameters;

std::pair<Tensor, Tensor> spatialSoftMax2D(Graph& graph, Sequence& prog, const Tensor& fields, float initialTemperature,
                                           bool disableSoftmax, const DebugContext& debugContext) {
  if (fields.rank() != 3)
    throw poputil::poplibs_error("popnn::spatialSoftMax2D: the fields " + fields.getDebugStr() +
                                 " are not [fields, height, width]");
  const DebugContext context(debugContext, "spatialSoftMax");
  const poplar::Type type = fields.elementType();
  const Tensor temperature =
      graph.addVariable(type, {}, poplar::VariableMappingMethod::LINEAR, DebugContext(context, "temperature"));
  graph.setInitialValue(temperature, initialTemperature);
  Tensor weights = popops::div(graph, fields, temperature, prog, DebugContext(context, "scaled"));
  const std::size_t count = fields.dim(0), height = fields.dim(1), width = fields.dim(2), size = height * width;
  if (!disableSoftmax)
    weights = nonLinearity(graph, NonLinearityType::SOFTMAX_STABLE, weights.reshape({1, count * size}), prog,
                           DebugContext(context, "softmax"));
  const std::vector<Tensor> grids = poplin::meshgrid2d(graph, poplin::linspace(graph, type, -1, 1, width, context),
                                                       poplin::linspace(graph, type, -1, 1, height, context));
  const Tensor places = poplar::concat({grids[1].reshape({size, 1}), grids[0].reshape({size, 1})}, 1);
  return {poplin::matMul(graph, weights.reshape({count, size}), places, prog, DebugContext(context, "places")), temperature};
}

namespace experimental {

namespace {
struct Regions {
  std::int64_t samples = 0, height = 1, width = 1;
  bool shifted = false;
  double scale = 1;
  friend void fields(sp::Archive& a, Regions& r) { a(r.samples, r.height, r.width, r.shifted, r.scale); }
};
Regions regionsOf(const roiAlignParams& p) {
  return {std::int64_t(p.samplingRatio_), std::int64_t(p.alignedHeight_), std::int64_t(p.alignedWidth_), p.aligned_,
          double(p.spatialScale_)};
}
RegionParameters parametersOf(const Regions& r) {
  RegionParameters p;
  p.samples = r.samples;
  p.height = r.height;
  p.width = r.width;
  p.halfPixel = r.shifted;
  p.scale = r.scale;
  return p;
}
void requireRegions(const char* call, const Tensor& data, const Tensor& rois, const Tensor& images) {
  const auto refuse = [&](const std::string& why) { throw poputil::poplibs_error(std::string(call) + ": " + why); };
  if (data.rank() != 4) refuse("the maps " + data.getDebugStr() + " must have four dimensions");
  if (rois.rank() != 2 || rois.dim(1) != 4) refuse("the regions " + rois.getDebugStr() + " must have the shape [regions, 4]");
  if (images.numElements() != rois.dim(0))
    refuse("the images " + images.getDebugStr() + " must have one element per region of " + rois.getDebugStr());
}
} // namespace

Tensor roiAlignFwd(Graph& graph, Sequence& prog, Tensor& bottomData, Tensor& bottomRois, Tensor& bottomBatchIndex,
                   const roiAlignParams& params, const DebugContext& debugContext) {
  requireRegions("popnn::experimental::roiAlignFwd", bottomData, bottomRois, bottomBatchIndex);
  return sp::library(
      graph, prog, debugContext, "roiAlign",
      [](const ops::OpBuilder& b, const auto& x, const auto& rois, const auto& images, const auto& regions) {
        return ops::alignRegions(b, sp::inner(x), sp::inner(rois), sp::inner(images).flatten(), parametersOf(regions));
      },
      bottomData, bottomRois, bottomBatchIndex, regionsOf(params));
}

Tensor roiAlignInputGradient(Graph& graph, Sequence& prog, Tensor& bottomData, Tensor& bottomRois, Tensor& bottomBatchIndex,
                             Tensor& topDataGrad, const roiAlignParams& params, const DebugContext& debugContext) {
  const char* call = "popnn::experimental::roiAlignInputGradient";
  requireRegions(call, bottomData, bottomRois, bottomBatchIndex);
  if (topDataGrad.shape() !=
      std::vector<std::size_t>{bottomRois.dim(0), bottomData.dim(1), params.alignedHeight_, params.alignedWidth_})
    throw poputil::poplibs_error(std::string(call) + ": " + topDataGrad.getDebugStr() + " must have the shape of the result");
  return sp::library(
      graph, prog, debugContext, "roiAlignGradient",
      [](const ops::OpBuilder& b, const auto& x, const auto& rois, const auto& images, const auto& dy, const auto& regions) {
        return ops::alignRegionsGradient(b, sp::inner(dy), sp::inner(x), sp::inner(rois), sp::inner(images).flatten(),
                                         parametersOf(regions));
      },
      bottomData, bottomRois, bottomBatchIndex, topDataGrad, regionsOf(params));
}

} // namespace experimental
} // namespace popnn
