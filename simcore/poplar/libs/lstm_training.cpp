#include "popnn/NonLinearity.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "simcore/poplar/libs/library_call.h"
#include "simcore/poplar/libs/recurrent_training.h"
#include "simcore/poplar/libs/time_steps.h"

namespace popnn {

using namespace simcore::poplar::names;
namespace pe = popops::expr;

namespace training {
void addToRows(Graph& graph, const Tensor& rows, const Tensor& bias, Sequence& prog, const DebugContext& debugContext) {
  popops::addInPlace(graph, rows, bias.flatten().expand({0}).broadcast(unsigned(rows.dim(0)), 0), prog, debugContext);
}
Tensor sumOfRows(Graph& graph, const Tensor& rows, Sequence& prog, const DebugContext& debugContext) {
  return popops::reduce(graph, rows, rows.elementType(), {0}, {popops::Operation::ADD}, prog, debugContext);
}
} // namespace training

namespace lstm {

namespace {
constexpr auto kF = BASIC_LSTM_CELL_FORGET_GATE, kI = BASIC_LSTM_CELL_INPUT_GATE, kC = BASIC_LSTM_CELL_CANDIDATE,
               kO = BASIC_LSTM_CELL_OUTPUT_GATE;
// Values that a step keeps for the backward pass, [N, H] each. kState, the state before the step, is kept only if the output
// lacks some steps.
enum Kept : std::size_t { kForget, kInput, kCandidate, kOutput, kTanh, kCell, kState };

void requireKept(const char* call, const LstmParams& p, const Tensor& kept) {
  if (kept.rank() != 4 || kept.dim(0) != p.rnn.maxTimeSteps || kept.dim(1) != (p.outputFullSequence ? 6 : 7) ||
      kept.dim(2) != p.batchSize || kept.dim(3) != p.layerSizes.at(1))
    throw poputil::poplibs_error(std::string(call) + ": the intermediates " + kept.getDebugStr() +
                                 " are not those of lstmFwd with these parameters, [" + std::to_string(p.rnn.maxTimeSteps) +
                                 ", " + (p.outputFullSequence ? "6, " : "7, ") + std::to_string(p.batchSize) + ", " +
                                 std::to_string(p.layerSizes.at(1)) + "]");
}
} // namespace

std::pair<Tensor, Tensor> forwardForTraining(Graph& graph, const LstmParams& p, const LstmState& stateInit, const Tensor& in,
                                             const LstmWeights& weights, Tensor& intermediates, Sequence& prog,
                                             const DebugContext& debugContext) {
  const std::size_t batch = p.batchSize, hidden = p.layerSizes.at(1);
  const training::Columns<BasicLstmCellUnit> gate(p.cellOrder, hidden);
  sp::TimeSteps steps(graph, p.rnn, false, prog, debugContext);
  const Tensor product = poplin::matMul(graph, sp::rows(in), training::beside(weights.inputWeights), prog, steps.named("input"));
  if (weights.biases.valid()) training::addToRows(graph, product, weights.biases, prog, steps.named("bias"));
  const Tensor inputs = steps.copied(product.reshape({in.dim(0), batch, 4 * hidden}), "inputOfSteps");
  const Tensor state = steps.state(stateInit.output, {batch, hidden}, "state"),
               cell = steps.state(stateInit.cellState, {batch, hidden}, "cell");
  intermediates = steps.sequence({std::size_t(p.outputFullSequence ? 6 : 7), batch, hidden}, "intermediates");
  Tensor outputs = p.outputFullSequence ? steps.sequence({batch, hidden}, "output") : state;

  Sequence& body = steps.body;
  const Tensor running = steps.running(), gates = steps.slice(inputs, "inputOfStep");
  poplin::matMulAcc(graph, gates, 1.0F, state, training::beside(weights.outputWeights), body, steps.named("state"));
  nonLinearityInPlace(graph, p.recurrentActivation, training::byGate(gate.of(gates, {kF, kI, kO}), hidden), body,
                      steps.named("gates"));
  nonLinearityInPlace(graph, p.activation, gate.of(gates, kC), body, steps.named("candidate"));
  const Tensor f = gate.of(gates, kF), i = gate.of(gates, kI), c = gate.of(gates, kC), o = gate.of(gates, kO);
  const Tensor newCell = popops::map(graph, pe::_1 * pe::_2 + pe::_3 * pe::_4, {cell, f, i, c}, body, steps.named("newCell"));
  const Tensor tanh = nonLinearity(graph, p.activation, newCell, body, steps.named("tanh"));
  const Tensor newState = popops::mul(graph, tanh, o, body, steps.named("newState"));
  std::vector<Tensor> kept{f, i, c, o, tanh, cell};
  if (!p.outputFullSequence) kept.push_back(state);
  steps.put(training::stacked(kept), intermediates, "keep");
  if (p.outputFullSequence) steps.put(sp::masked(graph, newState, running, body, steps.named("ended")), outputs, "output");
  steps.advance(cell, newCell, running, "cell");
  steps.advance(state, newState, running, "state");
  steps.finish();
  return {outputs, cell};
}

namespace {
LstmState backward(Graph& graph, const LstmParams& p, Sequence& prog, const Tensor& intermediates, const LstmWeights& weights,
                   const Tensor& outputGrad, const LstmState& lastGrad, Tensor* inputGrad, Tensor& gateGrads,
                   const DebugContext& debugContext) {
  requireKept("popnn::lstm::lstmBwd", p, intermediates);
  const std::size_t batch = p.batchSize, hidden = p.layerSizes[1];
  const training::Columns<BasicLstmCellUnit> gate(p.cellOrder, hidden);
  sp::TimeSteps steps(graph, p.rnn, true, prog, debugContext);
  const bool all = p.outputFullSequence;
  const Tensor state = steps.state(all ? lastGrad.output : outputGrad, {batch, hidden}, "stateGrad");
  if (!all && lastGrad.output.valid()) popops::addInPlace(graph, state, lastGrad.output, prog, steps.named("lastState"));
  const Tensor cell = steps.state(lastGrad.cellState, {batch, hidden}, "cellGrad");
  const Tensor given = all ? steps.copied(outputGrad, "outputGrad") : Tensor();
  gateGrads = steps.sequence({batch, 4 * hidden}, "gateGrads");

  Sequence& body = steps.body;
  const Tensor running = steps.running(), kept = steps.slice(intermediates, "kept");
  Tensor grad = state;
  if (all) {
    const Tensor own = sp::masked(graph, steps.slice(given, "outputGradOfStep"), running, body, steps.named("ended"));
    grad = popops::add(graph, state, own, body, steps.named("grad"));
  }
  const Tensor throughTanh = popops::mul(graph, grad, kept[kOutput], body, steps.named("throughOutputGate"));
  const Tensor cellGrad = nonLinearityInputGradient(graph, p.activation, kept[kTanh], throughTanh, body, steps.named("tanh"));
  popops::addInPlace(graph, cellGrad, cell, body, steps.named("cell"));
  const auto times = [&](const Tensor& a, Kept b, const char* name) {
    return popops::mul(graph, a, kept[b], body, steps.named(name));
  };
  const Tensor gatesOfStep = poplar::concat({kept[kForget], kept[kInput], kept[kOutput]}, 1);
  const Tensor throughGates = poplar::concat(
      {times(cellGrad, kCell, "forgetGate"), times(cellGrad, kCandidate, "inputGate"), times(grad, kTanh, "outputGate")}, 1);
  const Tensor ofGates = nonLinearityInputGradient(graph, p.recurrentActivation, training::byGate(gatesOfStep, hidden),
                                                   training::byGate(throughGates, hidden), body, steps.named("gates"))
                             .reshape(gatesOfStep.shape());
  const Tensor ofCandidate = nonLinearityInputGradient(graph, p.activation, kept[kCandidate],
                                                       times(cellGrad, kInput, "candidate"), body, steps.named("candidate"));
  const auto part = [&](std::size_t at) { return ofGates.slice(at * hidden, (at + 1) * hidden, 1); };
  const Tensor grads = sp::masked(graph, gate.ordered({kF, kI, kC, kO}, {part(0), part(1), ofCandidate, part(2)}), running, body,
                                  steps.named("ended"));
  steps.put(grads, gateGrads, "gateGrads");
  steps.advance(cell, times(cellGrad, kForget, "cellBefore"), running, "cellGrad");
  const Tensor before =
      poplin::matMul(graph, grads, training::beside(weights.outputWeights).transpose(), body, steps.named("stateBefore"));
  steps.advance(state, before, running, "stateGrad");
  steps.finish();
  if (inputGrad)
    *inputGrad = poplin::matMul(graph, sp::rows(gateGrads), training::beside(weights.inputWeights).transpose(), prog,
                                steps.named("inputGrad"))
                     .reshape({p.rnn.maxTimeSteps, batch, p.layerSizes[0]});
  return {state, cell};
}
LstmState cellOnly(const Tensor* cell) { return {Tensor(), cell ? *cell : Tensor()}; }
} // namespace

LstmState lstmBwd(Graph& graph, const LstmParams& p, Sequence& prog, const LstmState&, const Tensor& fwdIntermediates,
                  const LstmWeights& weights, const Tensor&, const Tensor&, const Tensor& outputGrad,
                  const LstmState* lastStepStateGrad, Tensor* inputGrad, Tensor* bwdIntermediates,
                  const DebugContext& debugContext, const OptionFlags& options, poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::lstm", options);
  Tensor gateGrads;
  const LstmState first =
      backward(graph, p, prog, fwdIntermediates, weights, outputGrad, lastStepStateGrad ? *lastStepStateGrad : LstmState(),
               inputGrad, gateGrads, DebugContext(debugContext, "lstmBwd"));
  if (bwdIntermediates) *bwdIntermediates = gateGrads;
  return first;
}
LstmState lstmBwd(Graph& graph, const LstmParams& p, Sequence& prog, const LstmState& fwdStateInit,
                  const Tensor& fwdIntermediates, const LstmWeights& weights, const Tensor& input, const Tensor& output,
                  const Tensor& outputGrad, const Tensor* lastCellStateGrad, Tensor* inputGrad, Tensor* bwdIntermediates,
                  const DebugContext& debugContext, const OptionFlags& options, poplin::PlanningCache* cache) {
  const LstmState last = cellOnly(lastCellStateGrad);
  return lstmBwd(graph, p, prog, fwdStateInit, fwdIntermediates, weights, input, output, outputGrad, &last, inputGrad,
                 bwdIntermediates, debugContext, options, cache);
}

LstmWeights lstmWU(Graph& graph, const LstmParams& p, Sequence& prog, const LstmState& fwdStateInit,
                   const Tensor& fwdIntermediates, const Tensor& bwdIntermediates, const LstmWeights& weights,
                   const Tensor& input, const Tensor& output, const DebugContext& debugContext, const OptionFlags& options,
                   poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::lstm", options);
  requireKept("popnn::lstm::lstmWU", p, fwdIntermediates);
  const DebugContext context(debugContext, "lstmWU");
  const Tensor grads = sp::rows(bwdIntermediates);
  const Tensor states = sp::rows(p.outputFullSequence ? sp::before(fwdStateInit.output, output)
                                                      : fwdIntermediates.dimShuffle({1, 0, 2, 3})[kState]);
  LstmWeights deltas;
  deltas.inputWeights =
      training::apart(poplin::matMul(graph, sp::rows(input).transpose(), grads, prog, DebugContext(context, "inputWeights")), 4);
  deltas.outputWeights =
      training::apart(poplin::matMul(graph, states.transpose(), grads, prog, DebugContext(context, "outputWeights")), 4);
  if (weights.biases.valid())
    deltas.biases = training::sumOfRows(graph, grads, prog, DebugContext(context, "biases")).reshape({4, p.layerSizes[1]});
  return deltas;
}

LstmState lstmBwdWithWU(Graph& graph, const LstmParams& p, Sequence& prog, const LstmState& fwdStateInit,
                        const Tensor& fwdIntermediates, const LstmWeights& weights, const Tensor& input, const Tensor& output,
                        const Tensor& outputGrad, const LstmState* lastStepStateGrad, Tensor* inputGrad, LstmWeights& weightsGrad,
                        const DebugContext& debugContext, const OptionFlags& options, poplin::PlanningCache* cache) {
  Tensor bwdIntermediates;
  const LstmState first = lstmBwd(graph, p, prog, fwdStateInit, fwdIntermediates, weights, input, output, outputGrad,
                                  lastStepStateGrad, inputGrad, &bwdIntermediates, debugContext, options, cache);
  weightsGrad = lstmWU(graph, p, prog, fwdStateInit, fwdIntermediates, bwdIntermediates, weights, input, output, debugContext,
                       options, cache);
  return first;
}
LstmState lstmBwdWithWU(Graph& graph, const LstmParams& p, Sequence& prog, const LstmState& fwdStateInit,
                        const Tensor& fwdIntermediates, const LstmWeights& weights, const Tensor& input, const Tensor& output,
                        const Tensor& outputGrad, const Tensor* lastCellStateGrad, Tensor* inputGrad, LstmWeights& weightsGrad,
                        const DebugContext& debugContext, const OptionFlags& options, poplin::PlanningCache* cache) {
  const LstmState last = cellOnly(lastCellStateGrad);
  return lstmBwdWithWU(graph, p, prog, fwdStateInit, fwdIntermediates, weights, input, output, outputGrad, &last, inputGrad,
                       weightsGrad, debugContext, options, cache);
}

std::uint64_t getBasicLstmCellBwdFlops(const LstmParams& p) {
  const std::uint64_t in = p.layerSizes.at(0), out = p.layerSizes.at(1);
  return p.timeSteps * p.batchSize * (8 * out * (out + (p.calcInputGradients ? in : 0)) + 6 * out);
}
std::uint64_t getBasicLstmCellWuFlops(const LstmParams& p) {
  const std::uint64_t in = p.layerSizes.at(0), out = p.layerSizes.at(1);
  return p.timeSteps * p.batchSize * (8 * out * (in + out) + 8 * out);
}
std::vector<std::pair<poplin::MatMulParams, OptionFlags>> getMatMulPrePlanParameters(LstmParams p, OptionFlags options) {
  const std::size_t rows = p.timeSteps * p.batchSize, in = p.layerSizes.at(0), out = p.layerSizes.at(1);
  const auto product = [&](std::size_t m, std::size_t k, std::size_t n) {
    return std::pair(poplin::MatMulParams{p.dataType, p.dataType, {1, m, k}, {1, k, n}}, options);
  };
  return {product(rows, in, 4 * out), product(p.batchSize, out, 4 * out), product(p.batchSize, 4 * out, out),
          product(rows, 4 * out, in), product(in, rows, 4 * out),         product(out, rows, 4 * out)};
}

} // namespace lstm
} // namespace popnn
