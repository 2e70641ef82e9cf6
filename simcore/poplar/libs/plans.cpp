// Plans of convolutions and products: made in advance, reported, and converted between the two. The planner keeps every plan of
// the process, so equal convolutions are planned once, with or without a cache of the caller.
#include "poplin/ConvPreplan.hpp"
#include "poplin/ConvUtil.hpp"
#include "poplin/Convolution.hpp"
#include "poplin/MatMul.hpp"
#include "simcore/poplar/libs/conv_options.h"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>

namespace simcore::poplar {

ops::ConvParams plannedParams(const ::poplin::ConvParams& p) {
  if (p.getNumFieldDims() > 2)
    throw ::poputil::poplibs_error("poplin: plans of convolutions over three dimensions are not reported");
  ops::ConvParams q;
  q.type = inner(p.inputType);
  q.batch = int64_t(p.batchSize);
  q.groups = int64_t(p.numConvGroups);
  q.inChannels = int64_t(p.inputChannelsPerConvGroup);
  q.outChannels = int64_t(p.outputChannelsPerConvGroup);
  const std::size_t skipped = 2 - p.getNumFieldDims();
  for (unsigned d = 0; d < p.getNumFieldDims(); ++d) {
    q.in[skipped + d] = p.getTransformedInputSize(d);
    q.kernel[skipped + d] = p.getTruncatedKernelSize(d);
    q.dilation[skipped + d] = p.kernelTransform.dilation[d];
    q.stride[skipped + d] = p.outputTransform.stride[d];
  }
  return q;
}

ops::ConvParams plannedProduct(const ::poplar::Type& type, const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  const std::size_t rank = a.size();
  if ((rank != 2 && rank != 3) || b.size() != rank || a[rank - 1] != b[rank - 2] || (rank == 3 && a[0] != b[0]))
    throw ::poputil::poplibs_error("poplin: shapes " + numerics::toString(sizesOf(a)) + " and " + numerics::toString(sizesOf(b)) +
                                   " cannot be multiplied");
  ops::ConvParams p;
  p.type = inner(type);
  p.groups = rank == 3 ? int64_t(a[0]) : 1;
  p.in = {int64_t(a[rank - 2]), 1};
  p.inChannels = int64_t(a[rank - 1]);
  p.outChannels = int64_t(b[rank - 1]);
  p.product = true;
  return p;
}

} // namespace simcore::poplar

namespace poplin {

using namespace simcore::poplar::names;

class PlanningCacheImpl {
public:
  std::set<ConvParams> convolutions;
  std::set<MatMulParams> products;
};
PlanningCache::PlanningCache() : impl(new PlanningCacheImpl) {}
PlanningCache::~PlanningCache() = default;
std::size_t PlanningCache::size() const { return impl->convolutions.size() + impl->products.size(); }

namespace {

ops::ConvPlan planOf(const poplar::Target& target, const ConvParams& params, const OptionFlags& options, const char* call) {
  const auto read = sp::convOptionsOf(call, options);
  params.validate();
  return sp::inLibrary(
      [&] { return ops::planConvolution(sp::inner(target), ops::withPartials(sp::plannedParams(params), read), read); });
}
ops::ConvPlan planOf(const poplar::Target& target, const poplar::Type& type, const Sizes& a, const Sizes& b,
                     const OptionFlags& options, const char* call) {
  const auto read = sp::convOptionsOf(call, options);
  return sp::inLibrary(
      [&] { return ops::planConvolution(sp::inner(target), ops::withPartials(sp::plannedProduct(type, a, b), read), read); });
}

void plan(const std::set<ConvPlanParams>& convolutions, PlanningCache& cache) {
  for (const auto& [target, params, options] : convolutions) {
    planOf(*target, params, *options, "poplin::preplan");
    cache.impl->convolutions.insert(params);
  }
}
void plan(const std::set<MatMulPlanParams>& products, PlanningCache& cache) {
  for (const auto& [target, params, options] : products) {
    planOf(*target, params.inputType, params.aShape, params.bShape, *options, "poplin::preplan");
    cache.impl->products.insert(params);
  }
}

} // namespace

void preplan(const std::set<ConvPlanParams>& convs, const std::set<MatMulPlanParams>& matmuls, PlanningCache& cache) {
  plan(convs, cache);
  plan(matmuls, cache);
}
void preplanConvolutions(const std::set<ConvPlanParams>& convolutions, PlanningCache& cache) { plan(convolutions, cache); }
void preplanConvolutions(Graph&, const std::set<ConvPlanParams>& convolutions, PlanningCache& cache) {
  plan(convolutions, cache);
}
void preplanMatMuls(const std::set<MatMulPlanParams>& products, matmul::PlanningCache& cache) { plan(products, cache); }

bool operator<(const MatMulParams& a, const MatMulParams& b) {
  return std::tie(a.inputType, a.outputType, a.aShape, a.bShape) < std::tie(b.inputType, b.outputType, b.aShape, b.bShape);
}

// A product as a convolution: the field has the rows of the left operand, the input channels are its columns.
std::set<ConvPlanParams> matMulGetConvPlanParams(const std::set<MatMulPlanParams>& matmuls,
                                                 MatMulToConvOptions& matmulToConvOpts) {
  std::set<ConvPlanParams> all;
  for (const auto& [target, params, options] : matmuls) {
    sp::plannedProduct(params.inputType, params.aShape, params.bShape);
    const std::size_t rank = params.aShape.size();
    const ConvParams convolution(params.inputType, params.outputType, 1, {params.aShape[rank - 2]}, {1}, params.aShape[rank - 1],
                                 params.bShape[rank - 1], rank == 3 ? params.aShape[0] : 1);
    const OptionFlags& converted = matmulToConvOpts.emplace(options, *options).first->second;
    all.emplace(target, convolution, &converted);
  }
  return all;
}

void matmulValidateOptions(const OptionFlags& options) { sp::convOptionsOf("poplin::matMul", options); }
void convolutionValidateOptions(const OptionFlags& options) { sp::convOptionsOf("poplin::convolution", options); }

namespace {
void reportProduct(std::ostream& out, const Graph& graph, const poplar::Type& inputType, const Sizes& aShape, const Sizes& bShape,
                   const OptionFlags& options, const char* call) {
  const auto isEmpty = [](const Sizes& shape) { return std::find(shape.begin(), shape.end(), std::size_t(0)) != shape.end(); };
  if (isEmpty(aShape) || isEmpty(bShape))
    out << "no plan: the product has no elements to multiply\n";
  else
    out << planOf(graph.getTarget(), inputType, aShape, bShape, options, call).text() << '\n';
}
} // namespace

void matMulReportPlan(std::ostream& out, const Graph& graph, const poplar::Type& inputType, const poplar::Type&,
                      const Sizes& aShape, const Sizes& bShape, const OptionFlags& options, PlanningCache*) {
  reportProduct(out, graph, inputType, aShape, bShape, options, "poplin::matMulReportPlan");
}
void matMulGroupedReportPlan(std::ostream& out, const Graph& graph, const poplar::Type& inputType, const poplar::Type&,
                             const Sizes& aShape, const Sizes& bShape, const OptionFlags& options, PlanningCache*) {
  reportProduct(out, graph, inputType, aShape, bShape, options, "poplin::matMulGroupedReportPlan");
}
void reportPlanInfo(std::ostream& out, const Graph& graph, const ConvParams& params, const OptionFlags& options, PlanningCache*) {
  out << planOf(graph.getTarget(), params, options, "poplin::reportPlanInfo").text() << '\n';
}
void reportWeightUpdatePlanInfo(std::ostream& out, const Graph& graph, const ConvParams& fwdParams, const OptionFlags& fwdOptions,
                                PlanningCache*) {
  out << planOf(graph.getTarget(), getWeightUpdateParams(fwdParams), fwdOptions, "poplin::reportWeightUpdatePlanInfo").text()
      << '\n';
}
PlanCosts reportPlanEstimatedCosts(const Graph& graph, const ConvParams& params, const OptionFlags& options, PlanningCache*) {
  const auto cost = planOf(graph.getTarget(), params, options, "poplin::reportPlanEstimatedCosts").cost();
  return PlanCosts{std::size_t(cost.cycles), std::size_t(cost.temporaryBytes)};
}

Tensor fullyConnectedWeightTranspose(Graph& graph, Tensor weights, const ConvParams& params, Sequence& prog,
                                     const DebugContext& debugContext, const OptionFlags& options, PlanningCache* cache) {
  if (params.getNumFieldDims() != 1 || weights.rank() != 4)
    throw poputil::poplibs_error("poplin::fullyConnectedWeightTranspose: " + weights.getDebugStr() +
                                 " should be the weights of a convolution over one dimension");
  const Tensor turned = weights.dimShuffle({0, 2, 1, 3});
  const Tensor made = createWeights(graph, params, debugContext, options, cache);
  if (made.shape() != turned.shape())
    throw poputil::poplibs_error("poplin::fullyConnectedWeightTranspose: " + weights.getDebugStr() +
                                 " do not become the weights " + made.shapeToString() + " of the backward pass");
  prog.add(poplar::program::Copy(turned, made, false, debugContext));
  return made;
}

} // namespace poplin
