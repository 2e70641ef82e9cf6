// Batch norm of [N, C, ..]: statistics of each channel over the batch and the field.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"
#include "poplin/Norms.hpp"

#include <utility>

namespace popnn {
namespace bn {

// Mean and 1 / sqrt(variance + eps) of each channel, [C].
std::pair<poplar::Tensor, poplar::Tensor>
batchNormStatistics(poplar::Graph& graph, const poplar::Tensor acts, float eps, poplar::program::Sequence& prog,
                    bool unbiasedVarEstimate, bool stableAlgo = false, const poplar::Type& partialsType = poplar::FLOAT,
                    const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
// The statistics of `normBatchSize` samples, of which each replica has N; the callback sums over replicas.
std::pair<poplar::Tensor, poplar::Tensor>
distributedBatchNormStatistics(poplar::Graph& replicatedGraph, const poplar::Tensor acts, float eps,
                               poplar::program::Sequence& prog, bool unbiasedVarEstimate,
                               poplin::DistributedNormReduceCallback reduceCallback, unsigned normBatchSize,
                               bool stableAlgo = false, const poplar::Type& partialsType = poplar::FLOAT,
                               const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
// (acts - mean) * invStdDev
poplar::Tensor batchNormWhiten(poplar::Graph& graph, const poplar::Tensor& acts, const poplar::Tensor& mean,
                               const poplar::Tensor& invStdDev, poplar::program::Sequence& prog,
                               const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
// gamma * whitened + beta, and the whitened activations.
std::pair<poplar::Tensor, poplar::Tensor>
batchNormalise(poplar::Graph& graph, const poplar::Tensor& acts, const poplar::Tensor& gamma, const poplar::Tensor& beta,
               const poplar::Tensor& mean, const poplar::Tensor& invStdDev, poplar::program::Sequence& prog,
               const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
// acts * combinedMultiplicand + addend
poplar::Tensor batchNormalise(poplar::Graph& graph, const poplar::Tensor& acts, const poplar::Tensor& combinedMultiplicand,
                              const poplar::Tensor& addend, poplar::program::Sequence& prog,
                              const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
// Gradients of gamma and beta, from activations with their statistics or from whitened activations.
std::pair<poplar::Tensor, poplar::Tensor>
batchNormParamGradients(poplar::Graph& graph, const poplar::Tensor& acts, const poplar::Tensor& gradsIn,
                        const poplar::Tensor& mean, const poplar::Tensor& invStdDev, poplar::program::Sequence& prog,
                        const poplar::Type& partialsType = poplar::FLOAT, const poplar::DebugContext& debugContext = {},
                        const poplar::OptionFlags& options = {});
std::pair<poplar::Tensor, poplar::Tensor> batchNormParamGradients(poplar::Graph& graph, const poplar::Tensor& actsWhitened,
                                                                  const poplar::Tensor& gradsIn, poplar::program::Sequence& prog,
                                                                  const poplar::Type& partialsType = poplar::FLOAT,
                                                                  const poplar::DebugContext& debugContext = {},
                                                                  const poplar::OptionFlags& options = {});
// The gradient of the activations.
poplar::Tensor batchNormGradients(poplar::Graph& graph, const poplar::Tensor& acts, const poplar::Tensor& gradsIn,
                                  const poplar::Tensor& mean, const poplar::Tensor& invStdDev, const poplar::Tensor& gamma,
                                  poplar::program::Sequence& prog, const poplar::Type& partialsType = poplar::FLOAT,
                                  const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
poplar::Tensor batchNormGradients(poplar::Graph& graph, const poplar::Tensor& actsWhitened, const poplar::Tensor& gradsIn,
                                  const poplar::Tensor& invStdDev, const poplar::Tensor& gamma, poplar::program::Sequence& prog,
                                  const poplar::Type& partialsType = poplar::FLOAT, const poplar::DebugContext& debugContext = {},
                                  const poplar::OptionFlags& options = {});
poplar::Tensor distributedBatchNormGradients(poplar::Graph& replicatedGraph, const poplar::Tensor& actsWhitened,
                                             const poplar::Tensor& gradsIn, const poplar::Tensor& invStdDev,
                                             const poplar::Tensor& gamma, poplar::program::Sequence& prog,
                                             poplin::DistributedNormReduceCallback reduceCallback, unsigned normBatchSize,
                                             const poplar::Type& partialsType = poplar::FLOAT,
                                             const poplar::DebugContext& debugContext = {},
                                             const poplar::OptionFlags& options = {});
poplar::Tensor
distributedBatchNormGradients(poplar::Graph& replicatedGraph, const poplar::Tensor& acts, const poplar::Tensor& gradsIn,
                              const poplar::Tensor& mean, const poplar::Tensor& invStdDev, const poplar::Tensor& gamma,
                              poplar::program::Sequence& prog, poplin::DistributedNormReduceCallback reduceCallback,
                              unsigned normBatchSize, const poplar::Type& partialsType = poplar::FLOAT,
                              const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
// gamma += scale * gammaDelta, and beta likewise.
void batchNormParamUpdate(poplar::Graph& graph, const poplar::Tensor& gammaDelta, const poplar::Tensor& betaDelta, float scale,
                          poplar::Tensor& gamma, poplar::Tensor& beta, poplar::program::Sequence& prog,
                          const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
void batchNormParamUpdate(poplar::Graph& graph, const poplar::Tensor& gammaDelta, const poplar::Tensor& betaDelta,
                          const poplar::Tensor& scale, poplar::Tensor& gamma, poplar::Tensor& beta,
                          poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                          const poplar::OptionFlags& options = {});

} // namespace bn
} // namespace popnn
