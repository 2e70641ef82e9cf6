#include "popnn/Recurrent.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "popops/Zero.hpp"
#include "simcore/poplar/libs/library_call.h"
#include "simcore/poplar/libs/recurrent_training.h"
#include "simcore/poplar/libs/time_steps.h"

namespace popnn::rnn {

using namespace simcore::poplar::names;

namespace {
OptionFlags products(const Type& partials, bool inferenceOnly, const char* pass = "TRAINING_FWD") {
  return {{"partialsType", partials.toString()}, {"fullyConnectedPass", inferenceOnly ? "INFERENCE_FWD" : pass}};
}
void requireSequence(const char* call, const Tensor& t) {
  if (t.rank() != 3 || t.dim(0) == 0)
    throw poputil::poplibs_error(std::string(call) + ": " + t.getDebugStr() + " is not [steps, batch, size]");
}
} // namespace

std::vector<std::pair<poplin::MatMulParams, OptionFlags>> getMatMulPrePlanParameters(std::size_t steps, std::size_t batch,
                                                                                     std::size_t in, std::size_t out,
                                                                                     const Type& type, const Type& partials,
                                                                                     bool inferenceOnly, bool feedforward) {
  std::vector<std::pair<poplin::MatMulParams, OptionFlags>> all;
  const auto add = [&](std::size_t m, std::size_t k, std::size_t n, const char* pass) {
    all.emplace_back(poplin::MatMulParams{type, type, {1, m, k}, {1, k, n}}, products(partials, inferenceOnly, pass));
  };
  if (feedforward) add(steps * batch, in, out, "TRAINING_FWD");
  add(batch, out, out, "TRAINING_FWD");
  if (inferenceOnly) return all;
  if (feedforward) add(steps * batch, out, in, "TRAINING_BWD");
  add(batch, out, out, "TRAINING_BWD");
  add(in, steps * batch, out, "TRAINING_WU");
  add(out, steps * batch, out, "TRAINING_WU");
  return all;
}

std::uint64_t getFwdFlops(unsigned steps, unsigned batch, unsigned in, unsigned out, bool weightInput) {
  const std::uint64_t rows = std::uint64_t(steps) * batch;
  return rows * out * (2 * std::uint64_t(out) - 1) + 2 * std::uint64_t(steps) * out +
         (weightInput ? rows * out * (2 * std::uint64_t(in) - 1) : 0);
}
std::uint64_t getBwdFlops(unsigned steps, unsigned batch, unsigned in, unsigned out, bool calcInputGrad) {
  const std::uint64_t rows = std::uint64_t(steps) * batch;
  return rows * out * (2 * std::uint64_t(out) - 1) + (calcInputGrad ? rows * out * (2 * std::uint64_t(in) - 1) : 0);
}
std::uint64_t getWuFlops(unsigned steps, unsigned batch, unsigned in, unsigned out) {
  const std::uint64_t rows = std::uint64_t(steps) * batch, weights = std::uint64_t(out) * (std::uint64_t(in) + out);
  return rows * weights + (rows - 1) * (weights + out) + weights + out;
}

Tensor createInput(Graph& graph, unsigned steps, unsigned batch, unsigned in, unsigned out, const Type& type,
                   const Type& partials, bool inferenceOnly, const DebugContext& debugContext, poplin::PlanningCache* cache) {
  return poplin::createMatMulInputLHS(graph, type, {std::size_t(steps) * batch, in}, {in, out}, debugContext,
                                      products(partials, inferenceOnly), cache)
      .reshape({steps, batch, in});
}
Tensor createFwdState(Graph& graph, const Type& type, unsigned batch, unsigned out, Sequence& prog, bool initState,
                      bool inferenceOnly, const DebugContext& debugContext, poplin::PlanningCache* cache) {
  const Tensor state = poplin::createMatMulInputLHS(graph, type, {batch, out}, {out, out}, DebugContext(debugContext, "fwdState"),
                                                    products(poplar::FLOAT, inferenceOnly), cache);
  if (initState) popops::zero(graph, state, prog, debugContext);
  return state;
}
Tensor getOutputFromFwdState(const Tensor& fwdState) { return fwdState; }
Tensor createWeightsInput(Graph& graph, unsigned, unsigned batch, unsigned in, unsigned out, const Type& type,
                          const Type& partials, bool inferenceOnly, const DebugContext& debugContext,
                          poplin::PlanningCache* cache) {
  return poplin::createMatMulInputRHS(graph, type, {batch, in}, {in, out}, DebugContext(debugContext, "weightsInput"),
                                      products(partials, inferenceOnly), cache);
}
Tensor createWeightsFeedback(Graph& graph, unsigned batch, unsigned out, const Type& type, const Type& partials,
                             bool inferenceOnly, const DebugContext& debugContext, poplin::PlanningCache* cache) {
  return poplin::createMatMulInputRHS(graph, type, {batch, out}, {out, out}, DebugContext(debugContext, "weightsFeedback"),
                                      products(partials, inferenceOnly), cache);
}

Tensor forwardWeightInput(Graph& graph, const Tensor& actIn, const Tensor& weights, Sequence& prog, const Type& partials,
                          bool inferenceOnly, const DebugContext& debugContext, poplin::PlanningCache* cache) {
  requireSequence("popnn::rnn::forwardWeightInput", actIn);
  return poplin::matMul(graph, sp::rows(actIn), weights, prog, DebugContext(debugContext, "rnnInput"),
                        products(partials, inferenceOnly), cache)
      .reshape({actIn.dim(0), actIn.dim(1), weights.dim(1)});
}
Tensor forwardIterate(Graph& graph, const Tensor& feedFwdIn, const Tensor& initState, const Tensor& feedbackWeights,
                      const Tensor& biases, Sequence& prog, NonLinearityType nonLinearityType, const Type& partials,
                      bool inferenceOnly, const DebugContext& debugContext, poplin::PlanningCache* cache) {
  requireSequence("popnn::rnn::forwardIterate", feedFwdIn);
  const DebugContext context(debugContext, "rnn");
  std::vector<Tensor> outputs;
  Tensor state = initState;
  for (std::size_t t = 0; t < feedFwdIn.dim(0); ++t) {
    state = poplin::matMul(graph, state, feedbackWeights, prog, context, products(partials, inferenceOnly), cache);
    popops::addInPlace(graph, state, feedFwdIn[t], prog, context);
    training::addToRows(graph, state, biases, prog, context);
    nonLinearityInPlace(graph, nonLinearityType, state, prog, context);
    outputs.push_back(state);
  }
  return training::stacked(outputs);
}

Tensor createBwdState(Graph& graph, const Type& type, unsigned batch, unsigned out, Sequence& prog,
                      const DebugContext& debugContext, poplin::PlanningCache* cache) {
  const Tensor state = poplin::createMatMulInputLHS(graph, type, {batch, out}, {out, out}, DebugContext(debugContext, "bwdState"),
                                                    products(poplar::FLOAT, false, "TRAINING_BWD"), cache);
  popops::zero(graph, state, prog, debugContext);
  return state;
}
Tensor backwardGradientStep(Graph& graph, const Tensor& nextLayerGrad, const Tensor& bwdState, const Tensor& actOut,
                            const Tensor& weightsFeedback, Sequence& prog, NonLinearityType nonLinearityType,
                            const Type& partials, const DebugContext& debugContext, poplin::PlanningCache* cache) {
  const DebugContext context(debugContext, "rnnBwd");
  const Tensor grad = poplin::matMul(graph, bwdState, weightsFeedback.transpose(), prog, context,
                                     products(partials, false, "TRAINING_BWD"), cache);
  popops::addInPlace(graph, grad, nextLayerGrad, prog, context);
  return nonLinearityInputGradient(graph, nonLinearityType, actOut, grad, prog, context);
}
std::pair<Tensor, Tensor> backwardGradientStep(Graph& graph, const Tensor& nextLayerGrad, const Tensor& bwdState,
                                               const Tensor& actOut, const Tensor& weightsInput, const Tensor& weightsFeedback,
                                               Sequence& prog, NonLinearityType nonLinearityType, const Type& partials,
                                               const DebugContext& debugContext, poplin::PlanningCache* cache) {
  const Tensor state = backwardGradientStep(graph, nextLayerGrad, bwdState, actOut, weightsFeedback, prog, nonLinearityType,
                                            partials, debugContext, cache);
  return {poplin::matMul(graph, state, weightsInput.transpose(), prog, DebugContext(debugContext, "rnnInputGrad"),
                         products(partials, false, "TRAINING_BWD"), cache),
          state};
}
void paramDeltaUpdate(Graph& graph, const Tensor& bwdState, const Tensor& actIn, const Tensor& prevOut,
                      Tensor& weightsInputDeltasAcc, Tensor& weightsFeedbackDeltasAcc, Tensor& biasDeltasAcc, Sequence& prog,
                      const Type& partials, const DebugContext& debugContext, poplin::PlanningCache* cache) {
  const DebugContext context(debugContext, "rnnDeltas");
  const OptionFlags options = products(partials, false, "TRAINING_WU");
  poplin::matMulAcc(graph, weightsInputDeltasAcc, 1.0F, actIn.transpose(), bwdState, prog, context, options, cache);
  poplin::matMulAcc(graph, weightsFeedbackDeltasAcc, 1.0F, prevOut.transpose(), bwdState, prog, context, options, cache);
  popops::addInPlace(graph, biasDeltasAcc, training::sumOfRows(graph, bwdState, prog, context), prog, context);
}

Tensor rnnFwdSequence(Graph& graph, Sequence& prog, const Tensor& fwdStateInit, const Tensor* weightedIn, const Tensor& biases,
                      const Tensor& feedFwdWeights, const Tensor& feedbackWeights, const Tensor& prevLayerActs,
                      const NonLinearityType& nonLinearityType, const Type& partials, bool inferenceOnly,
                      const DebugContext& debugContext, poplin::PlanningCache* cache) {
  requireSequence("popnn::rnn::rnnFwdSequence", prevLayerActs);
  const DebugContext context(debugContext, "rnnFwd");
  const std::size_t batch = prevLayerActs.dim(1), out = feedbackWeights.dim(1);
  const RnnParams params(prevLayerActs.elementType(), batch, prevLayerActs.dim(0), {prevLayerActs.dim(2), out});
  const Tensor sums =
      weightedIn ? *weightedIn
                 : forwardWeightInput(graph, prevLayerActs, feedFwdWeights, prog, partials, inferenceOnly, context, cache);
  sp::TimeSteps steps(graph, params, false, prog, context);
  const Tensor inputs = steps.copied(sums, "inputOfSteps"), state = steps.state(fwdStateInit, {batch, out}, "state"),
               outputs = steps.sequence({batch, out}, "output"), sum = steps.slice(inputs, "inputOfStep");
  poplin::matMulAcc(graph, sum, 1.0F, state, feedbackWeights, steps.body, steps.named("state"), products(partials, inferenceOnly),
                    cache);
  training::addToRows(graph, sum, biases, steps.body, steps.named("bias"));
  nonLinearityInPlace(graph, nonLinearityType, sum, steps.body, steps.named("function"));
  steps.put(sum, outputs, "output");
  steps.advance(state, sum, Tensor(), "state");
  steps.finish();
  return outputs;
}

std::tuple<Tensor, Tensor, Tensor, Tensor> rnnBwdSequence(Graph& graph, bool doWU, bool ignoreInputGradientCalc, Sequence& prog,
                                                          const Tensor& fwdStateInit, const Tensor& fwdState, const Tensor&,
                                                          const Tensor& feedFwdWeights, const Tensor& feedbackWeights,
                                                          const Tensor& outGradient, const Tensor& actIn,
                                                          const NonLinearityType& nonLinearityType, const Type& partials,
                                                          const DebugContext& debugContext, poplin::PlanningCache* cache) {
  requireSequence("popnn::rnn::rnnBwdSequence", actIn);
  const DebugContext context(debugContext, "rnnBwd");
  const std::size_t batch = actIn.dim(1), in = actIn.dim(2), out = feedbackWeights.dim(1);
  const RnnParams params(actIn.elementType(), batch, actIn.dim(0), {in, out});
  sp::TimeSteps steps(graph, params, true, prog, context);
  const Tensor given = steps.copied(outGradient.dimShuffle({1, 0, 2}), "outGradient"),
               grads = steps.sequence({batch, out}, "grads"), state = steps.state(Tensor(), {batch, out}, "state");
  const Tensor next = backwardGradientStep(graph, steps.slice(given, "outGradient"), state, steps.slice(fwdState, "output"),
                                           feedbackWeights, steps.body, nonLinearityType, partials, steps.named("step"), cache);
  steps.put(next, grads, "grads");
  steps.advance(state, next, Tensor(), "state");
  steps.finish();
  Tensor inputGrad, ofInput, ofFeedback, ofBiases;
  const Tensor rows = sp::rows(grads);
  const auto product = [&](const Tensor& a, const Tensor& b, const char* pass, const char* name) {
    return poplin::matMul(graph, a, b, prog, DebugContext(context, name), products(partials, false, pass), cache);
  };
  if (!ignoreInputGradientCalc)
    inputGrad = product(rows, feedFwdWeights.transpose(), "TRAINING_BWD", "inputGrad").reshape({actIn.dim(0), batch, in});
  if (doWU) {
    ofInput = product(sp::rows(actIn).transpose(), rows, "TRAINING_WU", "weightsInput");
    ofFeedback = product(sp::rows(sp::before(fwdStateInit, fwdState)).transpose(), rows, "TRAINING_WU", "weightsFeedback");
    ofBiases = training::sumOfRows(graph, rows, prog, DebugContext(context, "biases"));
  }
  return {inputGrad, ofInput, ofFeedback, ofBiases};
}

} // namespace popnn::rnn
