#include "poplin/Norms.hpp"

#include "popnn/BatchNorm.hpp"
#include "popnn/GroupNorm.hpp"
#include "popnn/Norms.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "popops/ScaledAdd.hpp"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace {

namespace pe = popops::expr;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using Sizes = std::vector<std::size_t>;
using Pair = std::pair<Tensor, Tensor>;

// The graph, program and name that a call appends with.
struct At {
  Graph& graph;
  Sequence& prog;
  const DebugContext& context;

  template<class E> Tensor map(const E& e, const std::vector<Tensor>& operands) const {
    return popops::map(graph, e, operands, prog, context);
  }
  Tensor sum(const Tensor& x, const Sizes& dims, const Type& type) const {
    return popops::reduce(graph, x, type, dims, popops::Operation::ADD, prog, context);
  }
};

// A view of the activations; statistics reduce its dimensions `dims`.
struct View {
  Tensor x;
  Sizes dims;
  // Statistics in a shape that broadcasts to x: extent 1 in `dims`.
  Tensor broadcast(const Tensor& statistics) const {
    Sizes shape = x.shape();
    for (const std::size_t d : dims) shape[d] = 1;
    return statistics.reshape(shape);
  }
  double count() const {
    double n = 1;
    for (const std::size_t d : dims) n *= double(x.dim(unsigned(d)));
    return n;
  }
};

void requireChannels(const Tensor& acts) {
  if (acts.rank() < 2)
    throw poputil::poplibs_error("norm: activations " + acts.getDebugStr() + " must have the shape [N, C, ..]");
}

View byChannel(const Tensor& acts) {
  requireChannels(acts);
  Sizes dims{0};
  for (std::size_t d = 2; d < acts.rank(); ++d) dims.push_back(d);
  return {acts, dims};
}

// [N, C, ..] as [N, C / G, G, F] if `strided`, else as [N, G, C / G, F]; statistics are [N * G].
View byGroup(const Tensor& acts, std::size_t groups, bool strided) {
  requireChannels(acts);
  const std::size_t n = acts.dim(0), channels = acts.dim(1);
  if (groups == 0 || channels % groups != 0)
    throw poputil::poplibs_error("group norm: " + std::to_string(channels) + " channels cannot be divided into " +
                                 std::to_string(groups) + " groups");
  const std::size_t field = acts.numElements() / std::max<std::size_t>(1, n * channels);
  if (strided) return {acts.reshape({n, channels / groups, groups, field}), {1, 3}};
  return {acts.reshape({n, groups, channels / groups, field}), {2, 3}};
}

bool isStrided(const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::gn", options, {"groupNormStridedChannelGrouping"});
  return !options.has("groupNormStridedChannelGrouping") || options.at("groupNormStridedChannelGrouping") == "true";
}
std::size_t groupsOf(const Tensor& acts, const Tensor& statistics) {
  requireChannels(acts);
  return statistics.numElements() / std::max<std::size_t>(1, acts.dim(0));
}

// Replicas that share one batch: `add` sums tensors over the replicas of a group.
struct Replicas {
  poplin::DistributedNormReduceCallback add;
  unsigned group = 1;

  std::vector<Tensor> sums(const At& at, const std::vector<Tensor>& ofEach) const {
    if (group == 1) return ofEach;
    const std::vector<Tensor> all = add(at.graph, ofEach, at.prog, group, at.context, {});
    if (all.size() != ofEach.size())
      throw poputil::poplibs_error("norm: the reduction over replicas got " + std::to_string(ofEach.size()) +
                                   " tensors but returned " + std::to_string(all.size()));
    return all;
  }
};
// The replicas that together hold `batch` samples; each has acts.dim(0) of them.
Replicas replicasOf(const Tensor& acts, unsigned batch, poplin::DistributedNormReduceCallback add) {
  requireChannels(acts);
  const std::size_t own = acts.dim(0);
  if (own == 0 || batch == own) return {};
  if (batch % own != 0 || batch < own)
    throw poputil::poplibs_error("norm: a batch of " + std::to_string(batch) + " is not a multiple of the " +
                                 std::to_string(own) + " samples of a replica");
  if (!add) throw poputil::poplibs_error("norm: a batch over several replicas needs a reduction callback");
  return {std::move(add), unsigned(batch / own)};
}

Pair statistics(const At& at, const View& v, float eps, bool unbiased, bool stable, const Type& partials,
                const Replicas& replicas = {}) {
  const double n = v.count() * replicas.group;
  const double share = n > 0 ? 1 / n : 0;
  const Type type = v.x.elementType();
  const auto squaresOf = [&](const Tensor& x) {
    return popops::reduce(at.graph, x, partials, v.dims, popops::Operation::SQUARE_ADD, at.prog, at.context);
  };
  std::vector<Tensor> sums{at.sum(v.x, v.dims, partials)};
  if (!stable) sums.push_back(squaresOf(v.x));
  sums = replicas.sums(at, sums);
  const Tensor mean = at.map(pe::Cast(pe::_1 * share, type), {sums[0]});
  Tensor variance;
  if (stable) {
    const Tensor distance = at.map(pe::_1 - pe::_2, {v.x, v.broadcast(mean)});
    variance = at.map(pe::_1 * share, {replicas.sums(at, {squaresOf(distance)})[0]});
  } else {
    variance = at.map(pe::Max(pe::_2 * share - pe::Square(pe::_1 * share), pe::Const(0.0)), {sums[0], sums[1]});
  }
  const double factor = unbiased && n > 1 ? n / (n - 1) : 1;
  return {mean, at.map(pe::Cast(pe::Rsqrt(pe::_1 * factor + eps), type), {variance})};
}

Tensor whiten(const At& at, const View& v, const Tensor& mean, const Tensor& inverse) {
  return at.map((pe::_1 - pe::_2) * pe::_3, {v.x, v.broadcast(mean), v.broadcast(inverse)});
}

// inverse * (d - mean(d) - x * mean(d x)) for whitened x.
Tensor throughStatistics(const At& at, const View& x, const Tensor& d, const Tensor& inverse, const Type& partials,
                         const Replicas& replicas = {}) {
  const double n = x.count() * replicas.group;
  const Tensor products = at.map(pe::_1 * pe::_2, {d, x.x});
  const Type type = d.elementType();
  const auto sums = replicas.sums(at, {at.sum(d, x.dims, partials), at.sum(products, x.dims, partials)});
  const Tensor meanD = at.map(pe::Cast(pe::_1 * (1 / n), type), {sums[0]});
  const Tensor meanProduct = at.map(pe::Cast(pe::_1 * (1 / n), type), {sums[1]});
  return at.map(pe::_5 * (pe::_1 - pe::_3 - pe::_2 * pe::_4),
                {d, x.x, x.broadcast(meanD), x.broadcast(meanProduct), x.broadcast(inverse)});
}

Pair parameterGradients(const At& at, const Tensor& whitened, const Tensor& gradsIn, const Type& partials) {
  const View v = byChannel(gradsIn);
  const Tensor products = at.map(pe::_1 * pe::_2, {whitened, gradsIn});
  const Type type = gradsIn.elementType();
  const auto typed = [&](const Tensor& t) { return t.elementType() == type ? t : at.map(pe::Cast(pe::_1, type), {t}); };
  return {typed(at.sum(products, v.dims, partials)), typed(at.sum(gradsIn, v.dims, partials))};
}

Tensor parameter(Graph& graph, const Tensor& acts, const Type& type, const DebugContext& context) {
  requireChannels(acts);
  return graph.addVariable(type, {acts.dim(1)}, poplar::VariableMappingMethod::LINEAR, context);
}

} // namespace

namespace poplin {

Tensor createNormGamma(Graph& graph, const Tensor& acts, const Type& type, const DebugContext& debugContext) {
  return parameter(graph, acts, type, DebugContext(debugContext, "gamma"));
}
Tensor createNormGamma(Graph& graph, const Tensor& acts, const DebugContext& debugContext) {
  return createNormGamma(graph, acts, acts.elementType(), debugContext);
}
Tensor createNormBeta(Graph& graph, const Tensor& acts, const Type& type, const DebugContext& debugContext) {
  return parameter(graph, acts, type, DebugContext(debugContext, "beta"));
}
Tensor createNormBeta(Graph& graph, const Tensor& acts, const DebugContext& debugContext) {
  return createNormBeta(graph, acts, acts.elementType(), debugContext);
}
Pair createNormParams(Graph& graph, const Tensor& acts, const DebugContext& debugContext) {
  return {createNormGamma(graph, acts, debugContext), createNormBeta(graph, acts, debugContext)};
}
Pair normStatistics(Graph& graph, const Tensor& acts, float eps, Sequence& prog, bool unbiasedVarEstimate, bool stableAlgo,
                    const Type& partialsType, const DebugContext& debugContext) {
  return statistics({graph, prog, debugContext}, byChannel(acts), eps, unbiasedVarEstimate, stableAlgo, partialsType);
}
Pair distributedNormStatistics(Graph& replicatedGraph, const Tensor& acts, float eps, Sequence& prog, bool unbiasedVarEstimate,
                               DistributedNormReduceCallback allReduceCallback, unsigned normSize, bool stableAlgo,
                               const Type& partialsType, const DebugContext& debugContext) {
  return statistics({replicatedGraph, prog, debugContext}, byChannel(acts), eps, unbiasedVarEstimate, stableAlgo, partialsType,
                    replicasOf(acts, normSize, std::move(allReduceCallback)));
}
Tensor normWhiten(Graph& graph, const Tensor& acts, const Tensor& mean, const Tensor& invStdDev, Sequence& prog,
                  const DebugContext& debugContext) {
  return whiten({graph, prog, debugContext}, byChannel(acts), mean, invStdDev);
}
Tensor normalise(Graph& graph, const Tensor& actsWhitened, const Tensor& gamma, const Tensor& beta, Sequence& prog,
                 const DebugContext& debugContext) {
  const View v = byChannel(actsWhitened);
  return popops::map(graph, pe::_1 * pe::_2 + pe::_3, {v.x, v.broadcast(gamma), v.broadcast(beta)}, prog, debugContext);
}
Pair normParamGradients(Graph& graph, const Tensor& actsWhitened, const Tensor& gradsIn, Sequence& prog, const Type& partialsType,
                        const DebugContext& debugContext) {
  return parameterGradients({graph, prog, debugContext}, actsWhitened, gradsIn, partialsType);
}
Tensor normGradients(Graph& graph, const Tensor& gradsIn, const Tensor& gamma, Sequence& prog, const DebugContext& debugContext) {
  return popops::map(graph, pe::_1 * pe::_2, {gradsIn, byChannel(gradsIn).broadcast(gamma)}, prog, debugContext);
}
Tensor normStatisticsGradients(Graph& graph, const Tensor& actsWhitened, const Tensor& gradsIn, const Tensor& invStdDev,
                               Sequence& prog, const Type& partialsType, const DebugContext& debugContext) {
  return throughStatistics({graph, prog, debugContext}, byChannel(actsWhitened), gradsIn, invStdDev, partialsType);
}
Tensor distributedNormStatisticsGradients(Graph& replicatedGraph, const Tensor& actsWhitened, const Tensor& gradsIn,
                                          const Tensor& invStdDev, Sequence& prog, DistributedNormReduceCallback reduceCallback,
                                          unsigned normSize, const Type& partialsType, const DebugContext& debugContext) {
  return throughStatistics({replicatedGraph, prog, debugContext}, byChannel(actsWhitened), gradsIn, invStdDev, partialsType,
                           replicasOf(actsWhitened, normSize, std::move(reduceCallback)));
}

} // namespace poplin

namespace popnn {

Tensor createNormGamma(Graph& graph, const Tensor& acts, const DebugContext& debugContext) {
  return poplin::createNormGamma(graph, acts, debugContext);
}
Tensor createNormBeta(Graph& graph, const Tensor& acts, const DebugContext& debugContext) {
  return poplin::createNormBeta(graph, acts, debugContext);
}
Pair createNormParams(Graph& graph, const Tensor acts, const DebugContext& debugContext) {
  return poplin::createNormParams(graph, acts, debugContext);
}
std::uint64_t getNormFwdFlops(std::size_t statisticsSize, std::size_t numActsElements, bool computeStats) {
  return (computeStats ? 3 * numActsElements + 3 * statisticsSize : 0) + 4 * numActsElements;
}
std::uint64_t getNormBwdFlops(std::size_t, std::size_t numActsElements) { return 8 * numActsElements; }
std::uint64_t getNormWuFlops(std::size_t paramsSize, std::size_t numActsElements) { return 3 * numActsElements + 2 * paramsSize; }

namespace {
void updateParameters(Graph& graph, const Tensor& gammaDelta, const Tensor& betaDelta, float scale, const Tensor& gamma,
                      const Tensor& beta, Sequence& prog, const DebugContext& context) {
  popops::scaledAddTo(graph, gamma, gammaDelta, scale, prog, context);
  popops::scaledAddTo(graph, beta, betaDelta, scale, prog, context);
}
void updateParameters(Graph& graph, const Tensor& gammaDelta, const Tensor& betaDelta, const Tensor& scale, const Tensor& gamma,
                      const Tensor& beta, Sequence& prog, const DebugContext& context) {
  popops::scaledAddTo(graph, gamma, gammaDelta, scale, prog, context);
  popops::scaledAddTo(graph, beta, betaDelta, scale, prog, context);
}
} // namespace

namespace bn {

Pair batchNormStatistics(Graph& graph, const Tensor acts, float eps, Sequence& prog, bool unbiasedVarEstimate, bool stableAlgo,
                         const Type& partialsType, const DebugContext& debugContext, const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::bn", options);
  return poplin::normStatistics(graph, acts, eps, prog, unbiasedVarEstimate, stableAlgo, partialsType, debugContext);
}
Pair distributedBatchNormStatistics(Graph& replicatedGraph, const Tensor acts, float eps, Sequence& prog,
                                    bool unbiasedVarEstimate, poplin::DistributedNormReduceCallback reduceCallback,
                                    unsigned normBatchSize, bool stableAlgo, const Type& partialsType,
                                    const DebugContext& debugContext, const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::bn", options);
  return poplin::distributedNormStatistics(replicatedGraph, acts, eps, prog, unbiasedVarEstimate, std::move(reduceCallback),
                                           normBatchSize, stableAlgo, partialsType, debugContext);
}
Tensor batchNormWhiten(Graph& graph, const Tensor& acts, const Tensor& mean, const Tensor& invStdDev, Sequence& prog,
                       const DebugContext& debugContext, const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::bn", options);
  return poplin::normWhiten(graph, acts, mean, invStdDev, prog, debugContext);
}
Pair batchNormalise(Graph& graph, const Tensor& acts, const Tensor& gamma, const Tensor& beta, const Tensor& mean,
                    const Tensor& invStdDev, Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::bn", options);
  const Tensor whitened = poplin::normWhiten(graph, acts, mean, invStdDev, prog, debugContext);
  return {poplin::normalise(graph, whitened, gamma, beta, prog, debugContext), whitened};
}
Tensor batchNormalise(Graph& graph, const Tensor& acts, const Tensor& combinedMultiplicand, const Tensor& addend, Sequence& prog,
                      const DebugContext& debugContext, const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::bn", options);
  return poplin::normalise(graph, acts, combinedMultiplicand, addend, prog, debugContext);
}
Pair batchNormParamGradients(Graph& graph, const Tensor& acts, const Tensor& gradsIn, const Tensor& mean, const Tensor& invStdDev,
                             Sequence& prog, const Type& partialsType, const DebugContext& debugContext,
                             const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::bn", options);
  const Tensor whitened = poplin::normWhiten(graph, acts, mean, invStdDev, prog, debugContext);
  return poplin::normParamGradients(graph, whitened, gradsIn, prog, partialsType, debugContext);
}
Pair batchNormParamGradients(Graph& graph, const Tensor& actsWhitened, const Tensor& gradsIn, Sequence& prog,
                             const Type& partialsType, const DebugContext& debugContext, const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::bn", options);
  return poplin::normParamGradients(graph, actsWhitened, gradsIn, prog, partialsType, debugContext);
}
Tensor batchNormGradients(Graph& graph, const Tensor& actsWhitened, const Tensor& gradsIn, const Tensor& invStdDev,
                          const Tensor& gamma, Sequence& prog, const Type& partialsType, const DebugContext& debugContext,
                          const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::bn", options);
  const Tensor scaled = poplin::normGradients(graph, gradsIn, gamma, prog, debugContext);
  return poplin::normStatisticsGradients(graph, actsWhitened, scaled, invStdDev, prog, partialsType, debugContext);
}
Tensor batchNormGradients(Graph& graph, const Tensor& acts, const Tensor& gradsIn, const Tensor& mean, const Tensor& invStdDev,
                          const Tensor& gamma, Sequence& prog, const Type& partialsType, const DebugContext& debugContext,
                          const OptionFlags& options) {
  const Tensor whitened = poplin::normWhiten(graph, acts, mean, invStdDev, prog, debugContext);
  return batchNormGradients(graph, whitened, gradsIn, invStdDev, gamma, prog, partialsType, debugContext, options);
}
Tensor distributedBatchNormGradients(Graph& replicatedGraph, const Tensor& actsWhitened, const Tensor& gradsIn,
                                     const Tensor& invStdDev, const Tensor& gamma, Sequence& prog,
                                     poplin::DistributedNormReduceCallback reduceCallback, unsigned normBatchSize,
                                     const Type& partialsType, const DebugContext& debugContext, const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::bn", options);
  const Tensor scaled = poplin::normGradients(replicatedGraph, gradsIn, gamma, prog, debugContext);
  return poplin::distributedNormStatisticsGradients(replicatedGraph, actsWhitened, scaled, invStdDev, prog,
                                                    std::move(reduceCallback), normBatchSize, partialsType, debugContext);
}
Tensor distributedBatchNormGradients(Graph& replicatedGraph, const Tensor& acts, const Tensor& gradsIn, const Tensor& mean,
                                     const Tensor& invStdDev, const Tensor& gamma, Sequence& prog,
                                     poplin::DistributedNormReduceCallback reduceCallback, unsigned normBatchSize,
                                     const Type& partialsType, const DebugContext& debugContext, const OptionFlags& options) {
  const Tensor whitened = poplin::normWhiten(replicatedGraph, acts, mean, invStdDev, prog, debugContext);
  return distributedBatchNormGradients(replicatedGraph, whitened, gradsIn, invStdDev, gamma, prog, std::move(reduceCallback),
                                       normBatchSize, partialsType, debugContext, options);
}
void batchNormParamUpdate(Graph& graph, const Tensor& gammaDelta, const Tensor& betaDelta, float scale, Tensor& gamma,
                          Tensor& beta, Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::bn", options);
  updateParameters(graph, gammaDelta, betaDelta, scale, gamma, beta, prog, debugContext);
}
void batchNormParamUpdate(Graph& graph, const Tensor& gammaDelta, const Tensor& betaDelta, const Tensor& scale, Tensor& gamma,
                          Tensor& beta, Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::bn", options);
  updateParameters(graph, gammaDelta, betaDelta, scale, gamma, beta, prog, debugContext);
}

} // namespace bn

namespace gn {

Pair groupNormStatistics(Graph& graph, const Tensor acts, float eps, Sequence& prog, unsigned numGroups, bool unbiasedVarEstimate,
                         bool stableAlgo, const Type& partialsType, const DebugContext& debugContext,
                         const OptionFlags& options) {
  const auto [mean, inverse] = statistics({graph, prog, debugContext}, byGroup(acts, numGroups, isStrided(options)), eps,
                                          unbiasedVarEstimate, stableAlgo, partialsType);
  return {mean.flatten(), inverse.flatten()};
}
Tensor groupNormWhiten(Graph& graph, const Tensor& acts, const Tensor& mean, const Tensor& invStdDev, Sequence& prog,
                       const DebugContext& debugContext, const OptionFlags& options) {
  return whiten({graph, prog, debugContext}, byGroup(acts, groupsOf(acts, mean), isStrided(options)), mean, invStdDev)
      .reshape(acts.shape());
}
Pair groupNormalise(Graph& graph, const Tensor& acts, const Tensor& gamma, const Tensor& beta, const Tensor& mean,
                    const Tensor& invStdDev, Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  const Tensor whitened = groupNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options);
  return {poplin::normalise(graph, whitened, gamma, beta, prog, debugContext), whitened};
}
Pair groupNormParamGradients(Graph& graph, const Tensor& actsWhitened, const Tensor& gradsIn, Sequence& prog,
                             const Type& partialsType, const DebugContext& debugContext, const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::gn", options);
  return poplin::normParamGradients(graph, actsWhitened, gradsIn, prog, partialsType, debugContext);
}
Pair groupNormParamGradients(Graph& graph, const Tensor& acts, const Tensor& gradsIn, const Tensor& mean, const Tensor& invStdDev,
                             Sequence& prog, const Type& partialsType, const DebugContext& debugContext,
                             const OptionFlags& options) {
  const Tensor whitened = groupNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options);
  return groupNormParamGradients(graph, whitened, gradsIn, prog, partialsType, debugContext, options);
}
Tensor groupNormGradients(Graph& graph, const Tensor& actsWhitened, const Tensor& gradsIn, const Tensor& invStdDev,
                          const Tensor& gamma, Sequence& prog, const Type& partialsType, const DebugContext& debugContext,
                          const OptionFlags& options) {
  const Tensor scaled = poplin::normGradients(graph, gradsIn, gamma, prog, debugContext);
  const std::size_t groups = groupsOf(actsWhitened, invStdDev);
  const bool strided = isStrided(options);
  return throughStatistics({graph, prog, debugContext}, byGroup(actsWhitened, groups, strided),
                           byGroup(scaled, groups, strided).x, invStdDev, partialsType)
      .reshape(actsWhitened.shape());
}
Tensor groupNormGradients(Graph& graph, const Tensor& acts, const Tensor& gradsIn, const Tensor& mean, const Tensor& invStdDev,
                          const Tensor& gamma, Sequence& prog, const Type& partialsType, const DebugContext& debugContext,
                          const OptionFlags& options) {
  const Tensor whitened = groupNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options);
  return groupNormGradients(graph, whitened, gradsIn, invStdDev, gamma, prog, partialsType, debugContext, options);
}
void groupNormParamUpdate(Graph& graph, const Tensor& gammaDelta, const Tensor& betaDelta, float scale, Tensor& gamma,
                          Tensor& beta, Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::gn", options);
  updateParameters(graph, gammaDelta, betaDelta, scale, gamma, beta, prog, debugContext);
}
void groupNormParamUpdate(Graph& graph, const Tensor& gammaDelta, const Tensor& betaDelta, const Tensor& scale, Tensor& gamma,
                          Tensor& beta, Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  simcore::poplar::ignoreOptions("popnn::gn", options);
  updateParameters(graph, gammaDelta, betaDelta, scale, gamma, beta, prog, debugContext);
}

} // namespace gn
} // namespace popnn
