#include "simcore/model/pipeline.h"

#include "reports/core/error.h"
#include "simcore/model/lowering_scope.h"
#include "simcore/ops/inter_ipu.h"

#include <algorithm>

namespace simcore::model {

using graph::Program;
using graph::Sequence;
using reports::Error;
using reports::ErrorCode;

namespace {

// The stages of a graph as functions, to be called in any cycle.
class PipelineCycles {
public:
  PipelineCycles(graph::Graph& graph, const std::vector<PipelineStage>& stages, const Sequence& exchange) {
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const std::string name = stages[s].name.empty() ? "stage" + std::to_string(s) : stages[s].name;
      m_toDevice.push_back(callOf(graph, name + "/toDevice", stages[s].toDevice));
      m_main.push_back(callOf(graph, name + (stages[s].name.empty() ? "/main" : ""), stages[s].main));
      m_toHost.push_back(callOf(graph, name + "/toHost", stages[s].toHost));
    }
    m_exchange = callOf(graph, "stages/exchange", exchange);
  }

  // A cycle in which stages [first, end) have a micro-batch.
  Sequence cycle(std::size_t first, std::size_t end) const {
    Sequence cycle;
    for (const auto* part : {&m_toDevice, &m_main, &m_toHost})
      for (std::size_t s = first; s < end; ++s)
        if ((*part)[s]) cycle.add((*part)[s]);
    if (m_exchange) cycle.add(m_exchange);
    return cycle;
  }

private:
  static Program callOf(graph::Graph& graph, const std::string& name, const Sequence& body) {
    if (body.empty()) return nullptr;
    return graph::program::call(graph.addFunction(name, body.program()), name);
  }

  std::vector<Program> m_toDevice, m_main, m_toHost; // null: nothing to do
  Program m_exchange;
};

} // namespace

Program pipelineProgram(graph::Graph& graph, const std::vector<PipelineStage>& stages, const Sequence& exchange,
                        std::int64_t microBatches) {
  const std::size_t count = stages.size();
  if (count == 0 || microBatches < std::int64_t(count))
    throw Error(ErrorCode::InvalidInput,
                "a pipeline of " + std::to_string(count) + " stages never fills with " + std::to_string(microBatches) +
                    " micro-batches",
                {}, "use at least as many micro-batches as stages (--accumulation)");
  const PipelineCycles cycles(graph, stages, exchange);
  Sequence fill, main, flush, all;
  for (std::size_t c = 0; c + 1 < count; ++c) fill.add(cycles.cycle(0, c + 1));
  main.add(graph::program::repeat(microBatches - std::int64_t(count) + 1, cycles.cycle(0, count), "cycles"));
  for (std::size_t c = 0; c + 1 < count; ++c) flush.add(cycles.cycle(c + 1, count));
  if (!fill.empty()) all.add(graph::program::block(fill, "fill"));
  all.add(graph::program::block(main, "main"));
  if (!flush.empty()) all.add(graph::program::block(flush, "flush"));
  return all.program();
}

graph::Workload lowerPipeline(const Model& model, const arch::Machine& machine, const LoweringOptions& options,
                              std::int64_t microBatches) {
  if (options.ipuOfNode.size() != model.graph.nodes.size() || !std::is_sorted(options.ipuOfNode.begin(), options.ipuOfNode.end()))
    throw Error(ErrorCode::InvalidInput, "the stages of a pipeline must follow the order of the model's nodes", model.file);
  graph::Workload load = emptyWorkload(model, machine);
  graph::Graph& g = *load.graph;
  const auto root = g.addContext({}, load.name, "model", "");
  try {
    LoweringScope scope(model.graph, nullptr, g, root, options);
    std::vector<PipelineStage> stages(std::size_t(options.ipuOfNode.empty() ? 1 : options.ipuOfNode.back() + 1));
    std::vector<ops::IpuCopy> crossings;
    scope.collectCrossings(crossings);
    scope.lowerInputs(model, load, [&](int ipu) -> Sequence& { return stages[std::size_t(ipu)].toDevice; });
    const std::span<const Node> nodes(model.graph.nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      scope.lowerNodes(nodes.subspan(i, 1), stages[std::size_t(options.ipuOfNode[i])].main, true);
    scope.lowerOutputs(load, [&](int ipu) -> Sequence& { return stages[std::size_t(ipu)].toHost; });
    Sequence exchange;
    ops::interIpuCopies(ops::OpBuilder(g, exchange, root), "stageCopies", crossings);
    for (const auto& copy : crossings) // they wait from one cycle to the next, which functions do not show
      for (const auto& tensor : {copy.from, copy.to})
        for (const auto id : tensor.variables()) g.variable(id).alwaysLive = true;
    load.programs = {{"inference", pipelineProgram(g, stages, exchange, microBatches)}};
  } catch (const reports::Cancelled&) {
    throw;
  } catch (const Error& error) {
    throw error.within(model.file);
  }
  return load;
}

} // namespace simcore::model
