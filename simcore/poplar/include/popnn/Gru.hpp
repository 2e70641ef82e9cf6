// GRU layers, forward. Tensors: in [T, N, I], weights [3, I, H], [3, H, H] and biases [3, H] in the order of the cell, the state [N, H].
#pragma once

#include "poplin/MatMul.hpp"
#include "popnn/GruDef.hpp"
#include "popnn/NonLinearityDef.hpp"
#include "popnn/Rnn.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace popnn {
namespace gru {

const std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder();

struct GruParams {
  GruParams(poplar::Type type, std::size_t batch, std::size_t steps, std::vector<std::size_t> sizes,
            NonLinearityType cellActivation = NonLinearityType::TANH,
            NonLinearityType gateActivation = NonLinearityType::SIGMOID);
  GruParams(poplar::Type type, std::size_t batch, std::size_t maxSteps, const poplar::Tensor& steps,
            std::vector<std::size_t> sizes, NonLinearityType cellActivation = NonLinearityType::TANH,
            NonLinearityType gateActivation = NonLinearityType::SIGMOID);

  rnn::RnnParams rnn;
  poplar::Type dataType;
  std::size_t batchSize;
  std::size_t timeSteps;
  std::vector<std::size_t> layerSizes; // I, H
  bool outputFullSequence = true;      // else the last step's output
  bool calcInputGradients = true;
  std::vector<BasicGruCellUnit> cellOrder = getDefaultBasicGruCellOrder();
  bool resetAfter = false; // with biases [3, 2, H]: of the input, of the state
  NonLinearityType activation = NonLinearityType::TANH;
  NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;
};

struct GruWeights {
  poplar::Tensor inputWeights, outputWeights, biases;
};

std::uint64_t getBasicGruCellFwdFlops(const GruParams& params);
poplar::Tensor createInput(poplar::Graph& graph, const GruParams& params, const poplar::DebugContext& debugContext,
                           const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor createInitialState(poplar::Graph& graph, const GruParams& params, const poplar::DebugContext& debugContext,
                                  const poplar::OptionFlags& options = {}, poplin::PlanningCache* cache = nullptr);
std::pair<poplar::Tensor, poplar::Tensor> createWeightsKernel(poplar::Graph& graph, const GruParams& params,
                                                              const poplar::DebugContext& debugContext,
                                                              const poplar::OptionFlags& options = {},
                                                              poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor createWeightsBiases(poplar::Graph& graph, const GruParams& params, const poplar::DebugContext& debugContext,
                                   const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
GruWeights createWeights(poplar::Graph& graph, const GruParams& params, const poplar::DebugContext& debugContext,
                         const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
// The output: [T, N, H], or [N, H] of the last step. `intermediates` is for training, which is not simulated: throws poplibs_error if it is
// not null.
poplar::Tensor gruFwd(poplar::Graph& graph, const GruParams& params, const poplar::Tensor& stateInit, const poplar::Tensor& in,
                      const GruWeights& weights, poplar::Tensor* intermediates, poplar::program::Sequence& fwdProg,
                      const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                      poplin::PlanningCache* planningCache = nullptr);

} // namespace gru
} // namespace popnn
