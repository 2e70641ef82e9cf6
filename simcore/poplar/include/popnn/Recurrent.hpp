// The plain recurrent layer: y[t] = f(x[t] Wff + y[t - 1] Wfb + biases). Wff ("weightsInput") is [I, H], Wfb ("weightsFeedback")
// [H, H], biases [H]; sequences are [T, N, I] and [T, N, H].
#pragma once

#include "poplin/MatMul.hpp"
#include "popnn/NonLinearity.hpp"

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace popnn {
namespace rnn {

std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(std::size_t numSteps, std::size_t batchSize, std::size_t inputSize, std::size_t outputSize,
                           const poplar::Type& dType, const poplar::Type& partialsType = poplar::FLOAT,
                           bool inferenceOnly = false, bool hasFeedforwardWeights = true);
// Multiplications and additions of products; functions are not counted.
std::uint64_t getFwdFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize, unsigned outputSize,
                          bool weightInput = true);
std::uint64_t getBwdFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize, unsigned outputSize,
                          bool calcInputGrad = true);
std::uint64_t getWuFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize, unsigned outputSize);

poplar::Tensor createInput(poplar::Graph& graph, unsigned numSteps, unsigned batchSize, unsigned inputSize, unsigned outputSize,
                           const poplar::Type& dType, const poplar::Type& partialsType = poplar::FLOAT,
                           bool inferenceOnly = false, const poplar::DebugContext& debugContext = {},
                           poplin::PlanningCache* planningCache = nullptr);
// Creates [N, H]; with `initState`, `prog` sets it to zero.
poplar::Tensor createFwdState(poplar::Graph& graph, const poplar::Type& dType, unsigned batchSize, unsigned outputSize,
                              poplar::program::Sequence& prog, bool initState, bool inferenceOnly,
                              const poplar::DebugContext& debugContext = {}, poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor getOutputFromFwdState(const poplar::Tensor& fwdState);
poplar::Tensor createWeightsInput(poplar::Graph& graph, unsigned sequenceSize, unsigned batchSize, unsigned inputSize,
                                  unsigned outputSize, const poplar::Type& dType,
                                  const poplar::Type& partialsType = poplar::FLOAT, bool inferenceOnly = false,
                                  const poplar::DebugContext& debugContext = {}, poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor createWeightsFeedback(poplar::Graph& graph, unsigned batchSize, unsigned outputSize, const poplar::Type& dType,
                                     const poplar::Type& partialsType = poplar::FLOAT, bool inferenceOnly = false,
                                     const poplar::DebugContext& debugContext = {},
                                     poplin::PlanningCache* planningCache = nullptr);

// Computes x Wff for all steps.
poplar::Tensor forwardWeightInput(poplar::Graph& graph, const poplar::Tensor& actIn, const poplar::Tensor& weights,
                                  poplar::program::Sequence& prog, const poplar::Type& partialsType = poplar::FLOAT,
                                  bool inferenceOnly = false, const poplar::DebugContext& debugContext = {},
                                  poplin::PlanningCache* planningCache = nullptr);
// Runs all steps, written out one by one, on the product of forwardWeightInput().
poplar::Tensor forwardIterate(poplar::Graph& graph, const poplar::Tensor& feedFwdIn, const poplar::Tensor& initState,
                              const poplar::Tensor& feedbackWeights, const poplar::Tensor& biases,
                              poplar::program::Sequence& prog, popnn::NonLinearityType nonLinearityType,
                              const poplar::Type& partialsType = poplar::FLOAT, bool inferenceOnly = false,
                              const poplar::DebugContext& debugContext = {}, poplin::PlanningCache* planningCache = nullptr);
// Creates [N, H], which `prog` sets to zero.
poplar::Tensor createBwdState(poplar::Graph& graph, const poplar::Type& dType, unsigned batchSize, unsigned outputSize,
                              poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                              poplin::PlanningCache* planningCache = nullptr);
// Runs one step. Returns the gradient of the input, and the gradient of the sum, which is the state for the step before. Without
// weightsInput, only the state is computed.
std::pair<poplar::Tensor, poplar::Tensor>
backwardGradientStep(poplar::Graph& graph, const poplar::Tensor& nextLayerGrad, const poplar::Tensor& bwdState,
                     const poplar::Tensor& actOut, const poplar::Tensor& weightsInput, const poplar::Tensor& weightsFeedback,
                     poplar::program::Sequence& prog, popnn::NonLinearityType nonLinearityType,
                     const poplar::Type& partialsType = poplar::FLOAT, const poplar::DebugContext& debugContext = {},
                     poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor backwardGradientStep(poplar::Graph& graph, const poplar::Tensor& nextLayerGrad, const poplar::Tensor& bwdState,
                                    const poplar::Tensor& actOut, const poplar::Tensor& weightsFeedback,
                                    poplar::program::Sequence& prog, popnn::NonLinearityType nonLinearityType,
                                    const poplar::Type& partialsType = poplar::FLOAT,
                                    const poplar::DebugContext& debugContext = {},
                                    poplin::PlanningCache* planningCache = nullptr);
// Adds the gradients of one step to the three tensors.
void paramDeltaUpdate(poplar::Graph& graph, const poplar::Tensor& bwdState, const poplar::Tensor& actIn,
                      const poplar::Tensor& prevOut, poplar::Tensor& weightsInputDeltasAcc,
                      poplar::Tensor& weightsFeedbackDeltasAcc, poplar::Tensor& biasDeltasAcc, poplar::program::Sequence& prog,
                      const poplar::Type& partialsType = poplar::FLOAT, const poplar::DebugContext& debugContext = {},
                      poplin::PlanningCache* planningCache = nullptr);

// Runs all steps in a loop. Returns the outputs [T, N, H]. `weightedIn`: the products of forwardWeightInput(), or null.
poplar::Tensor rnnFwdSequence(poplar::Graph& graph, poplar::program::Sequence& prog, const poplar::Tensor& fwdStateInit,
                              const poplar::Tensor* weightedIn, const poplar::Tensor& biases,
                              const poplar::Tensor& feedFwdWeights, const poplar::Tensor& feedbackWeights,
                              const poplar::Tensor& prevLayerActs, const popnn::NonLinearityType& nonLinearityType,
                              const poplar::Type& partialsType, bool inferenceOnly, const poplar::DebugContext& debugContext = {},
                              poplin::PlanningCache* planningCache = nullptr);
// The gradients of inputs [T, N, I], feedFwdWeights, feedbackWeights and biases; gradients that are not requested are invalid
// tensors. outGradient is [N, T, H].
std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor, poplar::Tensor>
rnnBwdSequence(poplar::Graph& graph, bool doWU, bool ignoreInputGradientCalc, poplar::program::Sequence& prog,
               const poplar::Tensor& fwdStateInit, const poplar::Tensor& fwdState, const poplar::Tensor& biases,
               const poplar::Tensor& feedFwdWeights, const poplar::Tensor& feedbackWeights, const poplar::Tensor& outGradient,
               const poplar::Tensor& actIn, const popnn::NonLinearityType& nonLinearityType, const poplar::Type& partialsType,
               const poplar::DebugContext& debugContext = {}, poplin::PlanningCache* planningCache = nullptr);

} // namespace rnn
} // namespace popnn
