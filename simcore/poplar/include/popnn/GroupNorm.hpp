// Group norm of [N, C, ..]: statistics of each sample over groups of channels. With the option groupNormStridedChannelGrouping,
// which is true by default, group g has the channels g, g + numGroups, …; without it, neighbouring channels.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

#include <utility>

namespace popnn {
namespace gn {

// Mean and 1 / sqrt(variance + eps) of each sample and group, [N * groups].
std::pair<poplar::Tensor, poplar::Tensor> groupNormStatistics(poplar::Graph& graph, const poplar::Tensor acts, float eps,
                                                              poplar::program::Sequence& prog, unsigned numGroups,
                                                              bool unbiasedVarEstimate, bool stableAlgo = false,
                                                              const poplar::Type& partialsType = poplar::FLOAT,
                                                              const poplar::DebugContext& debugContext = {},
                                                              const poplar::OptionFlags& options = {});
// (acts - mean) * invStdDev
poplar::Tensor groupNormWhiten(poplar::Graph& graph, const poplar::Tensor& acts, const poplar::Tensor& mean,
                               const poplar::Tensor& invStdDev, poplar::program::Sequence& prog,
                               const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
// gamma * whitened + beta, and the whitened activations.
std::pair<poplar::Tensor, poplar::Tensor>
groupNormalise(poplar::Graph& graph, const poplar::Tensor& acts, const poplar::Tensor& gamma, const poplar::Tensor& beta,
               const poplar::Tensor& mean, const poplar::Tensor& invStdDev, poplar::program::Sequence& prog,
               const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
// Gradients of gamma and beta, from activations with their statistics or from whitened activations.
std::pair<poplar::Tensor, poplar::Tensor>
groupNormParamGradients(poplar::Graph& graph, const poplar::Tensor& acts, const poplar::Tensor& gradsIn,
                        const poplar::Tensor& mean, const poplar::Tensor& invStdDev, poplar::program::Sequence& prog,
                        const poplar::Type& partialsType = poplar::FLOAT, const poplar::DebugContext& debugContext = {},
                        const poplar::OptionFlags& options = {});
std::pair<poplar::Tensor, poplar::Tensor> groupNormParamGradients(poplar::Graph& graph, const poplar::Tensor& actsWhitened,
                                                                  const poplar::Tensor& gradsIn, poplar::program::Sequence& prog,
                                                                  const poplar::Type& partialsType = poplar::FLOAT,
                                                                  const poplar::DebugContext& debugContext = {},
                                                                  const poplar::OptionFlags& options = {});
// The gradient of the activations.
poplar::Tensor groupNormGradients(poplar::Graph& graph, const poplar::Tensor& acts, const poplar::Tensor& gradsIn,
                                  const poplar::Tensor& mean, const poplar::Tensor& invStdDev, const poplar::Tensor& gamma,
                                  poplar::program::Sequence& prog, const poplar::Type& partialsType = poplar::FLOAT,
                                  const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
poplar::Tensor groupNormGradients(poplar::Graph& graph, const poplar::Tensor& actsWhitened, const poplar::Tensor& gradsIn,
                                  const poplar::Tensor& invStdDev, const poplar::Tensor& gamma, poplar::program::Sequence& prog,
                                  const poplar::Type& partialsType = poplar::FLOAT, const poplar::DebugContext& debugContext = {},
                                  const poplar::OptionFlags& options = {});
// gamma += scale * gammaDelta, and beta likewise.
void groupNormParamUpdate(poplar::Graph& graph, const poplar::Tensor& gammaDelta, const poplar::Tensor& betaDelta, float scale,
                          poplar::Tensor& gamma, poplar::Tensor& beta, poplar::program::Sequence& prog,
                          const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
void groupNormParamUpdate(poplar::Graph& graph, const poplar::Tensor& gammaDelta, const poplar::Tensor& betaDelta,
                          const poplar::Tensor& scale, poplar::Tensor& gamma, poplar::Tensor& beta,
                          poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                          const poplar::OptionFlags& options = {});

} // namespace gn
} // namespace popnn
