// The parts of norms of activations [N, C, ..]: statistics per channel, whitening, scale and shift, and their gradients.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace poplin {

// Create parameters [C].
poplar::Tensor createNormGamma(poplar::Graph& graph, const poplar::Tensor& acts, const poplar::Type& type,
                               const poplar::DebugContext& debugContext = {});
poplar::Tensor createNormGamma(poplar::Graph& graph, const poplar::Tensor& acts, const poplar::DebugContext& debugContext = {});
poplar::Tensor createNormBeta(poplar::Graph& graph, const poplar::Tensor& acts, const poplar::Type& type,
                              const poplar::DebugContext& debugContext = {});
poplar::Tensor createNormBeta(poplar::Graph& graph, const poplar::Tensor& acts, const poplar::DebugContext& debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor> createNormParams(poplar::Graph& graph, const poplar::Tensor& acts,
                                                           const poplar::DebugContext& debugContext = {});
// Mean and 1 / sqrt(variance + eps) of each channel, [C]; the variance is divided by n - 1 if `unbiasedVarEstimate`.
std::pair<poplar::Tensor, poplar::Tensor> normStatistics(poplar::Graph& graph, const poplar::Tensor& acts, float eps,
                                                         poplar::program::Sequence& prog, bool unbiasedVarEstimate,
                                                         bool stableAlgo = false,
                                                         const poplar::Type& partialsType = poplar::FLOAT,
                                                         const poplar::DebugContext& debugContext = {});
// Sums each tensor over `groupSize` replicas.
using DistributedNormReduceCallback = std::function<std::vector<poplar::Tensor>(
    poplar::Graph& replicatedGraph, const std::vector<poplar::Tensor>& inputsToReduce, poplar::program::Sequence& prog,
    unsigned groupSize, const poplar::DebugContext& debugContext, const poplar::OptionFlags& options)>;
// The statistics of `normSize` samples, of which each replica has N. With several replicas the callback sums over them.
std::pair<poplar::Tensor, poplar::Tensor>
distributedNormStatistics(poplar::Graph& replicatedGraph, const poplar::Tensor& acts, float eps, poplar::program::Sequence& prog,
                          bool unbiasedVarEstimate, DistributedNormReduceCallback allReduceCallback, unsigned normSize,
                          bool stableAlgo = false, const poplar::Type& partialsType = poplar::FLOAT,
                          const poplar::DebugContext& debugContext = {});
// (acts - mean) * invStdDev
poplar::Tensor normWhiten(poplar::Graph& graph, const poplar::Tensor& acts, const poplar::Tensor& mean,
                          const poplar::Tensor& invStdDev, poplar::program::Sequence& prog,
                          const poplar::DebugContext& debugContext = {});
// gamma * acts + beta
poplar::Tensor normalise(poplar::Graph& graph, const poplar::Tensor& actsWhitened, const poplar::Tensor& gamma,
                         const poplar::Tensor& beta, poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {});
// Sums over each channel of grads * acts, and of grads.
std::pair<poplar::Tensor, poplar::Tensor> normParamGradients(poplar::Graph& graph, const poplar::Tensor& actsWhitened,
                                                             const poplar::Tensor& gradsIn, poplar::program::Sequence& prog,
                                                             const poplar::Type& partialsType = poplar::FLOAT,
                                                             const poplar::DebugContext& debugContext = {});
// gamma * grads
poplar::Tensor normGradients(poplar::Graph& graph, const poplar::Tensor& gradsIn, const poplar::Tensor& gamma,
                             poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
// The gradient through the statistics: invStdDev * (grads - mean(grads) - acts * mean(grads * acts)).
poplar::Tensor normStatisticsGradients(poplar::Graph& graph, const poplar::Tensor& actsWhitened, const poplar::Tensor& gradsIn,
                                       const poplar::Tensor& invStdDev, poplar::program::Sequence& prog,
                                       const poplar::Type& partialsType = poplar::FLOAT,
                                       const poplar::DebugContext& debugContext = {});
poplar::Tensor distributedNormStatisticsGradients(poplar::Graph& replicatedGraph, const poplar::Tensor& actsWhitened,
                                                  const poplar::Tensor& gradsIn, const poplar::Tensor& invStdDev,
                                                  poplar::program::Sequence& prog, DistributedNormReduceCallback reduceCallback,
                                                  unsigned normSize, const poplar::Type& partialsType = poplar::FLOAT,
                                                  const poplar::DebugContext& debugContext = {});

} // namespace poplin
