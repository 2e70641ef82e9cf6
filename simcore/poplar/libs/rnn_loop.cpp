// A recurrent loop whose step is a program of the caller. The loop slices the inputs of the step, runs the step, and writes its
// results into the sequences.
#include "popnn/Rnn.hpp"
#include "popops/Cast.hpp"
#include "popops/DynamicSlice.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Fill.hpp"
#include "popops/Reduce.hpp"
#include "popops/Zero.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/exceptions.hpp"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>

namespace popnn::rnn {

using namespace simcore::poplar::names;
using poplar::DebugNameAndId;
using poplar::program::Copy;
using poplar::program::Repeat;
namespace pe = popops::expr;

namespace {

constexpr auto kLinear = poplar::VariableMappingMethod::LINEAR;

std::size_t bytesPerTile(const Graph& graph, const RnnParams& params, std::size_t size) {
  const std::size_t tiles = graph.getTarget().getNumTiles();
  return (params.batchSize * size + tiles - 1) / tiles * graph.getTarget().getTypeSize(params.dataType);
}

// A sequence as [steps, elements of a step], and the shape of a step.
struct Steps {
  Steps(const RnnParams& params, const Tensor& sequence, const char* what) {
    const std::size_t steps = params.maxTimeSteps;
    if (!sequence.valid() || sequence.rank() < 2 || sequence.dim(0) % steps)
      throw poputil::poplibs_error(std::string("popnn::rnn::Rnn: ") + what +
                                   (sequence.valid() ? ' ' + sequence.getDebugStr() : "") + " is not a sequence of " +
                                   std::to_string(steps) + " steps");
    flat = sequence.reshape({steps, sequence.numElements() / steps});
    shape = sequence.shape();
    if (shape.size() > 3)
      shape.erase(shape.begin());
    else
      shape[0] /= steps;
  }
  Tensor flat;
  Sizes shape;
};

class Loop {
public:
  Loop(Graph& graph, const RnnParams& params, bool reverse, Sequence& prog, const DebugContext& context)
      : m_graph(graph), m_params(params), m_reverse(reverse), m_prog(prog), m_context(context), m_step(counter("step")),
        m_begin(graph.addConstant(poplar::UNSIGNED_INT, {1}, 0U, DebugContext(context, "begin"))),
        m_body(DebugContext(context, "step")) {
    graph.setTileMapping(m_begin, 0);
    if (params.variableTimeSteps()) {
      Tensor steps = params.varTimeSteps.flatten();
      if (steps.elementType() != poplar::UNSIGNED_INT)
        steps = popops::cast(graph, steps, poplar::UNSIGNED_INT, prog, named("steps"));
      if (steps.numElements() != 1 && steps.numElements() != params.batchSize)
        throw poputil::poplibs_error("popnn::rnn::Rnn: varTimeSteps has " + std::to_string(steps.numElements()) +
                                     " elements, but must have one, or one per sample of the batch of " +
                                     std::to_string(params.batchSize));
      m_steps = steps;
      m_limit =
          popops::reduce(graph, steps, poplar::UNSIGNED_INT, {0}, {popops::Operation::MAX}, prog, named("limit")).reshape({1});
      m_done = counter("done");
      popops::zero(graph, m_done, prog, named("done"));
    }
    if (!reverse)
      popops::zero(graph, m_step, prog, named("firstStep"));
    else if (m_limit.valid())
      popops::mapWithOutput(graph, pe::_1 - 1, {m_limit}, m_step, prog, named("lastStep"));
    else
      popops::fill(graph, m_step, prog, unsigned(params.maxTimeSteps - 1), named("lastStep"));
  }

  DebugContext named(const std::string& name) const { return {m_context, name}; }
  const Tensor& step() const { return m_step; }
  TimeStepState time() const { return {m_begin, m_step, m_running}; }
  Sequence& body() { return m_body; }
  Tensor variable(const Sizes& shape, const std::string& name) {
    return m_graph.addVariable(m_params.dataType, shape, kLinear, named(name));
  }

  std::vector<Tensor> states(const std::vector<Tensor>& initial) {
    std::vector<Tensor> all;
    for (const Tensor& t : initial) {
      all.push_back(t.valid() ? m_graph.addVariable(t.elementType(), t.shape(), kLinear, named("state")) : Tensor());
      if (t.valid()) m_prog.add(Copy(t, all.back(), false, named("state")));
    }
    return all;
  }
  Tensor slice(const Tensor& sequence, std::size_t steps, const char* what, Sequence& prog) {
    const Steps all(m_params, sequence, what);
    Sizes shape = all.shape;
    shape[0] *= steps;
    return popops::dynamicSlice(m_graph, all.flat, m_step, {0}, {steps}, prog, named(what)).reshape(shape);
  }
  void put(const Tensor& value, const Tensor& sequence, const Tensor& at, const char* what) {
    const Tensor flat = sequence.reshape({sequence.numElements() / value.numElements(), value.numElements()});
    popops::dynamicUpdate(m_graph, flat, value.flatten().expand({0}), at, {0}, {1}, m_body, named(what));
  }
  void put(const Tensor& value, const Tensor& sequence, const char* what) {
    const Steps all(m_params, sequence, what);
    if (!value.valid() || value.numElements() != all.flat.dim(1))
      throw poputil::poplibs_error(std::string("popnn::rnn::Rnn: the loop body returned no ") + what +
                                   " of the size of a step of " + sequence.getDebugStr());
    put(value, sequence, m_step, what);
  }
  RnnBatchwiseFlags flags() {
    if (m_limit.valid()) m_running = popops::lt(m_graph, m_done, m_limit, m_condition, named("continue"));
    if (!m_params.batchVariableTimeSteps()) return {};
    const Tensor runs = popops::gt(m_graph, m_steps, m_step.broadcast(unsigned(m_params.batchSize), 0), m_body, named("mask"));
    const Tensor mask = popops::cast(m_graph, runs, m_params.dataType, m_body, named("mask"));
    return {mask, popops::map(m_graph, 1 - pe::_1, {mask}, m_body, named("inverse"))};
  }

  // The body, with the update of the step number.
  const Sequence& whole() {
    if (m_limit.valid()) popops::addInPlace(m_graph, m_done, 1U, m_body, named("done"));
    if (m_reverse)
      popops::subInPlace(m_graph, m_step, 1U, m_body, named("nextStep"));
    else
      popops::addInPlace(m_graph, m_step, 1U, m_body, named("nextStep"));
    return m_body;
  }
  void finish() {
    const Sequence& body = whole();
    if (m_limit.valid())
      m_prog.add(poplar::program::RepeatWhileTrue(m_condition, m_running.reshape({}), body, named("steps")));
    else
      m_prog.add(Repeat(unsigned(m_params.maxTimeSteps), body, named("steps")));
  }

private:
  Tensor counter(const std::string& name) { return m_graph.addVariable(poplar::UNSIGNED_INT, {1}, kLinear, named(name)); }

  Graph& m_graph;
  const RnnParams& m_params;
  bool m_reverse;
  Sequence& m_prog;
  DebugContext m_context;
  Tensor m_step, m_begin, m_steps, m_limit, m_done, m_running;
  Sequence m_body, m_condition;
};

Tensor keptState(const StateSequence& sequence, const std::vector<Tensor>& state) {
  if (!sequence.output.valid()) return {};
  if (sequence.stateIndex >= state.size())
    throw poputil::poplibs_error("popnn::rnn::Rnn: stateIndex is " + std::to_string(sequence.stateIndex) + ", but there are " +
                                 std::to_string(state.size()) + " states");
  return state[sequence.stateIndex];
}

} // namespace

std::size_t RnnParams::getMaxShards(const Graph& graph) const {
  const std::size_t tiles = graph.getTarget().getNumTiles(),
                    used = std::max<std::size_t>(1, std::min(tiles, batchSize * layerSizes.at(0)));
  return std::max<std::size_t>(1, std::min(maxTimeSteps, tiles / used));
}
std::size_t RnnParams::getInputBytesPerTile(const Graph& graph) const { return bytesPerTile(graph, *this, layerSizes.at(0)); }
std::size_t RnnParams::getOutputBytesPerTile(const Graph& graph) const { return bytesPerTile(graph, *this, layerSizes.at(1)); }

Tensor createInitialState(Graph& graph, const RnnParams& params, bool isOutput, unsigned multiple, unsigned,
                          const DebugContext& debugContext) {
  return graph.addVariable(params.dataType, {multiple, params.batchSize, params.layerSizes.at(isOutput ? 1 : 0)}, kLinear,
                           debugContext);
}
Tensor createRecurrentTensor(Graph& graph, const RnnParams& params, unsigned size, unsigned, const DebugContext& debugContext) {
  return popops::createSliceableTensor(graph, params.dataType, {params.maxTimeSteps, params.batchSize * size}, {0}, {1}, 0,
                                       debugContext)
      .reshape({params.maxTimeSteps, params.batchSize, size});
}
Tensor createInputTensor(Graph& graph, const RnnParams& params, unsigned numShards, const DebugContext& debugContext) {
  return createRecurrentTensor(graph, params, unsigned(params.layerSizes.at(0)), numShards, debugContext);
}
Tensor createOutputTensor(Graph& graph, const RnnParams& params, unsigned numShards, const DebugContext& debugContext) {
  return createRecurrentTensor(graph, params, unsigned(params.layerSizes.at(1)), numShards, debugContext);
}
Tensor createOutputTensor(Graph& graph, const RnnParams& params, unsigned multiple, unsigned numShards,
                          const DebugContext& debugContext) {
  const std::size_t size = params.layerSizes.at(1);
  return createRecurrentTensor(graph, params, unsigned(multiple * size), numShards, debugContext)
      .reshape({params.maxTimeSteps * multiple, params.batchSize, size});
}
Tensor shiftRnnTensor(Graph& graph, const RnnParams& params, const Tensor& tBase, const Tensor& tSingle, Sequence& prog, unsigned,
                      const DebugContext& debugContext) {
  const Steps steps(params, tBase, "base");
  const Tensor shifted = graph.clone(tBase, debugContext);
  const Tensor flat = shifted.reshape(steps.flat.shape());
  prog.add(Copy(tSingle.flatten(), flat[0], false, debugContext));
  if (params.maxTimeSteps > 1)
    prog.add(Copy(steps.flat.slice(0, params.maxTimeSteps - 1), flat.slice(1, params.maxTimeSteps), false, debugContext));
  return shifted;
}

std::vector<Tensor> Rnn(Graph& graph, const RnnParams& params, bool reverse, const std::vector<Tensor>& initState,
                        const StateSequence& stateSequence, const std::vector<Tensor>& inputs, const Tensor* interimIn,
                        Tensor* interimOut, const std::vector<Tensor>& outputs, const std::vector<Tensor>& created,
                        Sequence& prog, const LoopBodyType& loopFn, unsigned, poplar::OptionFlags& options,
                        const DebugContext& debugContext) {
  simcore::poplar::ignoreOptions("popnn::rnn::Rnn", options, {"codeReuse"});
  const poplar::DebugInfo info(debugContext, "popnn");
  Loop loop(graph, params, reverse, prog, debugContext);
  std::vector<Tensor> state = loop.states(initState);
  const RnnBatchwiseFlags flags = loop.flags();
  RnnSlice slice;
  for (const Tensor& input : inputs) slice.inputs.push_back(loop.slice(input, 1, "input", loop.body()));
  if (interimIn) slice.interimIn = loop.slice(*interimIn, 1, "interimIn", loop.body());
  if (interimOut) slice.interimOut = loop.variable(Steps(params, *interimOut, "interimOut").shape, "interimOut");
  for (const Tensor& output : outputs) slice.outputs.push_back(loop.variable(Steps(params, output, "output").shape, "output"));
  std::vector<Tensor> made(created.size());
  Sequence before(debugContext);
  const Sequence step = loopFn(graph, loop.time(), flags, state, slice, made, &before, DebugNameAndId(info, "step"));
  prog.add(before);
  loop.body().add(step);
  if (interimOut) loop.put(slice.interimOut, *interimOut, "interimOut");
  if (const Tensor kept = keptState(stateSequence, state); kept.valid()) loop.put(kept, stateSequence.output, "stateSequence");
  for (std::size_t i = 0; i < outputs.size(); ++i) loop.put(slice.outputs[i], outputs[i], "output");
  for (std::size_t i = 0; i < created.size(); ++i) loop.put(made[i], created[i], "created");
  loop.finish();
  return state;
}

std::vector<Tensor> Rnn(Graph& graph, const RnnParams& params, const std::vector<Tensor>& initState,
                        const StateSequence& stateSequence, const std::vector<Tensor>& inputs, const Tensor& interimIn,
                        const unsigned numTemps, Sequence& prog, const LoopBodyType& loopFn,
                        const std::vector<Tensor>& gatherInputs, const GatherBodyType& gatherFn, unsigned,
                        unsigned stepsPerGather, poplar::OptionFlags& options, const DebugContext& debugContext) {
  simcore::poplar::ignoreOptions("popnn::rnn::Rnn", options, {"codeReuse"});
  if (params.variableTimeSteps())
    throw poputil::poplibs_error("popnn::rnn::Rnn: gathers with variable numbers of steps are not simulated");
  if (stepsPerGather == 0 || numTemps == 0)
    throw poputil::poplibs_error("popnn::rnn::Rnn: stepsPerGather and numTemps must be at least 1");
  const std::size_t each = std::min<std::size_t>(stepsPerGather, params.maxTimeSteps);
  const poplar::DebugInfo info(debugContext, "popnn");
  Loop loop(graph, params, true, prog, debugContext);
  std::vector<Tensor> state = loop.states(initState);
  RnnSlice slice;
  for (const Tensor& input : inputs) slice.inputs.push_back(loop.slice(input, 1, "input", loop.body()));
  slice.interimIn = loop.slice(interimIn, 1, "interimIn", loop.body());
  slice.interimOut = loop.variable({numTemps, params.batchSize, params.layerSizes.at(1)}, "interimOut");
  const Tensor buffer = loop.variable({each * numTemps, params.batchSize, params.layerSizes.at(1)}, "gathered");
  const Tensor place = graph.addVariable(poplar::UNSIGNED_INT, {1}, kLinear, loop.named("place"));
  std::vector<Tensor> none;
  Sequence before(debugContext);
  const Sequence step = loopFn(graph, loop.time(), {}, state, slice, none, &before, DebugNameAndId(info, "step"));
  loop.body().add(step);
  if (const Tensor kept = keptState(stateSequence, state); kept.valid()) loop.put(kept, stateSequence.output, "stateSequence");
  loop.put(slice.interimOut, buffer, place, "gathered");
  popops::subInPlace(graph, place, 1U, loop.body(), loop.named("place"));
  const Sequence& body = loop.whole();

  // Runs `count` steps, then their gather. Afterwards the step number is one below the lowest of these steps.
  const auto steps = [&](std::size_t count, Sequence* first) {
    Sequence part(debugContext);
    popops::fill(graph, place, part, unsigned(count - 1), loop.named("place"));
    part.add(Repeat(unsigned(count), body, loop.named("steps")));
    popops::addInPlace(graph, loop.step(), 1U, part, loop.named("gatherStep"));
    RnnSlice gathered;
    for (const Tensor& input : gatherInputs) gathered.inputs.push_back(loop.slice(input, count, "gatherInput", part));
    gathered.interimIn = buffer.slice(0, count * numTemps);
    part.add(gatherFn(graph, gathered, unsigned(count), first, DebugNameAndId(info, "gather")));
    popops::subInPlace(graph, loop.step(), 1U, part, loop.named("nextStep"));
    return part;
  };
  const Sequence full = steps(each, &before);
  prog.add(before);
  prog.add(Repeat(unsigned(params.maxTimeSteps / each), full, loop.named("gathers")));
  if (const std::size_t rest = params.maxTimeSteps % each) prog.add(steps(rest, nullptr));
  return state;
}

} // namespace popnn::rnn
