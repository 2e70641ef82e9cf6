// The program of a training step: loops around micro-batches and updates, and the transfers of outputs.
#include "simcore/graph/scales_output.h"
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/section_lowering.h"
#include "simcore/model/lowering/shared_nodes.h"
#include "simcore/model/lowering/stream_lowering.h"
#include "simcore/model/training/training.h"
#include "simcore/ops/ops.h"
#include "simcore/ops/program/host_transfer.h"
#include "simcore/ops/program/pipeline_program.h"

#include "reports/core/within.h"

#include <algorithm>
#include <deque>
#include <filesystem>

namespace simcore::model {

using graph::Program;
using graph::Sequence;
using graph::Tensor;

namespace {

class TrainingLowering {
public:
  TrainingLowering(const TrainingModel& training, const arch::Machine& machine, const TrainingLoweringOptions& options)
      : m_t(training), m_options(options), m_source(training.model.graph) {
    m_load.name = std::filesystem::path(training.model.file).stem().string();
    m_load.title = m_source.name.empty() ? m_load.name : m_source.name;
    m_load.graph = std::make_shared<graph::Graph>(ops::computeGraph(machine));
    m_root = m_load.graph->addContext({}, m_load.name, "model", "", {}, graph::kNoSource);
  }

  graph::Workload lower() {
    if (m_options.batchesPerStep < 1 || m_options.everyN < 1 ||
        (m_options.anchor == Anchor::EveryN && m_options.batchesPerStep % m_options.everyN))
      throw Error(ErrorCode::InvalidInput, "batches per step must be at least 1 and a multiple of the anchor's period");
    m_lowering = m_options.lowering;
    m_lowering.ipuOfNode = m_t.ipuOfNode;
    m_lowering.stageOfNode = m_t.stageOfNode;
    m_forward = sections(0, m_t.forwardNodes);
    m_backward = sections(m_t.forwardNodes, m_t.microBatchNodes);
    LoweringScope scope(m_source, nullptr, *m_load.graph, m_root, m_lowering);
    m_scope = &scope;
    Sequence batchStart;
    addVariables(batchStart);
    const std::vector<std::size_t> withPrograms = m_lowering.outline ? allWithPrograms() : std::vector<std::size_t>();
    SharedNodes shared(m_source, withPrograms, m_t.ipuOfNode);
    scope.share(&shared);
    ops::PipelineStage micro;
    micro.name = "microBatch";
    Program pipeline;
    if (m_options.pipeline)
      pipeline = pipelined();
    else
      oneMicroBatch(micro);
    Sequence update;
    const std::span<const Node> nodes(m_source.nodes);
    scope.lowerNodes(nodes.subspan(m_t.microBatchNodes), update, true);
    scope.placeTheRest();
    streamParameters();
    if (m_t.keptStatistics > 0)
      m_load.facts["train.statistics"] =
          "running means and variances of batch norms are not updated, because an update uses several batches or replicas";
    m_load.programs = {{"step", aroundBatches(batches(batchStart, pipeline, micro, update)).program()},
                       {"weightsFromHost", m_fromHost.program()},
                       {"weightsToHost", m_toHost.program()}};
    return std::move(m_load);
  }

private:
  std::vector<Section> sections(std::size_t first, std::size_t end) const {
    std::vector<Section> list;
    for (auto& nodes : stretchesOf(m_t.stageOfNode, first, end))
      list.emplace_back(m_source, std::move(nodes), m_lowering.outline);
    return list;
  }

  // Nodes of the micro-batch, cut into sections, then those of the update.
  std::vector<std::size_t> allWithPrograms() const {
    std::vector<std::size_t> list;
    for (const auto* part : {&m_forward, &m_backward})
      for (const Section& section : *part) {
        const std::vector<std::size_t> more = nodesWithPrograms(m_source, section);
        list.insert(list.end(), more.begin(), more.end());
      }
    for (std::size_t n = m_t.microBatchNodes; n < m_source.nodes.size(); ++n) list.push_back(n);
    return list;
  }

  // The variables of a group, or their shares on this replica; computed when numbers are read.
  numerics::HostTensor contentsOf(const TrainingModel::RemoteGroup& group) const {
    std::int64_t elements = 0;
    std::vector<std::pair<numerics::HostTensor, std::int64_t>> parts;
    for (const std::string& name : group.variables) {
      const numerics::HostTensor& value = m_t.variables.at(name);
      parts.push_back({value, reports::ceilDiv(value.count(), group.shards)});
      elements += parts.back().second;
    }
    const ElementType type = parts[0].first.type();
    return numerics::HostTensor::deferred(type, {elements}, [parts, type, elements] {
      auto all = numerics::HostTensor::uninitialised(type, {elements});
      auto to = all.mutableRaw().begin();
      for (const auto& [value, count] : parts)
        to = std::copy_n(value.raw().begin(), std::size_t(count) * numerics::hostSize(type), to);
      return all;
    });
  }

  // Optimiser state and sums keep their type for every precision of weights and activations.
  void addVariables(Sequence& copies) {
    graph::Graph& g = *m_load.graph;
    for (const auto& [name, group] : m_t.remoteGroups) m_load.remoteContents["remote/" + name] = contentsOf(group);
    for (const auto& [name, value] : m_t.variables) {
      const bool isParameter = m_t.isParameter(name);
      const bool follows = isParameter || (m_options.halfSums && name.find("/accumulator") != std::string::npos) ||
                           (m_options.halfState && isHalfState(name));
      const ElementType type = follows ? m_scope->deviceType(value.type()) : value.type();
      if (m_t.remote.count(name)) {
        m_scope->setRemoteType(name, type);
        m_load.remoteContents["remote/" + name] = value;
        if (isParameter) m_load.remoteVariables[name] = value.shape();
        continue;
      }
      const Tensor variable = g.addVariable(type, value.shape(), name, m_root);
      g.setInitialValue(variable, value);
      (isParameter || m_t.statistics.count(name) ? m_load.variables : m_load.state)[name] = variable;
      m_scope->keepVariable(name, variable, copies);
      if (name.find("/accumulator") == std::string::npos)
        m_kept.push_back(variable);
      else
        m_scope->growsInPlace(variable);
    }
  }

  // A session sends weights and state to the machine before the first step and fetches them after the last: two programs of the
  // same engine, whose code is always there (programming-model 1.8, 3.1). There is one stream per IPU, because the code of one
  // stream per weight would be larger than the weights.
  void streamParameters() {
    graph::Graph& g = *m_load.graph;
    std::map<std::pair<int, ElementType>, std::vector<Tensor>> parameters;
    for (const Tensor& variable : m_kept)
      parameters[{ops::ipuOf(g, variable), variable.elementType()}].push_back(variable.flatten());
    for (const auto& [where, list] : parameters) {
      const auto& [ipu, type] = where;
      const Tensor all = graph::concat(list);
      const std::string name = "weights/" + std::string(numerics::elementTypeName(type)) + std::to_string(ipu);
      const auto context = m_root;
      const ops::OpBuilder in(g, m_fromHost, context, true, std::max(0, ipu)), out(g, m_toHost, context, true, std::max(0, ipu));
      const ops::Rows rows = ops::rowsOf(in, all.numElements(), type);
      const auto fromHost = g.addHostToDeviceFifo(name + "/fromHost", type, rows.elements),
                 toHost = g.addDeviceToHostFifo(name + "/toHost", type, rows.elements);
      ops::rowsFromHost(in, rows, all,
                        [&](const Tensor& t, const Tensor&) { return graph::program::copy(fromHost, t, "fromHost", context); });
      ops::rowsToHost(out, rows, all,
                      [&](const Tensor& t, const Tensor&) { return graph::program::copy(t, toHost, "toHost", context); });
    }
  }

  void oneMicroBatch(ops::PipelineStage& micro) {
    StreamLowering(*m_scope).lowerInputs(
        m_t.model, m_load, [&](int) -> Sequence& { return micro.toDevice; }, [&](int) -> Sequence& { return micro.load; });
    std::deque<Sequence> programs;
    for (const auto* part : {&m_forward, &m_backward})
      for (const Section& section : *part) SectionLowering(*m_scope, programs, nullptr, 0).lower(section);
    for (const Sequence& program : programs)
      if (!program.empty()) micro.main.add(program);
    addStreams();
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
      if (m_options.anchor == Anchor::All) send(m_outputs, i, micro.toHost, micro.store);
      if (m_options.anchor == Anchor::Sum) sumUp(micro.main, i);
    }
  }

  // Batches of one period of the anchor: a loop of micro-batches and an update. Transfers overlap the work of the innermost loop
  // (of micro-batches, or of batches with one micro-batch), or of both loops.
  Sequence batches(const Sequence& start, const Program& pipeline, ops::PipelineStage& micro, const Sequence& update) {
    const std::int64_t count = m_options.anchor == Anchor::EveryN ? m_options.everyN : m_options.batchesPerStep;
    const OverlapIo overlap = m_load.graph->machine().ioTiles > 0 ? m_lowering.overlapIo : OverlapIo::Off;
    Sequence all, batch;
    if (overlap == OverlapIo::Loops && !pipeline && m_t.accumulation > 1 && count > 1) {
      all.add(ops::overlappedLoops(*m_load.graph, micro, m_t.accumulation, count, start, update));
      return all;
    }
    if (!start.empty()) batch.add(start);
    if (overlap != OverlapIo::Off && !pipeline && m_t.accumulation == 1 && count > 1) {
      batch.add(micro.main);
      batch.add(update);
      micro.main = batch;
      all.add(ops::overlappedProgram(*m_load.graph, {micro}, {}, count));
      return all;
    }
    batch.add(pipeline
                  ? pipeline
                  : ops::batchLoop(*m_load.graph, micro, m_t.accumulation, overlap != OverlapIo::Off, "microBatches", m_root));
    batch.add(update);
    addLoop(all, batch, count, "batches");
    return all;
  }

  struct Stage {
    Sequence toDevice, toHost, load, store, start, end;
    std::deque<Sequence> nodes; // one per node, so that a node's outputs can be stashed right after it
  };

  Program pipelined() {
    graph::Graph& g = *m_load.graph;
    const std::vector<int> ipuOfPart = m_t.ipuOfPart();
    std::vector<Stage> stages(2 * ipuOfPart.size() - 1);
    const auto at = [&](int stage) -> Stage& { return stages[std::size_t(stage)]; };
    ops::StageRoutes routes(g, m_root, ipuOfPart, [&](int stage) -> Sequence& { return at(stage).start; });
    if (m_options.remoteStashes) routes.stashRemotely();
    m_scope->followRoutes(&routes);
    StreamLowering(*m_scope).lowerInputs(
        m_t.model, m_load, [&](int stage) -> Sequence& { return at(stage).toDevice; },
        [&](int stage) -> Sequence& { return at(stage).load; });
    for (const bool forward : {true, false})
      for (const Section& section : forward ? m_forward : m_backward) {
        const int part = m_t.stageOfNode[section.nodes[0]], stage = forward ? part : routes.mirrorOf(part);
        SectionLowering(*m_scope, at(stage).nodes, &routes, stage).lower(section);
      }
    addStreams();
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
      Stage& stage = at(routes.stageOf(m_source.outputs[i].name));
      if (m_options.anchor == Anchor::All) send(m_outputs, i, stage.toHost, stage.store);
      if (m_options.anchor == Anchor::Sum) sumUp(stage.end, i);
      if (m_options.anchor == Anchor::Final || m_options.anchor == Anchor::EveryN) keep(m_outputs[i]);
    }
    routes.finish([&](int stage) -> Sequence& { return at(stage).end; });
    m_scope->followRoutes(nullptr);
    Sequence exchange;
    ops::interIpuCopies(ops::OpBuilder(g, exchange, m_root), "stageCopies", routes.crossings());
    for (const auto& copy : routes.crossings()) { // the next cycle reads them, but liveness does not see this in functions
      keep(copy.from);
      keep(copy.to);
    }
    std::vector<ops::PipelineStage> parts;
    for (std::size_t s = 0; s < stages.size(); ++s) parts.push_back(partsOf(stages[s], int(s), routes));
    if (m_lowering.overlapIo != OverlapIo::Off && g.machine().ioTiles > 0)
      return ops::overlappedProgram(g, parts, exchange, m_t.accumulation);
    return ops::pipelineProgram(g, parts, exchange, m_t.accumulation);
  }

  static ops::PipelineStage partsOf(const Stage& stage, int number, const ops::StageRoutes& routes) {
    ops::PipelineStage parts;
    const bool forward = number <= routes.mirrorOf(number), backward = number >= routes.mirrorOf(number);
    parts.name = "stage" + std::to_string(routes.partOf(number)) + (!backward ? "/fwd" : !forward ? "/bwd" : "/fwd+bwd");
    parts.toDevice = stage.toDevice;
    parts.toHost = stage.toHost;
    parts.load = stage.load;
    parts.store = stage.store;
    if (!stage.start.empty()) parts.main.add(stage.start);
    for (const Sequence& node : stage.nodes)
      if (!node.empty()) parts.main.add(node);
    if (!stage.end.empty()) parts.main.add(stage.end);
    return parts;
  }

  void keep(const Tensor& tensor) {
    for (const auto id : tensor.variables()) m_load.graph->variable(id).alwaysLive = true;
  }

  void addStreams() {
    m_load.outputs = outputStreams(m_source);
    for (std::size_t i = 0; i < m_source.outputs.size(); ++i) {
      const Tensor tensor = m_scope->tensor(m_source.outputs[i].name);
      m_outputs.push_back(tensor);
      m_streams.push_back(m_load.graph->addDeviceToHostFifo(m_load.outputs[i], tensor.elementType(), tensor.numElements()));
    }
  }

  void send(const std::vector<Tensor>& values, std::size_t i, Sequence& toHost, Sequence& store) {
    StreamLowering(*m_scope).send(values[i], m_streams[i], m_load.outputs[i], toHost, store);
  }
  void send(Sequence& program, const std::vector<Tensor>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) send(values, i, program, program);
  }

  // Adds a variable for the sum of an output, which starts at zero in every run.
  void sumUp(Sequence& micro, std::size_t i) {
    if (m_load.outputs[i].starts_with(graph::kScalesOutput)) { // exponents are not summed: the last batch's are sent
      keep(m_outputs[i]);
      m_sums.push_back(m_outputs[i]);
      return;
    }
    graph::Graph& g = *m_load.graph;
    const std::string name = m_load.outputs[i] + "/sum";
    const Tensor sum = g.addVariable(m_outputs[i].elementType(), m_outputs[i].shape(), name, m_root);
    ops::OpBuilder builder(g, micro, g.addContext(m_root, name, "model", "anchor", {}, graph::kNoSource), true,
                           std::max(0, ops::ipuOf(g, m_outputs[i])));
    g.setDistribution(sum, builder.linear(sum.numElements(), sum.elementType()));
    ops::zero(builder.into(m_before), sum);
    ops::scaledAddTo(builder, sum, m_outputs[i], 1);
    keep(sum);
    m_sums.push_back(sum);
  }

  void addLoop(Sequence& program, const Sequence& body, std::int64_t times, const std::string& name) {
    if (times == 1)
      program.add(body);
    else
      program.add(graph::program::repeat(times, body, name, m_root));
  }

  Sequence aroundBatches(const Sequence& batches) {
    Sequence step;
    if (!m_before.empty()) step.add(m_before);
    if (m_options.anchor == Anchor::EveryN) {
      Sequence period;
      period.add(batches);
      send(period, m_outputs);
      addLoop(step, period, m_options.batchesPerStep / m_options.everyN, "periods");
      return step;
    }
    step.add(batches);
    if (m_options.anchor == Anchor::Final) send(step, m_outputs);
    if (m_options.anchor == Anchor::Sum) send(step, m_sums);
    return step;
  }

  const TrainingModel& m_t;
  const TrainingLoweringOptions& m_options;
  const Graph& m_source;
  LoweringOptions m_lowering;                 // with the placement of all nodes
  std::vector<Section> m_forward, m_backward; // of the micro-batch
  graph::Workload m_load;
  reports::DebugContextId m_root;
  LoweringScope* m_scope = nullptr;
  std::vector<Tensor> m_outputs, m_sums, m_kept;
  std::vector<graph::StreamId> m_streams;
  Sequence m_before, m_fromHost, m_toHost;
};

} // namespace

graph::Workload lowerTraining(const TrainingModel& training, const arch::Machine& machine,
                              const TrainingLoweringOptions& options) {
  return reports::within(training.model.file, [&] { return TrainingLowering(training, machine, options).lower(); });
}

} // namespace simcore::model
