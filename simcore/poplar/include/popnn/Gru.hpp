// GRU layers, forward and backward. Tensors: in [T, N, I], weights [3, I, H], [3, H, H] and biases [3, H] in the order of the
// cell, the state [N, H].
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
std::uint64_t getBasicGruCellBwdFlops(const GruParams& params);
std::uint64_t getBasicGruCellWuFlops(const GruParams& params);
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
// Creates [N, T].
poplar::Tensor createAttention(poplar::Graph& graph, const GruParams& params, const poplar::DebugContext& debugContext,
                               const poplar::OptionFlags& options = {});
// The output: [T, N, H], or [N, H] of the last step. `intermediates`: null for inference; else set to the values for the backward
// pass, [T, K, N, H]. `realTimeSteps` are the steps of each sample, [N]. With attention ("au") the update gate u of a step is u -
// u * attention.
poplar::Tensor gruFwd(poplar::Graph& graph, const GruParams& params, const poplar::Tensor& stateInit, const poplar::Tensor& in,
                      const GruWeights& weights, poplar::Tensor* intermediates, poplar::program::Sequence& fwdProg,
                      const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                      poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor gruFwd(poplar::Graph& graph, const GruParams& params, const poplar::Tensor& stateInit, const poplar::Tensor& in,
                      const poplar::Tensor& realTimeSteps, const GruWeights& weights, poplar::Tensor* intermediates,
                      poplar::program::Sequence& fwdProg, const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor auGruFwd(poplar::Graph& graph, const GruParams& params, const poplar::Tensor& stateInit, const poplar::Tensor& in,
                        const GruWeights& weights, poplar::Tensor* intermediates, const poplar::Tensor& attScores,
                        poplar::program::Sequence& fwdProg, const poplar::DebugContext& debugContext = {},
                        const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor auGruFwd(poplar::Graph& graph, const GruParams& params, const poplar::Tensor& stateInit, const poplar::Tensor& in,
                        const poplar::Tensor& realTimeSteps, const GruWeights& weights, poplar::Tensor* intermediates,
                        const poplar::Tensor& attScores, poplar::program::Sequence& fwdProg,
                        const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                        poplin::PlanningCache* planningCache = nullptr);

// The gradient of the initial state. `gradLayerNext` has the shape of the output; `inputGrad` [T, N, I], `bwdIntermediates` (for gruWU) and
// `attentionsGrad` [N, T] may be null.
poplar::Tensor gruBwd(poplar::Graph& graph, const GruParams& params, poplar::program::Sequence& prog,
                      const poplar::Tensor& fwdOutputInit, const poplar::Tensor& fwdIntermediatesSeq, const GruWeights& weights,
                      const poplar::Tensor& fwdInputSeq, const poplar::Tensor& fwdOutput, const poplar::Tensor& gradLayerNext,
                      poplar::Tensor* inputGrad, poplar::Tensor* bwdIntermediates, const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor gruBwd(poplar::Graph& graph, const GruParams& params, poplar::program::Sequence& prog,
                      const poplar::Tensor& fwdOutputInit, const poplar::Tensor& fwdIntermediatesSeq, const GruWeights& weights,
                      const poplar::Tensor& fwdInputSeq, const poplar::Tensor& realTimeSteps, const poplar::Tensor& fwdOutput,
                      const poplar::Tensor& gradLayerNext, poplar::Tensor* inputGrad, poplar::Tensor* bwdIntermediates,
                      const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                      poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor auGruBwd(poplar::Graph& graph, const GruParams& params, poplar::program::Sequence& prog,
                        const poplar::Tensor& fwdOutputInit, const poplar::Tensor& fwdIntermediatesSeq, const GruWeights& weights,
                        const poplar::Tensor& fwdInputSeq, const poplar::Tensor& fwdOutput, const poplar::Tensor& gradLayerNext,
                        poplar::Tensor* inputGrad, poplar::Tensor* bwdIntermediates, const poplar::Tensor& attentions,
                        poplar::Tensor* attentionsGrad, const poplar::DebugContext& debugContext = {},
                        const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor auGruBwd(poplar::Graph& graph, const GruParams& params, poplar::program::Sequence& prog,
                        const poplar::Tensor& fwdOutputInit, const poplar::Tensor& fwdIntermediatesSeq, const GruWeights& weights,
                        const poplar::Tensor& fwdInputSeq, const poplar::Tensor& realTimeSteps, const poplar::Tensor& fwdOutput,
                        const poplar::Tensor& gradLayerNext, poplar::Tensor* inputGrad, poplar::Tensor* bwdIntermediates,
                        const poplar::Tensor& attentions, poplar::Tensor* attentionsGrad,
                        const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                        poplin::PlanningCache* planningCache = nullptr);
// The gradients of the weights, in the order of the cell; biases only if `weights` has them.
GruWeights gruWU(poplar::Graph& graph, const GruParams& params, poplar::program::Sequence& prog,
                 const poplar::Tensor& fwdOutputInit, const poplar::Tensor& fwdIntermediates,
                 const poplar::Tensor& bwdIntermediates, const GruWeights& weights, const poplar::Tensor& input,
                 const poplar::Tensor& output, const poplar::DebugContext& debugContext = {},
                 const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
GruWeights auGruWU(poplar::Graph& graph, const GruParams& params, poplar::program::Sequence& prog,
                   const poplar::Tensor& fwdOutputInit, const poplar::Tensor& fwdIntermediates,
                   const poplar::Tensor& bwdIntermediates, const GruWeights& weights, const poplar::Tensor& input,
                   const poplar::Tensor& output, const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
// gruBwd() and gruWU() in one call; sets `weightsGrad`.
poplar::Tensor gruBwdWithWU(poplar::Graph& graph, const GruParams& params, poplar::program::Sequence& prog,
                            const poplar::Tensor& fwdOutputInit, const poplar::Tensor& fwdIntermediates,
                            const GruWeights& weights, const poplar::Tensor& input, const poplar::Tensor& output,
                            const poplar::Tensor& outputGrad, poplar::Tensor* inputGrad, GruWeights& weightsGrad,
                            const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                            poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor gruBwdWithWU(poplar::Graph& graph, const GruParams& params, poplar::program::Sequence& prog,
                            const poplar::Tensor& fwdOutputInit, const poplar::Tensor& fwdIntermediates,
                            const GruWeights& weights, const poplar::Tensor& input, const poplar::Tensor& realTimeSteps,
                            const poplar::Tensor& output, const poplar::Tensor& outputGrad, poplar::Tensor* inputGrad,
                            GruWeights& weightsGrad, const poplar::DebugContext& debugContext = {},
                            const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor auGruBwdWithWU(poplar::Graph& graph, const GruParams& params, poplar::program::Sequence& prog,
                              const poplar::Tensor& fwdOutputInit, const poplar::Tensor& fwdIntermediates,
                              const GruWeights& weights, const poplar::Tensor& input, const poplar::Tensor& output,
                              const poplar::Tensor& outputGrad, poplar::Tensor* inputGrad, GruWeights& weightsGrad,
                              const poplar::Tensor& attentions, poplar::Tensor* attentionsGrad,
                              const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                              poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor auGruBwdWithWU(poplar::Graph& graph, const GruParams& params, poplar::program::Sequence& prog,
                              const poplar::Tensor& fwdOutputInit, const poplar::Tensor& fwdIntermediates,
                              const GruWeights& weights, const poplar::Tensor& input, const poplar::Tensor& realTimeSteps,
                              const poplar::Tensor& output, const poplar::Tensor& outputGrad, poplar::Tensor* inputGrad,
                              GruWeights& weightsGrad, const poplar::Tensor& attentions, poplar::Tensor* attentionsGrad,
                              const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                              poplin::PlanningCache* planningCache = nullptr);

} // namespace gru
} // namespace popnn
