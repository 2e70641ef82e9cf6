#include "simcore/model/lowering/pipeline.h"

#include "reports/core/within.h"
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/section_lowering.h"
#include "simcore/ops/collective/inter_ipu.h"

#include <algorithm>

namespace simcore::model {

using graph::Program;
using graph::Sequence;
using reports::Error;
using reports::ErrorCode;

namespace {

// The stages of a graph as functions, to be called in any cycle: stage s has micro-batch m in cycle s + m.
class PipelineCycles {
public:
  // Without overlap a load belongs to what it is loaded for, a store to what it stores.
  PipelineCycles(graph::Graph& graph, const std::vector<PipelineStage>& stages, const Sequence& exchange,
                 std::int64_t microBatches, bool overlap)
      : m_microBatches(microBatches) {
    const std::int64_t count = std::int64_t(stages.size());
    if (count == 0 || microBatches < count)
      throw Error(ErrorCode::InvalidInput,
                  "a pipeline of " + std::to_string(count) + " stages never fills with " + std::to_string(microBatches) +
                      " micro-batches",
                  {}, "use at least as many micro-batches as stages (--accumulation)");
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const PipelineStage& stage = stages[s];
      const std::string name = stage.name.empty() ? "stage" + std::to_string(s) : stage.name;
      Sequence in, out;
      for (const Sequence* part : {&stage.load, &stage.toDevice})
        if (!part->empty() && !(overlap && part == &stage.load)) in.add(*part);
      for (const Sequence* part : {&stage.toHost, &stage.store})
        if (!part->empty() && !(overlap && part == &stage.store)) out.add(*part);
      m_toDevice.push_back(callOf(graph, name + "/toDevice", in));
      m_main.push_back(callOf(graph, name + (stage.name.empty() ? "/main" : ""), stage.main));
      m_toHost.push_back(callOf(graph, name + "/toHost", out));
      m_load.push_back(callOf(graph, name + "/load", overlap ? stage.load : Sequence()));
      m_store.push_back(callOf(graph, name + "/store", overlap ? stage.store : Sequence()));
    }
    m_exchange = callOf(graph, "stages/exchange", exchange);
  }

  Sequence cycle(std::int64_t c) const {
    Sequence cycle;
    for (const auto* part : {&m_toDevice, &m_main, &m_toHost}) addActive(cycle, *part, c);
    if (m_exchange) cycle.add(m_exchange);
    return cycle;
  }
  // What the I/O tiles give and take comes first; then they go on by themselves, and the other tiles work.
  Sequence overlapped(std::int64_t c) const {
    Sequence cycle;
    addActive(cycle, m_toHost, c - 1);
    addActive(cycle, m_toDevice, c);
    addActive(cycle, m_store, c - 1);
    addActive(cycle, m_load, c + 1);
    if (!addActive(cycle, m_main, c)) return cycle;
    if (m_exchange) cycle.add(m_exchange);
    return cycle;
  }

  static Program callOf(graph::Graph& graph, const std::string& name, const Sequence& body) {
    if (body.empty()) return nullptr;
    return graph::program::call(graph.addFunction(name, body.program()), name);
  }

private:
  // Of the stages that have a micro-batch in cycle c; whether there are any.
  bool addActive(Sequence& cycle, const std::vector<Program>& part, std::int64_t c) const {
    const std::int64_t last = std::min(c, std::int64_t(part.size()) - 1);
    for (std::int64_t s = std::max<std::int64_t>(0, c - m_microBatches + 1); s <= last; ++s)
      if (part[std::size_t(s)]) cycle.add(part[std::size_t(s)]);
    return c >= 0 && c - m_microBatches + 1 < std::int64_t(part.size());
  }

  std::int64_t m_microBatches;
  std::vector<Program> m_toDevice, m_main, m_toHost, m_load, m_store; // null: nothing to do
  Program m_exchange;
};

} // namespace

Program pipelineProgram(graph::Graph& graph, const std::vector<PipelineStage>& stages, const Sequence& exchange,
                        std::int64_t microBatches) {
  const PipelineCycles cycles(graph, stages, exchange, microBatches, false);
  const std::int64_t count = std::int64_t(stages.size());
  Sequence fill, main, flush, all;
  for (std::int64_t c = 0; c < count - 1; ++c) fill.add(cycles.cycle(c));
  main.add(graph::program::repeat(microBatches - count + 1, cycles.cycle(count - 1), "cycles"));
  for (std::int64_t c = microBatches; c < microBatches + count - 1; ++c) flush.add(cycles.cycle(c));
  if (!fill.empty()) all.add(graph::program::block(fill, "fill"));
  all.add(graph::program::block(main, "main"));
  if (!flush.empty()) all.add(graph::program::block(flush, "flush"));
  return all.program();
}

Program overlappedProgram(graph::Graph& graph, const std::vector<PipelineStage>& stages, const Sequence& exchange,
                          std::int64_t microBatches) {
  const PipelineCycles cycles(graph, stages, exchange, microBatches, true);
  const std::int64_t count = std::int64_t(stages.size()), same = microBatches - count - 1; // cycles in which all have all to do
  Sequence fill, main, flush, all;
  for (std::int64_t c = -1; c < count - 1; ++c) fill.add(cycles.overlapped(c));
  main.add(cycles.overlapped(count - 1));
  if (same > 0) main.add(graph::program::repeat(same, cycles.overlapped(count), "cycles"));
  if (microBatches > count) main.add(cycles.overlapped(microBatches - 1));
  for (std::int64_t c = microBatches; c < microBatches + count; ++c) flush.add(cycles.overlapped(c));
  const bool pipeline = count > 1; // else nothing fills: it is a loop
  if (!fill.empty()) all.add(graph::program::block(fill, pipeline ? "fill" : "prologue"));
  all.add(graph::program::block(main, "main"));
  if (!flush.empty()) all.add(graph::program::block(flush, pipeline ? "flush" : "epilogue"));
  return all.program();
}

Program batchLoop(graph::Graph& graph, const PipelineStage& batch, std::int64_t batches, OverlapIo overlap,
                  const std::string& name, reports::DebugContextId context) {
  if (overlap != OverlapIo::Off && batches > 1 && graph.machine().ioTiles > 0)
    return overlappedProgram(graph, {batch}, {}, batches);
  Sequence inTurn;
  for (const Sequence* part : {&batch.load, &batch.toDevice, &batch.main, &batch.toHost, &batch.store})
    for (const Program& program : part->children()) inTurn.add(program);
  if (batches == 1) return inTurn.program();
  return graph::program::repeat(batches, inTurn, name, context);
}

Program overlappedLoops(graph::Graph& graph, const PipelineStage& microBatch, std::int64_t microBatches, std::int64_t batches,
                        const Sequence& start, const Sequence& end) {
  const PipelineCycles cycles(graph, {microBatch}, {}, microBatches * batches, true);
  const Program first = PipelineCycles::callOf(graph, "batch/start", start),
                last = PipelineCycles::callOf(graph, "batch/end", end);
  const auto middle = [&](std::int64_t times) { return graph::program::repeat(times, cycles.overlapped(1), "microBatches"); };
  const auto batch = [&](std::initializer_list<Program> work) {
    Sequence all;
    if (first) all.add(first);
    for (const Program& program : work) all.add(program);
    if (last) all.add(last);
    return all;
  };
  Sequence main;
  main.add(batch({cycles.overlapped(0).program(), middle(microBatches - 1)}));
  if (batches > 2) main.add(graph::program::repeat(batches - 2, batch({middle(microBatches)}), "batches"));
  main.add(batch({middle(microBatches - 1), cycles.overlapped(microBatches * batches - 1).program()}));
  Sequence all;
  if (const Sequence load = cycles.overlapped(-1); !load.empty()) all.add(graph::program::block(load, "prologue"));
  all.add(graph::program::block(main, "main"));
  if (const Sequence store = cycles.overlapped(microBatches * batches); !store.empty())
    all.add(graph::program::block(store, "epilogue"));
  return all.program();
}

graph::Workload lowerPipeline(const Model& model, const arch::Machine& machine, const LoweringOptions& options,
                              std::int64_t microBatches) {
  if (options.ipuOfNode.size() != model.graph.nodes.size() || !std::is_sorted(options.ipuOfNode.begin(), options.ipuOfNode.end()))
    throw Error(ErrorCode::InvalidInput, "the stages of a pipeline must follow the order of the model's nodes", model.file);
  graph::Workload load = emptyWorkload(model, machine);
  graph::Graph& g = *load.graph;
  const auto root = g.addContext({}, load.name, "model", "");
  reports::within(model.file, [&] {
    LoweringScope scope(model.graph, nullptr, g, root, options);
    std::vector<PipelineStage> stages(std::size_t(options.ipuOfNode.empty() ? 1 : options.ipuOfNode.back() + 1));
    std::vector<ops::IpuCopy> crossings;
    scope.collectCrossings(crossings);
    scope.lowerInputs(
        model, load, [&](int ipu) -> Sequence& { return stages[std::size_t(ipu)].toDevice; },
        [&](int ipu) -> Sequence& { return stages[std::size_t(ipu)].load; });
    for (const auto& nodes : stretchesOf(options.ipuOfNode, 0, model.graph.nodes.size())) {
      std::deque<Sequence> programs;
      SectionLowering(scope, programs, nullptr, 0).lower(nodes, options.outline);
      for (const Sequence& program : programs)
        if (!program.empty()) stages[std::size_t(options.ipuOfNode[nodes[0]])].main.add(program);
    }
    scope.lowerOutputs(
        load, [&](int ipu) -> Sequence& { return stages[std::size_t(ipu)].toHost; },
        [&](int ipu) -> Sequence& { return stages[std::size_t(ipu)].store; });
    scope.placeTheRest();
    Sequence exchange;
    ops::interIpuCopies(ops::OpBuilder(g, exchange, root), "stageCopies", crossings);
    for (const auto& copy : crossings) // they wait from one cycle to the next, which functions do not show
      for (const auto& tensor : {copy.from, copy.to})
        for (const auto id : tensor.variables()) g.variable(id).alwaysLive = true;
    const auto program = options.overlapIo != OverlapIo::Off && machine.ioTiles > 0 ? overlappedProgram : pipelineProgram;
    load.programs = {{"inference", program(g, stages, exchange, microBatches)}};
  });
  return load;
}

} // namespace simcore::model
