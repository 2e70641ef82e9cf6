// Several convolutions in one call. They are simulated in sequence.
#pragma once

#include "poplin/Convolution.hpp"

#include <string>
#include <vector>

namespace poplin {
namespace multiconv {

struct CreateTensorArgs {
  ConvParams params;
  poplar::OptionFlags options;
  std::string name;
};
poplar::Tensor createWeights(poplar::Graph& graph, const std::vector<CreateTensorArgs>& args, unsigned weightsIndex,
                             const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
poplar::Tensor createInput(poplar::Graph& graph, const std::vector<CreateTensorArgs>& args, unsigned inputIndex,
                           const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);

struct ConvolutionArgs {
  poplar::Tensor inputs, weights;
  ConvParams params;
  poplar::OptionFlags options;
};
std::vector<poplar::Tensor> convolution(poplar::Graph& graph, const std::vector<ConvolutionArgs>& args,
                                        bool transposeAndFlipWeights, poplar::program::Sequence& prog,
                                        const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                                        PlanningCache* cache = nullptr);
void weightsTransposeChansFlipXY(poplar::Graph& graph, std::vector<ConvolutionArgs>& args,
                                 const std::vector<poplar::Tensor>& weightsIn, poplar::program::Sequence& prog,
                                 const poplar::OptionFlags& options, const poplar::DebugContext& debugContext,
                                 PlanningCache* cache);

struct CalculateWeightDeltasArgs {
  poplar::Tensor zDeltas, activations;
  ConvParams params;
  poplar::OptionFlags options;
};
std::vector<poplar::Tensor> calculateWeightDeltas(poplar::Graph& graph, const std::vector<CalculateWeightDeltasArgs>& args,
                                                  poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                                                  const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);

struct ConvWeightUpdateArgs {
  poplar::Tensor zDeltas, weights, activations, scale;
  ConvParams params;
  poplar::OptionFlags options;
};
void convolutionWeightUpdate(poplar::Graph& graph, const std::vector<ConvWeightUpdateArgs>& args, poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                             PlanningCache* cache = nullptr);
struct ConvWeightUpdateArgsScalar {
  poplar::Tensor zDeltas, weights, activations;
  float scale;
  ConvParams params;
  poplar::OptionFlags options;
};
void convolutionWeightUpdate(poplar::Graph& graph, const std::vector<ConvWeightUpdateArgsScalar>& args,
                             poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                             const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);

} // namespace multiconv
} // namespace poplin
