// A fully connected layer with sparse weights W [output channels, input channels] whose pattern is data: its three products. Options as in
// MatMul.hpp, and doGradAPass, doGradWPass.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "popsparse/FullyConnectedParams.hpp"
#include "popsparse/PlanningCache.hpp"
#include "popsparse/SparseTensor.hpp"

namespace popsparse {
namespace dynamic {

SparseTensor createFullyConnectedWeights(poplar::Graph& graph, const poplar::Type& inputType, const FullyConnectedParams& params,
                                         const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                                         PlanningCache* cache = nullptr);
// Creates [batch, input channels].
poplar::Tensor createFullyConnectedInput(poplar::Graph& graph, const poplar::Type& inputType, const FullyConnectedParams& params,
                                         const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                                         PlanningCache* cache = nullptr);
// activations [batch, input channels] -> [batch, output channels]
poplar::Tensor fullyConnectedFwd(poplar::Graph& graph, const SparseTensor& weights, const poplar::Tensor& activations,
                                 const FullyConnectedParams& fcParams, poplar::program::Sequence& prog,
                                 const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                                 PlanningCache* cache = nullptr);
// gradients [batch, output channels] -> [batch, input channels]
poplar::Tensor fullyConnectedGradA(poplar::Graph& graph, const SparseTensor& weights, const poplar::Tensor& gradients,
                                   const FullyConnectedParams& fcParams, poplar::program::Sequence& prog,
                                   const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                                   PlanningCache* cache = nullptr);
// The gradients of the non-zero values, in the order of these values; 0 for unused positions.
poplar::Tensor fullyConnectedSparseGradW(poplar::Graph& graph, const poplar::Tensor sparsityMetaInfo, const poplar::Tensor& gradA,
                                         const poplar::Tensor& activations, const FullyConnectedParams& fcParams,
                                         poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                                         const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);

} // namespace dynamic
} // namespace popsparse
