#include "simcore/ops/program/pipeline_program.h"

#include "reports/core/error.h"

#include <algorithm>

namespace simcore::ops {

using reports::Error;
using reports::ErrorCode;

namespace {

// The stages of a graph as functions, callable in any cycle: stage s processes micro-batch m in cycle s + m.
class PipelineCycles {
public:
  // Without overlap, `load` is part of toDevice, and `store` is part of toHost.
  PipelineCycles(graph::Graph& graph, const std::vector<PipelineStage>& stages, const Sequence& exchange, int64_t microBatches,
                 bool overlap)
      : m_microBatches(microBatches) {
    const int64_t count = int64_t(stages.size());
    if (count == 0 || microBatches < count)
      throw Error(ErrorCode::InvalidInput,
                  "a pipeline of " + std::to_string(count) + " stages never fills with " + std::to_string(microBatches) +
                      " micro-batches",
                  {}, "use at least as many micro-batches as stages ({option accumulation})");
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

  Sequence cycle(int64_t c) const {
    Sequence cycle;
    for (const auto* part : {&m_toDevice, &m_main, &m_toHost}) addActive(cycle, *part, c);
    if (m_exchange) cycle.add(m_exchange);
    return cycle;
  }
  // Transfers of the I/O tiles are started first; they continue independently while the other tiles work.
  Sequence overlapped(int64_t c) const {
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
  // Adds the parts of the stages that have a micro-batch in cycle c. Returns whether there are any.
  bool addActive(Sequence& cycle, const std::vector<Program>& part, int64_t c) const {
    const int64_t last = std::min(c, int64_t(part.size()) - 1);
    for (int64_t s = std::max<int64_t>(0, c - m_microBatches + 1); s <= last; ++s)
      if (part[std::size_t(s)]) cycle.add(part[std::size_t(s)]);
    return c >= 0 && c - m_microBatches + 1 < int64_t(part.size());
  }

  int64_t m_microBatches;
  std::vector<Program> m_toDevice, m_main, m_toHost, m_load, m_store; // null: the stage has no such part
  Program m_exchange;
};

} // namespace

Program pipelineProgram(graph::Graph& graph, const std::vector<PipelineStage>& stages, const Sequence& exchange,
                        int64_t microBatches) {
  const PipelineCycles cycles(graph, stages, exchange, microBatches, false);
  const int64_t count = int64_t(stages.size());
  Sequence fill, main, flush, all;
  for (int64_t c = 0; c < count - 1; ++c) fill.add(cycles.cycle(c));
  main.add(graph::program::repeat(microBatches - count + 1, cycles.cycle(count - 1), "cycles"));
  for (int64_t c = microBatches; c < microBatches + count - 1; ++c) flush.add(cycles.cycle(c));
  if (!fill.empty()) all.add(graph::program::block(fill, "fill"));
  all.add(graph::program::block(main, "main"));
  if (!flush.empty()) all.add(graph::program::block(flush, "flush"));
  return all.program();
}

Program overlappedProgram(graph::Graph& graph, const std::vector<PipelineStage>& stages, const Sequence& exchange,
                          int64_t microBatches) {
  const PipelineCycles cycles(graph, stages, exchange, microBatches, true);
  const int64_t count = int64_t(stages.size()), same = microBatches - count - 1; // cycles in which all stages have work
  Sequence fill, main, flush, all;
  for (int64_t c = -1; c < count - 1; ++c) fill.add(cycles.overlapped(c));
  main.add(cycles.overlapped(count - 1));
  if (same > 0) main.add(graph::program::repeat(same, cycles.overlapped(count), "cycles"));
  if (microBatches > count) main.add(cycles.overlapped(microBatches - 1));
  for (int64_t c = microBatches; c < microBatches + count; ++c) flush.add(cycles.overlapped(c));
  const bool pipeline = count > 1; // with a single stage there is nothing to fill, and a loop is enough
  if (!fill.empty()) all.add(graph::program::block(fill, pipeline ? "fill" : "prologue"));
  all.add(graph::program::block(main, "main"));
  if (!flush.empty()) all.add(graph::program::block(flush, pipeline ? "flush" : "epilogue"));
  return all.program();
}

Program batchLoop(graph::Graph& graph, const PipelineStage& batch, int64_t batches, bool overlap, const std::string& name,
                  reports::DebugContextId context) {
  if (overlap && batches > 1 && graph.machine().ioTiles > 0) return overlappedProgram(graph, {batch}, {}, batches);
  Sequence inTurn;
  for (const Sequence* part : {&batch.load, &batch.toDevice, &batch.main, &batch.toHost, &batch.store})
    for (const Program& program : part->children()) inTurn.add(program);
  if (batches == 1) return inTurn.program();
  return graph::program::repeat(batches, inTurn, name, context);
}

Program overlappedLoops(graph::Graph& graph, const PipelineStage& microBatch, int64_t microBatches, int64_t batches,
                        const Sequence& start, const Sequence& end) {
  const PipelineCycles cycles(graph, {microBatch}, {}, microBatches * batches, true);
  const Program first = PipelineCycles::callOf(graph, "batch/start", start),
                last = PipelineCycles::callOf(graph, "batch/end", end);
  const auto middle = [&](int64_t times) { return graph::program::repeat(times, cycles.overlapped(1), "microBatches"); };
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

} // namespace simcore::ops
