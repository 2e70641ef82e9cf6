#include "poplin/MatMul.hpp"
#include "poplin/MeshGrid.hpp"
#include "popnn/NonLinearity.hpp"
#include "popnn/SpatialSoftMax.hpp"
#include "popnn/experimental/ROIAlign.hpp"
#include "popops/ElementWise.hpp"
#include "simcore/numerics/roi_align.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/vision/roi_align.h"
#include "simcore/poplar/libs/library_call.h"

namespace popnn {

namespace sp = simcore::poplar;
namespace sg = simcore::graph;
namespace ops = simcore::ops;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;
using simcore::codelets::BinaryOp;
using simcore::numerics::ElementType;
using simcore::numerics::HostTensor;
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
  if (data.rank() != 4 || rois.rank() != 2 || rois.dim(1) != 4 || images.numElements() != rois.dim(0))
    throw poputil::poplibs_error(std::string(call) + ": the maps " + data.getDebugStr() + ", the regions " + rois.getDebugStr() +
                                 " and the images " + images.getDebugStr() + " do not fit together");
}

// Each element of dy goes to the elements of the map that its bin read.
HostTensor scattered(const std::vector<HostTensor>& in, const sg::Shape& x, const RegionParameters& p, ElementType type) {
  const std::vector<double> dy = in[2].toDoubles();
  std::vector<double> dx(std::size_t(x[0] * x[1] * x[2] * x[3]), 0);
  const HostTensor regions = in[0].cast(ElementType::Float);
  std::size_t at = 0;
  for (std::int64_t r = 0; r < regions.dim(0); ++r) {
    const std::int64_t image = simcore::numerics::regionImage(in[1].at(r), x);
    std::vector<simcore::numerics::RegionBin> bins;
    for (std::int64_t h = 0; h < p.height; ++h)
      for (std::int64_t w = 0; w < p.width; ++w) bins.push_back(simcore::numerics::alignedBin(regions, r, h, w, x, p));
    for (std::int64_t c = 0; c < x[1]; ++c)
      for (const auto& bin : bins) {
        const double share = dy[at++] / bin.divisor;
        for (const auto& tap : bin.taps)
          dx[std::size_t(((image * x[1] + c) * x[2] + tap.row) * x[3] + tap.column)] += share * tap.weight;
      }
  }
  return HostTensor::of(x, dx).cast(type);
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
    throw poputil::poplibs_error(std::string(call) + ": " + topDataGrad.getDebugStr() + " is not the gradient of the result");
  return sp::library(
      graph, prog, debugContext, "roiAlignGradient",
      [](const ops::OpBuilder& b, const auto& x, const auto& rois, const auto& images, const auto& dy, const auto& regions) {
        const RegionParameters parameters = parametersOf(regions);
        const sg::Tensor data = sp::inner(x), at = sp::inner(rois), which = sp::inner(images).flatten();
        const ElementType type = data.elementType();
        const sg::Shape shape = data.shape();
        const sg::Tensor out = b.output(type, {data.numElements()}, "gradient", b.linear(data.numElements(), type));
        ops::alignRegions(b.timeOnly(), data, at, which, parameters);
        ops::binary(b.timeOnly(), BinaryOp::Add, out, out);
        b.compute({at, which, sp::inner(dy)}, {out}, ops::oneResult([shape, parameters, type](const std::vector<HostTensor>& in) {
                    return scattered(in, shape, parameters, type).reshaped({shape[0] * shape[1] * shape[2] * shape[3]});
                  }));
        return out.reshape(shape);
      },
      bottomData, bottomRois, bottomBatchIndex, topDataGrad, regionsOf(params));
}

} // namespace experimental
} // namespace popnn
