#include "popnn/NonLinearity.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "popops/ScaledAdd.hpp"
#include "simcore/poplar/libs/library_call.h"
#include "simcore/poplar/libs/recurrent_training.h"
#include "simcore/poplar/libs/time_steps.h"

namespace popnn::gru {

using namespace simcore::poplar::names;
namespace pe = popops::expr;

namespace {
constexpr auto kR = BASIC_GRU_CELL_RESET_GATE, kU = BASIC_GRU_CELL_UPDATE_GATE, kC = BASIC_GRU_CELL_CANDIDATE;

// Indices of the values that a step keeps for the backward pass, [N, H] each. `product`: the state times the candidate's weights,
// if the reset gate acts on this product (resetAfter). `plain`: the update gate before the attention. `state`: the state before
// the step, if the output lacks some steps.
struct Kept {
  std::size_t reset = 0, update = 1, candidate = 2, product = 0, plain = 1, state = 0, count = 3;
  Kept(const GruParams& p, bool attention) {
    if (p.resetAfter) product = count++;
    if (attention) plain = count++;
    if (!p.outputFullSequence) state = count++;
  }
};
// [N, T] -> [T, N, 1]
Tensor bySteps(const Tensor& attention) { return attention.transpose().expand({2}); }
Tensor wide(const Tensor& column, std::size_t hidden) { return column.broadcast(unsigned(hidden), 1); }

void requireKept(const char* call, const GruParams& p, const Tensor& kept, std::size_t count) {
  if (kept.rank() != 4 || kept.dim(0) != p.rnn.maxTimeSteps || kept.dim(1) != count || kept.dim(2) != p.batchSize ||
      kept.dim(3) != p.layerSizes.at(1))
    throw poputil::poplibs_error(std::string(call) + ": the intermediates " + kept.getDebugStr() +
                                 " are not those of the forward pass with these parameters, [" +
                                 std::to_string(p.rnn.maxTimeSteps) + ", " + std::to_string(count) + ", " +
                                 std::to_string(p.batchSize) + ", " + std::to_string(p.layerSizes.at(1)) + "]");
}
} // namespace

Tensor forwardForTraining(Graph& graph, const GruParams& p, const Tensor& stateInit, const Tensor& in, const GruWeights& weights,
                          Tensor* intermediates, const Tensor& attention, Sequence& prog, const DebugContext& debugContext) {
  const std::size_t batch = p.batchSize, hidden = p.layerSizes.at(1);
  const training::Columns<BasicGruCellUnit> gate(p.cellOrder, hidden);
  const Kept kept(p, attention.valid());
  sp::TimeSteps steps(graph, p.rnn, false, prog, debugContext);
  const Tensor matrix = training::beside(weights.outputWeights);
  const Tensor product = poplin::matMul(graph, sp::rows(in), training::beside(weights.inputWeights), prog, steps.named("input"));
  if (weights.biases.valid())
    training::addToRows(graph, product, p.resetAfter ? weights.biases.dimShuffle({1, 0, 2})[0] : weights.biases, prog,
                        steps.named("bias"));
  const Tensor inputs = steps.copied(product.reshape({in.dim(0), batch, 3 * hidden}), "inputOfSteps");
  const Tensor scores = attention.valid() ? steps.copied(bySteps(attention), "attention") : Tensor();
  const Tensor state = steps.state(stateInit, {batch, hidden}, "state");
  const Tensor keep = intermediates ? steps.sequence({kept.count, batch, hidden}, "intermediates") : Tensor();
  const Tensor outputs = p.outputFullSequence ? steps.sequence({batch, hidden}, "output") : state;

  Sequence& body = steps.body;
  const Tensor running = steps.running(), gates = steps.slice(inputs, "inputOfStep");
  const Tensor both = gate.of(gates, {kR, kU}), r = gate.of(gates, kR), c = gate.of(gates, kC);
  Tensor u = gate.of(gates, kU), ofState;
  if (p.resetAfter) {
    const Tensor fromState = poplin::matMul(graph, state, matrix, body, steps.named("state"));
    if (weights.biases.valid())
      training::addToRows(graph, fromState, weights.biases.dimShuffle({1, 0, 2})[1], body, steps.named("stateBias"));
    popops::addInPlace(graph, both, gate.of(fromState, {kR, kU}), body, steps.named("gates"));
    nonLinearityInPlace(graph, p.recurrentActivation, training::byGate(both, hidden), body, steps.named("gates"));
    ofState = gate.of(fromState, kC);
    popops::mapInPlace(graph, pe::_1 + pe::_2 * pe::_3, {c, r, ofState}, body, steps.named("candidate"));
  } else {
    poplin::matMulAcc(graph, both, 1.0F, state, gate.of(matrix, {kR, kU}), body, steps.named("state"));
    nonLinearityInPlace(graph, p.recurrentActivation, training::byGate(both, hidden), body, steps.named("gates"));
    const Tensor reset = popops::mul(graph, state, r, body, steps.named("reset"));
    poplin::matMulAcc(graph, c, 1.0F, reset, gate.of(matrix, kC), body, steps.named("candidate"));
  }
  nonLinearityInPlace(graph, p.activation, c, body, steps.named("candidate"));
  std::vector<Tensor> parts(kept.count);
  if (attention.valid()) {
    parts[kept.plain] = u;
    u = popops::map(graph, pe::_1 - pe::_1 * pe::_2, {u, wide(steps.slice(scores, "attention"), hidden)}, body,
                    steps.named("attention"));
  }
  const Tensor newState = popops::map(graph, pe::_3 + pe::_1 * (pe::_2 - pe::_3), {u, state, c}, body, steps.named("newState"));
  parts[kept.reset] = r;
  parts[kept.update] = u;
  parts[kept.candidate] = c;
  if (p.resetAfter) parts[kept.product] = ofState;
  if (!p.outputFullSequence) parts[kept.state] = state;
  if (intermediates) {
    steps.put(training::stacked(parts), keep, "keep");
    *intermediates = keep;
  }
  if (p.outputFullSequence) steps.put(sp::masked(graph, newState, running, body, steps.named("ended")), outputs, "output");
  steps.advance(state, newState, running, "state");
  steps.finish();
  return outputs;
}

namespace {
// Runs the backward loop and returns the gradient of the initial state. `gateGrads` gets the gradients of the gates before their
// activation functions, [T, N, 3 H]; with resetAfter [T, N, 4 H], whose last H columns are the gradient of the state's product in
// the candidate.
Tensor backward(Graph& graph, const GruParams& p, Sequence& prog, const Tensor& stateInit, const Tensor& intermediates,
                const GruWeights& weights, const Tensor& output, const Tensor& outputGrad, Tensor* inputGrad, Tensor& gateGrads,
                const Tensor& attention, Tensor* attentionsGrad, const DebugContext& debugContext) {
  const std::size_t batch = p.batchSize, hidden = p.layerSizes.at(1);
  const training::Columns<BasicGruCellUnit> gate(p.cellOrder, hidden);
  const Kept kept(p, attention.valid());
  requireKept("popnn::gru::gruBwd", p, intermediates, kept.count);
  sp::TimeSteps steps(graph, p.rnn, true, prog, debugContext);
  const bool all = p.outputFullSequence;
  const Tensor matrix = training::beside(weights.outputWeights);
  const Tensor state = steps.state(all ? Tensor() : outputGrad, {batch, hidden}, "stateGrad");
  const Tensor given = all ? steps.copied(outputGrad, "outputGrad") : Tensor(),
               states = all ? steps.copied(sp::before(stateInit, output), "states") : Tensor(),
               scores = attention.valid() ? steps.copied(bySteps(attention), "attention") : Tensor();
  gateGrads = steps.sequence({batch, (p.resetAfter ? 4 : 3) * hidden}, "gateGrads");
  const Tensor scoreGrads = attentionsGrad ? steps.sequence({batch, 1}, "attentionGrads") : Tensor();

  Sequence& body = steps.body;
  const auto map = [&](const pe::Expr& e, const std::vector<Tensor>& ts, const char* name) {
    return popops::map(graph, e, ts, body, steps.named(name));
  };
  const Tensor running = steps.running(), saved = steps.slice(intermediates, "kept");
  const Tensor before = all ? steps.slice(states, "stateBefore") : saved[kept.state];
  const Tensor r = saved[kept.reset], u = saved[kept.update], c = saved[kept.candidate];
  Tensor grad = state;
  if (all) {
    const Tensor own = sp::masked(graph, steps.slice(given, "outputGradOfStep"), running, body, steps.named("ended"));
    grad = popops::add(graph, state, own, body, steps.named("grad"));
  }
  Tensor ofUpdate = map(pe::_1 * (pe::_2 - pe::_3), {grad, before, c}, "updateGate"), plain = u;
  if (attention.valid()) {
    plain = saved[kept.plain];
    if (attentionsGrad) {
      const Tensor ofScores =
          sp::masked(graph, map(-(pe::_1 * pe::_2), {ofUpdate, plain}, "attentionGrad"), running, body, steps.named("ended"));
      steps.put(popops::reduce(graph, ofScores, p.dataType, {1}, {popops::Operation::ADD}, body, steps.named("attentionGrad")),
                scoreGrads, "attentionGrad");
    }
    ofUpdate = map(pe::_1 - pe::_1 * pe::_2, {ofUpdate, wide(steps.slice(scores, "attention"), hidden)}, "attention");
  }
  Tensor ofCandidate = map(pe::_1 - pe::_1 * pe::_2, {grad, u}, "candidate");
  ofCandidate = nonLinearityInputGradient(graph, p.activation, c, ofCandidate, body, steps.named("candidate"));
  Tensor ofReset, throughReset;
  if (p.resetAfter) {
    ofReset = popops::mul(graph, ofCandidate, saved[kept.product], body, steps.named("resetGate"));
    throughReset = popops::mul(graph, ofCandidate, r, body, steps.named("throughReset"));
  } else {
    throughReset = poplin::matMul(graph, ofCandidate, gate.of(matrix, kC).transpose(), body, steps.named("throughReset"));
    ofReset = popops::mul(graph, throughReset, before, body, steps.named("resetGate"));
  }
  const Tensor ofBoth =
      nonLinearityInputGradient(graph, p.recurrentActivation, training::byGate(poplar::concat(r, plain, 1), hidden),
                                training::byGate(poplar::concat(ofReset, ofUpdate, 1), hidden), body, steps.named("gates"))
          .reshape({r.dim(0), 2 * hidden});
  const Tensor zr = ofBoth.slice(0, hidden, 1), zu = ofBoth.slice(hidden, 2 * hidden, 1);
  Tensor grads = gate.ordered({kR, kU, kC}, {zr, zu, ofCandidate});
  if (p.resetAfter) grads = poplar::concat(grads, throughReset, 1);
  grads = sp::masked(graph, grads, running, body, steps.named("ended"));
  steps.put(grads, gateGrads, "gateGrads");

  const Tensor newGrad = popops::mul(graph, grad, u, body, steps.named("throughUpdate"));
  const std::vector<BasicGruCellUnit> units{kR, kU};
  const Tensor both = poplar::concat(zr, zu, 1);
  if (p.resetAfter) {
    poplin::matMulAcc(graph, newGrad, 1.0F, poplar::concat(both, throughReset, 1), gate.of(matrix, {kR, kU, kC}).transpose(),
                      body, steps.named("stateBefore"));
  } else {
    popops::mapInPlace(graph, pe::_1 + pe::_2 * pe::_3, {newGrad, throughReset, r}, body, steps.named("throughReset"));
    poplin::matMulAcc(graph, newGrad, 1.0F, both, gate.of(matrix, units).transpose(), body, steps.named("stateBefore"));
  }
  steps.advance(state, newGrad, running, "stateGrad");
  steps.finish();
  if (inputGrad)
    *inputGrad = poplin::matMul(graph, sp::rows(gateGrads.slice(0, 3 * hidden, 2)),
                                training::beside(weights.inputWeights).transpose(), prog, steps.named("inputGrad"))
                     .reshape({p.rnn.maxTimeSteps, batch, p.layerSizes[0]});
  if (attentionsGrad) *attentionsGrad = scoreGrads.reshape({p.rnn.maxTimeSteps, batch}).transpose();
  return state;
}

GruWeights update(Graph& graph, const GruParams& p, Sequence& prog, const Tensor& stateInit, const Tensor& intermediates,
                  const Tensor& gateGrads, const GruWeights& weights, const Tensor& input, const Tensor& output, bool attention,
                  const DebugContext& debugContext) {
  const DebugContext context(debugContext, "gruWU");
  const std::size_t hidden = p.layerSizes.at(1);
  const training::Columns<BasicGruCellUnit> gate(p.cellOrder, hidden);
  const Kept kept(p, attention);
  requireKept("popnn::gru::gruWU", p, intermediates, kept.count);
  const Tensor byKind = intermediates.dimShuffle({1, 0, 2, 3}), all = sp::rows(gateGrads), grads = all.slice(0, 3 * hidden, 1);
  const Tensor states = sp::rows(p.outputFullSequence ? sp::before(stateInit, output) : byKind[kept.state]);
  const auto product = [&](const Tensor& a, const Tensor& b, const char* name) {
    return poplin::matMul(graph, a.transpose(), b, prog, DebugContext(context, name));
  };
  GruWeights deltas;
  deltas.inputWeights = training::apart(product(sp::rows(input), grads, "inputWeights"), 3);
  const Tensor both = product(states, gate.of(grads, {kR, kU}), "outputWeights");
  const Tensor candidate =
      p.resetAfter ? product(states, all.slice(3 * hidden, 4 * hidden, 1), "candidateWeights")
                   : product(popops::mul(graph, states, sp::rows(byKind[kept.reset]), prog, DebugContext(context, "reset")),
                             gate.of(grads, kC), "candidateWeights");
  const auto inOrder = [&](const Tensor& pair, const Tensor& last) {
    return gate.ordered({kR, kU, kC},
                        {pair.slice(0, hidden, pair.rank() - 1), pair.slice(hidden, 2 * hidden, pair.rank() - 1), last});
  };
  deltas.outputWeights = training::apart(inOrder(both, candidate), 3);
  if (!weights.biases.valid()) return deltas;
  const Tensor sums = training::sumOfRows(graph, all, prog, DebugContext(context, "biases"));
  deltas.biases = sums.slice(0, 3 * hidden).reshape({3, hidden});
  if (p.resetAfter) {
    const Tensor ofState = inOrder(gate.of(sums.slice(0, 3 * hidden), {kR, kU}), sums.slice(3 * hidden, 4 * hidden));
    deltas.biases = poplar::concat({deltas.biases.expand({0}), ofState.reshape({1, 3, hidden})}).dimShuffle({1, 0, 2});
  }
  return deltas;
}

GruParams withSteps(const char* call, const GruParams& p, const Tensor& realTimeSteps) {
  if (!p.outputFullSequence || p.rnn.variableTimeSteps())
    throw poputil::poplibs_error(std::string(call) +
                                 ": realTimeSteps needs outputFullSequence, and parameters without varTimeSteps");
  GruParams changed = p;
  changed.rnn.varTimeSteps = realTimeSteps;
  return changed;
}
} // namespace

Tensor createAttention(Graph& graph, const GruParams& p, const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("popnn::gru", options);
  return graph.addVariable(p.dataType, {p.rnn.maxTimeSteps, p.batchSize}, poplar::VariableMappingMethod::LINEAR, debugContext)
      .transpose();
}

Tensor gruFwd(Graph& graph, const GruParams& p, const Tensor& stateInit, const Tensor& in, const Tensor& realTimeSteps,
              const GruWeights& weights, Tensor* intermediates, Sequence& prog, const DebugContext& debugContext,
              const OptionFlags& options, poplin::PlanningCache* cache) {
  return gruFwd(graph, withSteps("popnn::gru::gruFwd", p, realTimeSteps), stateInit, in, weights, intermediates, prog,
                debugContext, options, cache);
}
Tensor auGruFwd(Graph& graph, const GruParams& p, const Tensor& stateInit, const Tensor& in, const GruWeights& weights,
                Tensor* intermediates, const Tensor& attScores, Sequence& prog, const DebugContext& debugContext,
                const OptionFlags& options, poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::gru", options);
  return forwardForTraining(graph, p, stateInit, in, weights, intermediates, attScores, prog,
                            DebugContext(debugContext, "auGruFwd"));
}
Tensor auGruFwd(Graph& graph, const GruParams& p, const Tensor& stateInit, const Tensor& in, const Tensor& realTimeSteps,
                const GruWeights& weights, Tensor* intermediates, const Tensor& attScores, Sequence& prog,
                const DebugContext& debugContext, const OptionFlags& options, poplin::PlanningCache* cache) {
  return auGruFwd(graph, withSteps("popnn::gru::auGruFwd", p, realTimeSteps), stateInit, in, weights, intermediates, attScores,
                  prog, debugContext, options, cache);
}

Tensor auGruBwd(Graph& graph, const GruParams& p, Sequence& prog, const Tensor& fwdOutputInit, const Tensor& fwdIntermediatesSeq,
                const GruWeights& weights, const Tensor&, const Tensor& fwdOutput, const Tensor& gradLayerNext, Tensor* inputGrad,
                Tensor* bwdIntermediates, const Tensor& attentions, Tensor* attentionsGrad, const DebugContext& debugContext,
                const OptionFlags& options, poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::gru", options);
  Tensor gateGrads;
  const Tensor first =
      backward(graph, p, prog, fwdOutputInit, fwdIntermediatesSeq, weights, fwdOutput, gradLayerNext, inputGrad, gateGrads,
               attentions, attentionsGrad, DebugContext(debugContext, attentions.valid() ? "auGruBwd" : "gruBwd"));
  if (bwdIntermediates) *bwdIntermediates = gateGrads;
  return first;
}
Tensor auGruBwd(Graph& graph, const GruParams& p, Sequence& prog, const Tensor& fwdOutputInit, const Tensor& fwdIntermediatesSeq,
                const GruWeights& weights, const Tensor& fwdInputSeq, const Tensor& realTimeSteps, const Tensor& fwdOutput,
                const Tensor& gradLayerNext, Tensor* inputGrad, Tensor* bwdIntermediates, const Tensor& attentions,
                Tensor* attentionsGrad, const DebugContext& debugContext, const OptionFlags& options,
                poplin::PlanningCache* cache) {
  return auGruBwd(graph, withSteps("popnn::gru::auGruBwd", p, realTimeSteps), prog, fwdOutputInit, fwdIntermediatesSeq, weights,
                  fwdInputSeq, fwdOutput, gradLayerNext, inputGrad, bwdIntermediates, attentions, attentionsGrad, debugContext,
                  options, cache);
}
Tensor gruBwd(Graph& graph, const GruParams& p, Sequence& prog, const Tensor& fwdOutputInit, const Tensor& fwdIntermediatesSeq,
              const GruWeights& weights, const Tensor& fwdInputSeq, const Tensor& fwdOutput, const Tensor& gradLayerNext,
              Tensor* inputGrad, Tensor* bwdIntermediates, const DebugContext& debugContext, const OptionFlags& options,
              poplin::PlanningCache* cache) {
  return auGruBwd(graph, p, prog, fwdOutputInit, fwdIntermediatesSeq, weights, fwdInputSeq, fwdOutput, gradLayerNext, inputGrad,
                  bwdIntermediates, Tensor(), nullptr, debugContext, options, cache);
}
Tensor gruBwd(Graph& graph, const GruParams& p, Sequence& prog, const Tensor& fwdOutputInit, const Tensor& fwdIntermediatesSeq,
              const GruWeights& weights, const Tensor& fwdInputSeq, const Tensor& realTimeSteps, const Tensor& fwdOutput,
              const Tensor& gradLayerNext, Tensor* inputGrad, Tensor* bwdIntermediates, const DebugContext& debugContext,
              const OptionFlags& options, poplin::PlanningCache* cache) {
  return gruBwd(graph, withSteps("popnn::gru::gruBwd", p, realTimeSteps), prog, fwdOutputInit, fwdIntermediatesSeq, weights,
                fwdInputSeq, fwdOutput, gradLayerNext, inputGrad, bwdIntermediates, debugContext, options, cache);
}

GruWeights gruWU(Graph& graph, const GruParams& p, Sequence& prog, const Tensor& fwdOutputInit, const Tensor& fwdIntermediates,
                 const Tensor& bwdIntermediates, const GruWeights& weights, const Tensor& input, const Tensor& output,
                 const DebugContext& debugContext, const OptionFlags& options, poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::gru", options);
  return update(graph, p, prog, fwdOutputInit, fwdIntermediates, bwdIntermediates, weights, input, output, false, debugContext);
}
GruWeights auGruWU(Graph& graph, const GruParams& p, Sequence& prog, const Tensor& fwdOutputInit, const Tensor& fwdIntermediates,
                   const Tensor& bwdIntermediates, const GruWeights& weights, const Tensor& input, const Tensor& output,
                   const DebugContext& debugContext, const OptionFlags& options, poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::gru", options);
  return update(graph, p, prog, fwdOutputInit, fwdIntermediates, bwdIntermediates, weights, input, output, true, debugContext);
}

Tensor gruBwdWithWU(Graph& graph, const GruParams& p, Sequence& prog, const Tensor& fwdOutputInit, const Tensor& fwdIntermediates,
                    const GruWeights& weights, const Tensor& input, const Tensor& output, const Tensor& outputGrad,
                    Tensor* inputGrad, GruWeights& weightsGrad, const DebugContext& debugContext, const OptionFlags& options,
                    poplin::PlanningCache* cache) {
  Tensor grads;
  const Tensor first = gruBwd(graph, p, prog, fwdOutputInit, fwdIntermediates, weights, input, output, outputGrad, inputGrad,
                              &grads, debugContext, options, cache);
  weightsGrad =
      gruWU(graph, p, prog, fwdOutputInit, fwdIntermediates, grads, weights, input, output, debugContext, options, cache);
  return first;
}
Tensor gruBwdWithWU(Graph& graph, const GruParams& p, Sequence& prog, const Tensor& fwdOutputInit, const Tensor& fwdIntermediates,
                    const GruWeights& weights, const Tensor& input, const Tensor& realTimeSteps, const Tensor& output,
                    const Tensor& outputGrad, Tensor* inputGrad, GruWeights& weightsGrad, const DebugContext& debugContext,
                    const OptionFlags& options, poplin::PlanningCache* cache) {
  return gruBwdWithWU(graph, withSteps("popnn::gru::gruBwdWithWU", p, realTimeSteps), prog, fwdOutputInit, fwdIntermediates,
                      weights, input, output, outputGrad, inputGrad, weightsGrad, debugContext, options, cache);
}
Tensor auGruBwdWithWU(Graph& graph, const GruParams& p, Sequence& prog, const Tensor& fwdOutputInit,
                      const Tensor& fwdIntermediates, const GruWeights& weights, const Tensor& input, const Tensor& output,
                      const Tensor& outputGrad, Tensor* inputGrad, GruWeights& weightsGrad, const Tensor& attentions,
                      Tensor* attentionsGrad, const DebugContext& debugContext, const OptionFlags& options,
                      poplin::PlanningCache* cache) {
  Tensor grads;
  const Tensor first = auGruBwd(graph, p, prog, fwdOutputInit, fwdIntermediates, weights, input, output, outputGrad, inputGrad,
                                &grads, attentions, attentionsGrad, debugContext, options, cache);
  weightsGrad =
      auGruWU(graph, p, prog, fwdOutputInit, fwdIntermediates, grads, weights, input, output, debugContext, options, cache);
  return first;
}
Tensor auGruBwdWithWU(Graph& graph, const GruParams& p, Sequence& prog, const Tensor& fwdOutputInit,
                      const Tensor& fwdIntermediates, const GruWeights& weights, const Tensor& input, const Tensor& realTimeSteps,
                      const Tensor& output, const Tensor& outputGrad, Tensor* inputGrad, GruWeights& weightsGrad,
                      const Tensor& attentions, Tensor* attentionsGrad, const DebugContext& debugContext,
                      const OptionFlags& options, poplin::PlanningCache* cache) {
  return auGruBwdWithWU(graph, withSteps("popnn::gru::auGruBwdWithWU", p, realTimeSteps), prog, fwdOutputInit, fwdIntermediates,
                        weights, input, output, outputGrad, inputGrad, weightsGrad, attentions, attentionsGrad, debugContext,
                        options, cache);
}

std::uint64_t getBasicGruCellBwdFlops(const GruParams& p) {
  const std::uint64_t in = p.layerSizes.at(0), out = p.layerSizes.at(1);
  return p.timeSteps * p.batchSize * (6 * out * (out + (p.calcInputGradients ? in : 0)) + 8 * out);
}
std::uint64_t getBasicGruCellWuFlops(const GruParams& p) {
  const std::uint64_t in = p.layerSizes.at(0), out = p.layerSizes.at(1);
  return p.timeSteps * p.batchSize * (6 * out * (in + out) + 6 * out);
}

} // namespace popnn::gru
