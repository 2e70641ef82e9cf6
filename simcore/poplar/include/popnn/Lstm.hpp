// LSTM layers, forward and backward. Tensors: in [T, N, I], weights [4, I, H], [4, H, H] and biases [4, H] in the order of the
// cell, states [N, H].
#pragma once

#include "poplin/MatMul.hpp"
#include "popnn/LstmDef.hpp"
#include "popnn/NonLinearityDef.hpp"
#include "popnn/Rnn.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace popnn {
namespace lstm {

const std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder();

struct LstmParams {
  LstmParams(poplar::Type type, std::size_t batch, std::size_t steps, std::vector<std::size_t> sizes,
             NonLinearityType cellActivation = NonLinearityType::TANH,
             NonLinearityType gateActivation = NonLinearityType::SIGMOID);
  LstmParams(poplar::Type type, std::size_t batch, std::size_t maxSteps, const poplar::Tensor& steps,
             std::vector<std::size_t> sizes, NonLinearityType cellActivation = NonLinearityType::TANH,
             NonLinearityType gateActivation = NonLinearityType::SIGMOID);

  rnn::RnnParams rnn;
  poplar::Type dataType;
  std::size_t batchSize;
  std::size_t timeSteps;
  std::vector<std::size_t> layerSizes; // I, H
  bool outputFullSequence = true;      // else the last step's output
  bool doInputWeightCalc = true;
  bool calcInputGradients = true;
  bool preserveFinalState = false;
  std::vector<BasicLstmCellUnit> cellOrder = getDefaultBasicLstmCellOrder();
  NonLinearityType activation = NonLinearityType::TANH;
  NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;
};

struct LstmState {
  poplar::Tensor output, cellState;
  poplar::Tensor getAsTensor() const; // [2, N, H]
};
struct LstmWeights {
  poplar::Tensor inputWeights, outputWeights, biases;
};

std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>> getMatMulPrePlanParameters(LstmParams params,
                                                                                             poplar::OptionFlags opts);
std::uint64_t getBasicLstmCellFwdFlops(const LstmParams& params);
std::uint64_t getBasicLstmCellBwdFlops(const LstmParams& params);
std::uint64_t getBasicLstmCellWuFlops(const LstmParams& params);
poplar::Tensor createInput(poplar::Graph& graph, const LstmParams& params, const poplar::DebugContext& debugContext,
                           const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor createInitialOutput(poplar::Graph& graph, const LstmParams& params, const poplar::DebugContext& debugContext,
                                   const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor createInitialCellState(poplar::Graph& graph, const LstmParams& params, const poplar::DebugContext& debugContext,
                                      const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
LstmState createInitialState(poplar::Graph& graph, const LstmParams& params, const poplar::DebugContext& debugContext,
                             const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
void zeroInitialState(poplar::Graph& graph, const LstmState& initialState, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor> createWeightsKernel(poplar::Graph& graph, const LstmParams& params,
                                                              const poplar::DebugContext& debugContext,
                                                              const poplar::OptionFlags& options = {},
                                                              poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor createWeightsBiases(poplar::Graph& graph, const LstmParams& params, const poplar::DebugContext& debugContext,
                                   const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
LstmWeights createWeights(poplar::Graph& graph, const LstmParams& params, const poplar::DebugContext& debugContext,
                          const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
// The output ([T, N, H], or [N, H] of the last step) and the last cell state. `intermediates`: null for inference; else set to
// the values for the backward pass, [T, K, N, H].
std::pair<poplar::Tensor, poplar::Tensor> lstmFwd(poplar::Graph& graph, const LstmParams& params, const LstmState& stateInit,
                                                  const poplar::Tensor& in, const LstmWeights& weights,
                                                  poplar::Tensor* intermediates, poplar::program::Sequence& fwdProg,
                                                  const poplar::DebugContext& debugContext = {},
                                                  const poplar::OptionFlags& options = {},
                                                  poplin::PlanningCache* planningCache = nullptr);

// The gradients of the initial state. `outputGrad` has the shape of the output; the gradients of the last step's state, of the
// inputs [T, N, I], and `bwdIntermediates` (for lstmWU) may be null. Steps after the end of a sample have no gradients.
LstmState lstmBwd(poplar::Graph& graph, const LstmParams& params, poplar::program::Sequence& prog, const LstmState& fwdStateInit,
                  const poplar::Tensor& fwdIntermediates, const LstmWeights& weights, const poplar::Tensor& input,
                  const poplar::Tensor& output, const poplar::Tensor& outputGrad, const LstmState* lastStepStateGrad,
                  poplar::Tensor* inputGrad, poplar::Tensor* bwdIntermediates, const poplar::DebugContext& debugContext = {},
                  const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
LstmState lstmBwd(poplar::Graph& graph, const LstmParams& params, poplar::program::Sequence& prog, const LstmState& fwdStateInit,
                  const poplar::Tensor& fwdIntermediates, const LstmWeights& weights, const poplar::Tensor& input,
                  const poplar::Tensor& output, const poplar::Tensor& outputGrad, const poplar::Tensor* lastCellStateGrad,
                  poplar::Tensor* inputGrad, poplar::Tensor* bwdIntermediates, const poplar::DebugContext& debugContext = {},
                  const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
// The gradients of the weights, in the order of the cell; biases only if `weights` has them.
LstmWeights lstmWU(poplar::Graph& graph, const LstmParams& params, poplar::program::Sequence& prog, const LstmState& fwdStateInit,
                   const poplar::Tensor& fwdIntermediates, const poplar::Tensor& bwdIntermediates, const LstmWeights& weights,
                   const poplar::Tensor& input, const poplar::Tensor& output, const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
// lstmBwd() and lstmWU() in one call; sets `weightsGrad`.
LstmState lstmBwdWithWU(poplar::Graph& graph, const LstmParams& params, poplar::program::Sequence& prog,
                        const LstmState& fwdStateInit, const poplar::Tensor& fwdIntermediates, const LstmWeights& weights,
                        const poplar::Tensor& input, const poplar::Tensor& output, const poplar::Tensor& outputGrad,
                        const LstmState* lastStepStateGrad, poplar::Tensor* inputGrad, LstmWeights& weightsGrad,
                        const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                        poplin::PlanningCache* planningCache = nullptr);
LstmState lstmBwdWithWU(poplar::Graph& graph, const LstmParams& params, poplar::program::Sequence& prog,
                        const LstmState& fwdStateInit, const poplar::Tensor& fwdIntermediates, const LstmWeights& weights,
                        const poplar::Tensor& input, const poplar::Tensor& output, const poplar::Tensor& outputGrad,
                        const poplar::Tensor* lastCellStateGrad, poplar::Tensor* inputGrad, LstmWeights& weightsGrad,
                        const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                        poplin::PlanningCache* planningCache = nullptr);

} // namespace lstm
} // namespace popnn
