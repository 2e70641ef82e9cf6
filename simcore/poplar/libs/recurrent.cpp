#include "simcore/ops/network/recurrent.h"

#include "popnn/Gru.hpp"
#include "popnn/Lstm.hpp"
#include "popops/Zero.hpp"
#include "poputil/exceptions.hpp"
#include "simcore/poplar/libs/library_call.h"
#include "simcore/poplar/libs/recurrent_training.h"

#include <algorithm>
#include <array>

namespace popnn {

using namespace simcore::poplar::names;
using simcore::numerics::RecurrentKind;

namespace {

constexpr auto kLinear = poplar::VariableMappingMethod::LINEAR;

std::string activationName(NonLinearityType type) {
  switch (type) {
  case NonLinearityType::SIGMOID: return "Sigmoid";
  case NonLinearityType::HARD_SIGMOID: return "HardSigmoid";
  case NonLinearityType::RELU: return "Relu";
  case NonLinearityType::TANH: return "Tanh";
  default: throw poputil::poplibs_error("popnn: the activation of a recurrent layer must be sigmoid, hard sigmoid, relu or tanh");
  }
}

void requireLayer(const char* call, const std::vector<std::size_t>& sizes, const Tensor& in, std::size_t batch) {
  if (sizes.size() != 2)
    throw poputil::poplibs_error(std::string(call) + ": layerSizes has " + std::to_string(sizes.size()) + " values instead of 2");
  if (in.rank() != 3 || in.dim(1) != batch || in.dim(2) != sizes[0])
    throw poputil::poplibs_error(std::string(call) + ": the input " + in.getDebugStr() + " needs the shape [steps, " +
                                 std::to_string(batch) + ", " + std::to_string(sizes[0]) + "]");
}

// Gates [g, rows, H] in `cellOrder` -> [g H, rows] in `order`, that of the ops.
template<class Unit> sg::Tensor gates(const Tensor& weights, const std::vector<Unit>& cellOrder, const std::vector<Unit>& order) {
  std::vector<sg::Tensor> parts;
  for (const Unit unit : order) {
    const auto at = std::size_t(std::find(cellOrder.begin(), cellOrder.end(), unit) - cellOrder.begin());
    if (at >= weights.dim(0)) throw poputil::poplibs_error("popnn: the order of the cell lacks a gate");
    const sg::Tensor gate = sp::inner(weights)[int64_t(at)];
    parts.push_back(gate.rank() == 2 ? gate.transpose() : gate);
  }
  return sg::concat(parts, 0);
}

struct Layer {
  int kind = 0;
  bool resetAfter = false;
  int64_t hidden = 0;
  std::vector<std::string> activations;
  sg::Tensor x, weights, recurrence, bias, state, cell, lengths;
  friend void fields(sp::Archive& a, Layer& l) {
    a(l.kind, l.resetAfter, l.hidden, l.activations, l.x, l.weights, l.recurrence, l.bias, l.state, l.cell, l.lengths);
  }
};

ops::RecurrentLayer layerOf(const Layer& l) {
  ops::RecurrentLayer layer;
  layer.parameters.kind = RecurrentKind(l.kind);
  layer.parameters.hiddenSize = l.hidden;
  layer.parameters.linearBeforeReset = l.resetAfter;
  for (const std::string& name : l.activations) {
    const bool isHard = name == "HardSigmoid";
    layer.activations.push_back({name, isHard ? 0.2 : 0, isHard ? 0.5 : 0});
  }
  layer.x = l.x;
  layer.weights = l.weights;
  layer.recurrence = l.recurrence;
  layer.bias = l.bias;
  layer.hidden = l.state;
  layer.cell = l.cell;
  layer.lengths = l.lengths;
  return layer;
}

// Attaches functions that compute the numbers on the host; the plan only gives the time.
void attachNumbers(const ops::OpBuilder& b, const ops::RecurrentLayer& layer, const ops::RecurrentOutputs& out) {
  std::vector<sg::Tensor> inputs, outputs{out.steps, out.hidden};
  if (out.cell.valid()) outputs.push_back(out.cell);
  std::array<int, 7> places{};
  const std::array<sg::Tensor, 7> given{layer.x,       layer.weights, layer.recurrence, layer.bias,
                                        layer.lengths, layer.hidden,  layer.cell};
  for (std::size_t i = 0; i < given.size(); ++i) {
    places[i] = given[i].valid() ? int(inputs.size()) : -1;
    if (given[i].valid()) inputs.push_back(given[i]);
  }
  auto parameters = layer.parameters;
  parameters.activations = layer.activations;
  b.compute(inputs, outputs, [parameters, places](const std::vector<HostTensor>& in) {
    std::array<HostTensor, 7> values;
    std::array<const HostTensor*, 7> at{};
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] < 0) continue;
      const HostTensor& given = in[std::size_t(places[i])];
      sg::Shape shape = given.shape(); // one direction is added in front, except for the input and the lengths
      if (i != 0 && i != 4) shape.insert(shape.begin(), 1);
      values[i] = (i == 4 ? given : given.cast(ElementType::Float)).reshaped(shape);
      at[i] = &values[i];
    }
    simcore::numerics::RecurrentInputs all{at[0], at[1], at[2], at[3], at[4], at[5], at[6], nullptr};
    const auto result = simcore::numerics::recurrent(all, parameters);
    const sg::Shape& whole = result.outputs.shape();
    std::vector<HostTensor> out{result.outputs.reshaped({whole[0], whole[2], whole[3]}),
                                result.hidden.reshaped({whole[2], whole[3]})};
    if (parameters.kind == RecurrentKind::Lstm) out.push_back(result.cell.reshaped({whole[2], whole[3]}));
    return out;
  });
}

ops::RecurrentOutputs forward(Graph& graph, Sequence& prog, const DebugContext& debugContext, const char* kind,
                              const Layer& layer) {
  return sp::library(
      graph, prog, debugContext, kind,
      [](const ops::OpBuilder& b, const auto& l) {
        const ops::RecurrentLayer layer = layerOf(l);
        if (b.byCells()) return ops::recurrent(b, layer);
        const ops::RecurrentOutputs out = ops::recurrent(b.timeOnly(), layer);
        attachNumbers(b, layer, out);
        return out;
      },
      layer);
}

// The input's biases followed by zeros for the state's biases.
sg::Tensor withZeros(Graph& graph, const sg::Tensor& biases, const DebugContext& debugContext) {
  const Tensor zeros =
      graph.addConstant(sp::outer(biases.elementType()), {std::size_t(biases.numElements())}, 0.0F, debugContext);
  graph.setTileMapping(zeros, 0);
  return sg::concat(biases, sp::inner(zeros));
}

} // namespace

namespace rnn {
RnnParams::RnnParams(poplar::Type type, std::size_t batch, std::size_t steps, std::vector<std::size_t> sizes)
    : dataType(type), batchSize(batch), maxTimeSteps(steps), timeSteps(steps), layerSizes(std::move(sizes)) {}
RnnParams::RnnParams(poplar::Type type, std::size_t batch, std::size_t maxSteps, const Tensor& steps,
                     std::vector<std::size_t> sizes)
    : dataType(type), batchSize(batch), maxTimeSteps(maxSteps), timeSteps(maxSteps), varTimeSteps(steps),
      layerSizes(std::move(sizes)) {}
} // namespace rnn

namespace {
sg::Tensor lengthsOf(const rnn::RnnParams& params) {
  if (!params.variableTimeSteps()) return {};
  const Tensor steps = params.varTimeSteps.flatten();
  return sp::inner(steps.numElements() == params.batchSize ? steps : steps.broadcast(unsigned(params.batchSize), 0));
}
} // namespace

namespace lstm {

const std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder() {
  return {BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_CANDIDATE, BASIC_LSTM_CELL_OUTPUT_GATE};
}
LstmParams::LstmParams(poplar::Type type, std::size_t batch, std::size_t steps, std::vector<std::size_t> sizes,
                       NonLinearityType cellActivation, NonLinearityType gateActivation)
    : rnn(type, batch, steps, sizes), dataType(type), batchSize(batch), timeSteps(steps), layerSizes(std::move(sizes)),
      activation(cellActivation), recurrentActivation(gateActivation) {}
LstmParams::LstmParams(poplar::Type type, std::size_t batch, std::size_t maxSteps, const Tensor& steps,
                       std::vector<std::size_t> sizes, NonLinearityType cellActivation, NonLinearityType gateActivation)
    : rnn(type, batch, maxSteps, steps, sizes), dataType(type), batchSize(batch), timeSteps(maxSteps),
      layerSizes(std::move(sizes)), activation(cellActivation), recurrentActivation(gateActivation) {}
Tensor LstmState::getAsTensor() const { return poplar::concat({output.expand({0}), cellState.expand({0})}); }

std::uint64_t getBasicLstmCellFwdFlops(const LstmParams& p) {
  const std::uint64_t in = p.layerSizes.at(0), out = p.layerSizes.at(1);
  return p.timeSteps * p.batchSize * (8 * out * (in + out) + 4 * out);
}
Tensor createInput(Graph& graph, const LstmParams& p, const DebugContext& debugContext, const OptionFlags& options,
                   poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::lstm", options);
  return graph.addVariable(p.dataType, {p.timeSteps, p.batchSize, p.layerSizes.at(0)}, kLinear, debugContext);
}
Tensor createInitialOutput(Graph& graph, const LstmParams& p, const DebugContext& debugContext, const OptionFlags& options,
                           poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::lstm", options);
  return graph.addVariable(p.dataType, {p.batchSize, p.layerSizes.at(1)}, kLinear, DebugContext(debugContext, "output"));
}
Tensor createInitialCellState(Graph& graph, const LstmParams& p, const DebugContext& debugContext, const OptionFlags& options,
                              poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::lstm", options);
  return graph.addVariable(p.dataType, {p.batchSize, p.layerSizes.at(1)}, kLinear, DebugContext(debugContext, "cellState"));
}
LstmState createInitialState(Graph& graph, const LstmParams& p, const DebugContext& debugContext, const OptionFlags& options,
                             poplin::PlanningCache* cache) {
  return {createInitialOutput(graph, p, debugContext, options, cache),
          createInitialCellState(graph, p, debugContext, options, cache)};
}
void zeroInitialState(Graph& graph, const LstmState& state, Sequence& prog, const DebugContext& debugContext) {
  popops::zero(graph, state.output, prog, debugContext);
  popops::zero(graph, state.cellState, prog, debugContext);
}
std::pair<Tensor, Tensor> createWeightsKernel(Graph& graph, const LstmParams& p, const DebugContext& debugContext,
                                              const OptionFlags& options, poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::lstm", options);
  const std::size_t in = p.layerSizes.at(0), out = p.layerSizes.at(1);
  return {graph.addVariable(p.dataType, {4, in, out}, kLinear, DebugContext(debugContext, "inputWeights")),
          graph.addVariable(p.dataType, {4, out, out}, kLinear, DebugContext(debugContext, "outputWeights"))};
}
Tensor createWeightsBiases(Graph& graph, const LstmParams& p, const DebugContext& debugContext, const OptionFlags& options,
                           poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::lstm", options);
  return graph.addVariable(p.dataType, {4, p.layerSizes.at(1)}, kLinear, DebugContext(debugContext, "biases"));
}
LstmWeights createWeights(Graph& graph, const LstmParams& p, const DebugContext& debugContext, const OptionFlags& options,
                          poplin::PlanningCache* cache) {
  const auto [input, output] = createWeightsKernel(graph, p, debugContext, options, cache);
  return {input, output, createWeightsBiases(graph, p, debugContext, options, cache)};
}

std::pair<Tensor, Tensor> lstmFwd(Graph& graph, const LstmParams& p, const LstmState& stateInit, const Tensor& in,
                                  const LstmWeights& weights, Tensor* intermediates, Sequence& prog,
                                  const DebugContext& debugContext, const OptionFlags& options, poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::lstm", options);
  requireLayer("popnn::lstm::lstmFwd", p.layerSizes, in, p.batchSize);
  if (!p.doInputWeightCalc)
    throw poputil::poplibs_error(
        "popnn::lstm::lstmFwd: doInputWeightCalc = false (an input already multiplied by the input weights) is not simulated");
  if (intermediates)
    return forwardForTraining(graph, p, stateInit, in, weights, *intermediates, prog, DebugContext(debugContext, "lstmFwd"));
  const std::vector<BasicLstmCellUnit> order{BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_OUTPUT_GATE, BASIC_LSTM_CELL_FORGET_GATE,
                                             BASIC_LSTM_CELL_CANDIDATE};
  Layer layer;
  layer.kind = int(RecurrentKind::Lstm);
  layer.hidden = int64_t(p.layerSizes[1]);
  layer.activations = {activationName(p.recurrentActivation), activationName(p.activation), activationName(p.activation)};
  layer.x = sp::inner(in);
  layer.weights = gates(weights.inputWeights, p.cellOrder, order);
  layer.recurrence = gates(weights.outputWeights, p.cellOrder, order);
  if (weights.biases.valid()) layer.bias = withZeros(graph, gates(weights.biases, p.cellOrder, order), debugContext);
  layer.state = sp::inner(stateInit.output);
  layer.cell = sp::inner(stateInit.cellState);
  layer.lengths = lengthsOf(p.rnn);
  const ops::RecurrentOutputs out = forward(graph, prog, debugContext, "lstm", layer);
  return {sp::outer(p.outputFullSequence ? out.steps : out.hidden), sp::outer(out.cell)};
}

} // namespace lstm

namespace gru {

const std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder() {
  return {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE, BASIC_GRU_CELL_CANDIDATE};
}
GruParams::GruParams(poplar::Type type, std::size_t batch, std::size_t steps, std::vector<std::size_t> sizes,
                     NonLinearityType cellActivation, NonLinearityType gateActivation)
    : rnn(type, batch, steps, sizes), dataType(type), batchSize(batch), timeSteps(steps), layerSizes(std::move(sizes)),
      activation(cellActivation), recurrentActivation(gateActivation) {}
GruParams::GruParams(poplar::Type type, std::size_t batch, std::size_t maxSteps, const Tensor& steps,
                     std::vector<std::size_t> sizes, NonLinearityType cellActivation, NonLinearityType gateActivation)
    : rnn(type, batch, maxSteps, steps, sizes), dataType(type), batchSize(batch), timeSteps(maxSteps),
      layerSizes(std::move(sizes)), activation(cellActivation), recurrentActivation(gateActivation) {}

std::uint64_t getBasicGruCellFwdFlops(const GruParams& p) {
  const std::uint64_t in = p.layerSizes.at(0), out = p.layerSizes.at(1);
  return p.timeSteps * p.batchSize * (6 * out * (in + out) + 5 * out);
}
Tensor createInput(Graph& graph, const GruParams& p, const DebugContext& debugContext, const OptionFlags& options,
                   poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::gru", options);
  return graph.addVariable(p.dataType, {p.timeSteps, p.batchSize, p.layerSizes.at(0)}, kLinear, debugContext);
}
Tensor createInitialState(Graph& graph, const GruParams& p, const DebugContext& debugContext, const OptionFlags& options,
                          poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::gru", options);
  return graph.addVariable(p.dataType, {p.batchSize, p.layerSizes.at(1)}, kLinear, DebugContext(debugContext, "state"));
}
std::pair<Tensor, Tensor> createWeightsKernel(Graph& graph, const GruParams& p, const DebugContext& debugContext,
                                              const OptionFlags& options, poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::gru", options);
  const std::size_t in = p.layerSizes.at(0), out = p.layerSizes.at(1);
  return {graph.addVariable(p.dataType, {3, in, out}, kLinear, DebugContext(debugContext, "inputWeights")),
          graph.addVariable(p.dataType, {3, out, out}, kLinear, DebugContext(debugContext, "outputWeights"))};
}
Tensor createWeightsBiases(Graph& graph, const GruParams& p, const DebugContext& debugContext, const OptionFlags& options,
                           poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::gru", options);
  const std::size_t out = p.layerSizes.at(1);
  const std::vector<std::size_t> shape = p.resetAfter ? std::vector<std::size_t>{3, 2, out} : std::vector<std::size_t>{3, out};
  return graph.addVariable(p.dataType, shape, kLinear, DebugContext(debugContext, "biases"));
}
GruWeights createWeights(Graph& graph, const GruParams& p, const DebugContext& debugContext, const OptionFlags& options,
                         poplin::PlanningCache* cache) {
  const auto [input, output] = createWeightsKernel(graph, p, debugContext, options, cache);
  return {input, output, createWeightsBiases(graph, p, debugContext, options, cache)};
}

Tensor gruFwd(Graph& graph, const GruParams& p, const Tensor& stateInit, const Tensor& in, const GruWeights& weights,
              Tensor* intermediates, Sequence& prog, const DebugContext& debugContext, const OptionFlags& options,
              poplin::PlanningCache*) {
  sp::ignoreOptions("popnn::gru", options);
  requireLayer("popnn::gru::gruFwd", p.layerSizes, in, p.batchSize);
  if (intermediates)
    return forwardForTraining(graph, p, stateInit, in, weights, intermediates, Tensor(), prog,
                              DebugContext(debugContext, "gruFwd"));
  const std::vector<BasicGruCellUnit> order{BASIC_GRU_CELL_UPDATE_GATE, BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_CANDIDATE};
  Layer layer;
  layer.kind = int(RecurrentKind::Gru);
  layer.resetAfter = p.resetAfter;
  layer.hidden = int64_t(p.layerSizes[1]);
  layer.activations = {activationName(p.recurrentActivation), activationName(p.activation)};
  layer.x = sp::inner(in);
  layer.weights = gates(weights.inputWeights, p.cellOrder, order);
  layer.recurrence = gates(weights.outputWeights, p.cellOrder, order);
  if (weights.biases.valid() && p.resetAfter) {
    const Tensor both = weights.biases.dimShuffle({1, 0, 2}); // biases of the input, biases of the state
    layer.bias = sg::concat(gates(both[0], p.cellOrder, order), gates(both[1], p.cellOrder, order));
  } else if (weights.biases.valid()) {
    layer.bias = withZeros(graph, gates(weights.biases, p.cellOrder, order), debugContext);
  }
  layer.state = sp::inner(stateInit);
  layer.lengths = lengthsOf(p.rnn);
  const ops::RecurrentOutputs out = forward(graph, prog, debugContext, "gru", layer);
  return sp::outer(p.outputFullSequence ? out.steps : out.hidden);
}

} // namespace gru
} // namespace popnn
