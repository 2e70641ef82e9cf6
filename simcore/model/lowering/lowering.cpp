#include "simcore/model/lowering/lowering.h"

#include "reports/core/progress.h"
#include "reports/core/within.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/node_lowering.h"
#include "simcore/model/lowering/section_lowering.h"
#include "simcore/model/lowering/shared_nodes.h"
#include "simcore/model/lowering/stream_lowering.h"
#include "simcore/ops/program/host_transfer.h"
#include "simcore/ops/program/pipeline_program.h"

#include <algorithm>

namespace simcore::model {

using graph::Sequence;

LoweringScope::LoweringScope(const Graph& source, LoweringScope* outer, graph::Graph& target, reports::DebugContextId context,
                             const LoweringOptions& options)
    : m_source(source), m_outer(outer), m_target(target), m_contexts(target, context), m_options(options), m_uses(source),
      m_copies(target, context, m_uses) {}

ElementType LoweringScope::deviceType(ElementType type) const {
  if (type == ElementType::Float) return m_options.precision;
  return type == ElementType::BFloat16 || numerics::isFloat8(type) ? numerics::deviceType(type) : type;
}

const HostTensor* LoweringScope::constant(const std::string& name) const {
  if (m_standIns.count(name)) return nullptr;
  const auto found = m_source.initialisers.find(name);
  if (found != m_source.initialisers.end()) return &found->second;
  if (m_source.types.count(name) || !m_outer) return nullptr;
  return m_outer->constant(name);
}

const TensorType& LoweringScope::type(const std::string& name) const {
  const auto found = m_source.types.find(name);
  if (found != m_source.types.end()) return found->second;
  if (!m_outer) throw Error(ErrorCode::Internal, "the value '" + name + "' has no type");
  return m_outer->type(name);
}

void LoweringScope::set(const std::string& name, const graph::Tensor& tensor) {
  m_tensors[name] = tensor;
  m_uses.addName(tensor, name);
  const graph::VariableId whole = tensor.wholeVariable();
  const bool isSum = whole.valid() && m_growing.count(whole.value());
  if (m_routes && !isSum) m_routes->made(name, tensor);
}

graph::RemoteBuffer LoweringScope::remoteBuffer(const std::string& name, const graph::Tensor& value, const ops::OpBuilder& at) {
  const auto found = m_remoteBuffers.find(name);
  if (found != m_remoteBuffers.end()) return found->second;
  const ops::Rows rows = ops::rowsOf(at, value.numElements(), value.elementType());
  return m_remoteBuffers[name] = m_target.addRemoteBuffer("remote/" + name, value.elementType(), rows.elements, rows.count);
}

graph::RemoteBuffer LoweringScope::remoteRows(const std::string& name, ElementType type, std::int64_t elements,
                                              std::int64_t count) {
  const auto found = m_remoteBuffers.find(name);
  if (found != m_remoteBuffers.end()) return found->second;
  return m_remoteBuffers[name] = m_target.addRemoteBuffer("remote/" + name, type, elements, count);
}

ElementType LoweringScope::remoteType(const std::string& name, ElementType otherwise) const {
  const auto found = m_remoteTypes.find(name);
  return found == m_remoteTypes.end() ? otherwise : found->second;
}

void LoweringScope::standIn(std::map<std::string, graph::Tensor> tensors) {
  m_standIns = std::move(tensors);
  for (const auto& [name, tensor] : m_standIns) m_uses.addName(tensor, name);
}

void LoweringScope::setUntilNextCall(const std::string& name, const graph::Tensor& tensor, int call) {
  m_tensors[name] = tensor;
  m_uses.protect(name);
  if (m_routes) m_routes->made(name, tensor, call);
}

void LoweringScope::keepVariable(const std::string& name, const graph::Tensor& tensor, graph::Sequence& copies) {
  set(name, tensor);
  m_uses.protect(name);
  m_copies.keep(name, copies);
}

graph::Tensor LoweringScope::alongRoute(const std::string& name, const ops::OpBuilder& at) {
  const graph::Tensor value = m_routes->here(name, at.program());
  m_uses.nameAlike(m_routes->original(name), value);
  return value;
}

bool LoweringScope::isLastRead(const std::string& name, int ipu) const {
  if (m_standIns.count(name)) return false;
  auto found = m_tensors.find(name);
  if (found == m_tensors.end()) return false;
  const graph::Tensor* copy = m_copies.find(name, ipu);
  graph::Tensor tensor = copy ? *copy : found->second;
  if (m_routes && m_routes->knows(name) && !m_copies.isKept(name)) tensor = m_routes->known(name);
  if (!tensor.valid() || !tensor.wholeVariable().valid()) return false;
  return m_uses.isLastRead(name, tensor.wholeVariable());
}

graph::Tensor LoweringScope::tensor(const std::string& name) {
  const auto found = m_tensors.find(name);
  if (found != m_tensors.end()) return found->second;
  const auto weight = m_source.initialisers.find(name);
  if (weight == m_source.initialisers.end()) {
    if (!m_outer) throw Error(ErrorCode::Internal, "the value '" + name + "' was not lowered");
    return m_outer->tensor(name);
  }
  const HostTensor& value = weight->second;
  const graph::Tensor variable = m_target.addVariable(deviceType(value.type()), value.shape(), name, m_contexts.root());
  m_target.setInitialValue(variable, value);
  m_uses.protect(name);
  set(name, variable);
  return variable;
}

graph::Tensor LoweringScope::tensorOn(const std::string& name, const ops::OpBuilder& at) {
  if (const auto standIn = m_standIns.find(name); standIn != m_standIns.end()) return standIn->second;
  if (const graph::Tensor* copy = m_copies.find(name, at.ipu())) return *copy;
  const auto weight = m_source.initialisers.find(name);
  if (weight == m_source.initialisers.end()) {
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end() && m_outer) return m_outer->tensorOn(name, at);
    if (m_routes && m_routes->knows(name) && !m_copies.isKept(name)) return alongRoute(name, at);
    const graph::Tensor value = found == m_tensors.end() ? tensor(name) : found->second;
    return ops::isElsewhere(m_target, value, at.ipu()) ? m_copies.make(name, value, at) : value;
  }
  const auto [home, first] = m_weightIpu.emplace(name, at.ipu());
  if (first || home->second == at.ipu()) return tensor(name);
  const graph::Tensor twin =
      m_target.addVariable(deviceType(weight->second.type()), weight->second.shape(), name, m_contexts.root());
  m_target.setInitialValue(twin, weight->second);
  return m_copies.add(name, at.ipu(), twin);
}

void LoweringScope::placeTheRest() {
  graph::Sequence none;
  const auto place = [&](const graph::Tensor& tensor, const std::string& name, int ipu) {
    for (const auto id : tensor.variables())
      if (const auto& v = std::as_const(m_target).variable(id); !v.mapped())
        ops::OpBuilder(m_target, none, m_contexts.root(), false, ipu < 0 ? ipuOfFirstReader(name) : ipu)
            .mapLinearly(graph::Tensor(id, v.type, v.shape));
  };
  for (const auto& [name, tensor] : std::map<std::string_view, graph::Tensor>(m_tensors.begin(), m_tensors.end()))
    place(tensor, std::string(name), -1);
  for (const auto& [key, copy] : m_copies.all()) place(copy, key.first, key.second);
}

void LoweringScope::lowerNodes(std::span<const Node> nodes, graph::Sequence& program, bool withNumbers) {
  for (const Node& node : nodes) {
    reports::within([&] { return node.label(); }, [&] { lowerNode(node, program, withNumbers); });
    m_uses.wasRead(node);
  }
}

void LoweringScope::lowerNode(const Node& node, graph::Sequence& program, bool withNumbers) {
  const auto context = m_contexts.addLowered(node);
  if (m_shared && m_shared->mayLower(node) && m_shared->lower(*this, node, builderOf(node, context, program, withNumbers)))
    return;
  lowerItself(node, context, program, withNumbers);
}

int LoweringScope::ipuOf(const Node& node) const {
  return m_outer || m_options.ipuOfNode.empty() ? m_ipu : m_options.ipuOfNode[std::size_t(&node - m_source.nodes.data())];
}

int LoweringScope::stageOf(std::size_t node) const {
  if (node < m_options.stageOfNode.size()) return m_options.stageOfNode[node];
  return node < m_options.ipuOfNode.size() ? m_options.ipuOfNode[node] : 0;
}

std::size_t LoweringScope::firstReader(const std::string& name) const {
  for (std::size_t i = 0; i < m_options.ipuOfNode.size(); ++i)
    if (const auto names = namesReadBy(m_source.nodes[i]); std::find(names.begin(), names.end(), name) != names.end()) return i;
  return 0;
}

int LoweringScope::ipuOfFirstReader(const std::string& name) const {
  return m_options.ipuOfNode.empty() ? 0 : m_options.ipuOfNode[firstReader(name)];
}

namespace {
bool isNothing(const std::string& name, const LoweringScope& scope) {
  return !name.empty() && numerics::elementCount(scope.type(name).shape) == 0;
}
bool givesNothing(const Node& node, const LoweringScope& scope) {
  std::size_t wanted = 0, empty = 0;
  for (const std::string& name : node.outputs) {
    wanted += !name.empty();
    empty += isNothing(name, scope);
  }
  return wanted > 0 && wanted == empty;
}
void lowerNothing(NodeLowering& n) {
  for (std::size_t i = 0; i < n.node().outputs.size(); ++i)
    if (n.call().wantsOutput(i))
      n.giveView(n.timeBuilder().output(n.outputType(i), n.outputShape(i), n.node().outputs[i],
                                        n.timeBuilder().linear(0, n.outputType(i))),
                 i);
}

// Planners need elements, but parts of Concat and Split may be empty, and so may parameters (e.g. the shape of a scalar).
bool readsOrGivesSomeNothing(const Node& node, const LoweringScope& scope) {
  if (node.opType == "Concat" || node.opType == "Split" || node.opType == "CastLike") return false;
  const auto isEmpty = [&](const std::string& name) { return isNothing(name, scope); };
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (isEmpty(node.inputs[i]) && (i == 0 || !scope.constant(node.inputs[i]) || node.opType.starts_with("Scatter"))) return true;
  return std::any_of(node.outputs.begin(), node.outputs.end(), isEmpty);
}

using LowerFunction = void (*)(NodeLowering&);
// Null if no planner can lower the node.
LowerFunction plannerFor(const Node& node, const LoweringScope& scope) {
  // The body of a node with observed types was not typed.
  const bool isUntyped = std::any_of(node.attributes.all().begin(), node.attributes.all().end(), [](const auto& attribute) {
    const auto* sub = std::get_if<std::shared_ptr<const Graph>>(&attribute.second);
    return sub && (*sub)->types.empty() && !(*sub)->nodes.empty();
  });
  if (isUntyped) return nullptr;
  if (givesNothing(node, scope)) return lowerNothing;
  return readsOrGivesSomeNothing(node, scope) ? nullptr : operatorFor(node).lower;
}
} // namespace

ops::OpBuilder LoweringScope::builderOf(const Node& node, reports::DebugContextId context, graph::Sequence& program,
                                        bool withNumbers) {
  return ops::OpBuilder(m_target, program, context, withNumbers, ipuOf(node))
      .withAvailableMemory(m_options.availableMemoryProportion)
      .withMemoryShares(m_options.memoryShares);
}

void LoweringScope::lowerItself(const Node& node, reports::DebugContextId context, graph::Sequence& program, bool withNumbers) {
  auto operands = operandsOf(node, [&](const std::string& input) { return Call::Operand{type(input), constant(input)}; });
  const auto notHere = [](const Graph&, const Tensors&) -> Tensors {
    throw Error(ErrorCode::Internal, "a subgraph was run while lowering");
  };
  NodeLowering lowering(*this, node, builderOf(node, context, program, withNumbers),
                        Call(node, std::move(operands), notHere, {}));
  const LowerFunction lower = plannerFor(node, *this);
  try {
    (lower ? lower : lowerGeneric)(lowering);
  } catch (const Error& error) {
    // A planner may need a value that is only known during the run (a Slice to a computed end).
    if (error.code() != ErrorCode::Unsupported || !lower) throw;
    lowerGeneric(lowering);
  }
  lowering.finish();
}

graph::Workload emptyWorkload(const Model& model, const arch::Machine& machine) {
  graph::Workload load;
  load.name = modelName(model.file);
  load.title = model.graph.name.empty() ? load.name : model.graph.name;
  load.graph = std::make_shared<graph::Graph>(ops::computeGraph(machine));
  return load;
}

std::vector<std::string> outputStreams(const Graph& graph) {
  std::set<std::string> taken;
  for (const auto& input : graph.inputs) taken.insert(input.name);
  std::vector<std::string> handles;
  for (const auto& output : graph.outputs) {
    const std::string numbered = output.name + " (output " + std::to_string(handles.size() + 1) + ")";
    handles.push_back(taken.insert(output.name).second ? output.name : numbered);
  }
  return handles;
}

graph::Workload lower(const Model& model, const arch::Machine& machine, const LoweringOptions& options) {
  graph::Workload load = emptyWorkload(model, machine);
  graph::Graph& g = *load.graph;
  const auto root = g.addContext({}, load.name, "model", "", {}, graph::kNoSource);
  reports::within(model.file, [&] {
    LoweringScope scope(model.graph, nullptr, g, root, options);
    ops::PipelineStage batch;
    batch.name = "batch";
    StreamLowering(scope).lowerInputs(
        model, load, [&](int) -> graph::Sequence& { return batch.toDevice; },
        [&](int) -> graph::Sequence& { return batch.load; });
    if (options.outline) {
      std::deque<graph::Sequence> programs;
      for (const auto& nodes : stretchesOf(options.ipuOfNode, 0, model.graph.nodes.size()))
        SectionLowering(scope, programs, nullptr, 0).lower(Section(model.graph, nodes, true));
      for (const graph::Sequence& program : programs)
        if (!program.empty()) batch.main.add(program);
    } else {
      scope.lowerNodes(model.graph.nodes, batch.main, true);
    }
    StreamLowering(scope).lowerOutputs(
        load, [&](int) -> graph::Sequence& { return batch.toHost; }, [&](int) -> graph::Sequence& { return batch.store; });
    scope.placeTheRest();
    load.programs = {
        {"inference", ops::batchLoop(g, batch, options.batchesPerStep, options.overlapIo != OverlapIo::Off, "batches", root)}};
  });
  return load;
}

namespace {
// The stages of the nodes in a pipeline, and the sharing of IPUs by stages.
struct StagesOfInference {
  std::vector<int> stageOfNode, ipuOfStage;
  bool sharesIpus = false; // values then follow routes

  explicit StagesOfInference(const LoweringOptions& options)
      : stageOfNode(options.stageOfNode.empty() ? options.ipuOfNode : options.stageOfNode),
        sharesIpus(stageOfNode != options.ipuOfNode) {
    ipuOfStage.assign(std::size_t(stageOfNode.empty() ? 1 : *std::max_element(stageOfNode.begin(), stageOfNode.end()) + 1), 0);
    for (std::size_t n = 0; n < stageOfNode.size(); ++n) ipuOfStage[std::size_t(stageOfNode[n])] = options.ipuOfNode[n];
  }
};
} // namespace

graph::Workload lowerPipeline(const Model& model, const arch::Machine& machine, const LoweringOptions& options,
                              std::int64_t microBatches) {
  const std::size_t nodes = model.graph.nodes.size();
  const StagesOfInference places(options);
  if (options.ipuOfNode.size() != nodes || places.stageOfNode.size() != nodes ||
      !std::is_sorted(places.stageOfNode.begin(), places.stageOfNode.end()))
    throw Error(ErrorCode::InvalidInput, "the stages of a pipeline must follow the order of the model's nodes", model.file);
  graph::Workload load = emptyWorkload(model, machine);
  graph::Graph& g = *load.graph;
  const auto root = g.addContext({}, load.name, "model", "", {}, graph::kNoSource);
  reports::within(model.file, [&] {
    LoweringScope scope(model.graph, nullptr, g, root, options);
    std::vector<ops::PipelineStage> stages(places.ipuOfStage.size());
    const auto at = [&](int stage) -> ops::PipelineStage& { return stages[std::size_t(stage)]; };
    std::vector<Sequence> starts(stages.size()), ends(stages.size());
    std::vector<ops::IpuCopy> crossings;
    ops::StageRoutes routes(
        g, root, places.ipuOfStage, [&](int stage) -> Sequence& { return starts[std::size_t(stage)]; }, false);
    if (places.sharesIpus)
      scope.followRoutes(&routes);
    else
      scope.copies().collect(crossings);
    StreamLowering(scope).lowerInputs(
        model, load, [&](int stage) -> Sequence& { return at(stage).toDevice; },
        [&](int stage) -> Sequence& { return at(stage).load; });
    std::deque<std::pair<int, std::deque<Sequence>>> programs; // each node's results can be stashed after it
    for (const auto& stretch : stretchesOf(places.stageOfNode, 0, nodes)) {
      const int stage = places.stageOfNode[stretch[0]];
      auto& [unused, own] = programs.emplace_back(stage, std::deque<Sequence>());
      SectionLowering(scope, own, places.sharesIpus ? &routes : nullptr, stage)
          .lower(Section(model.graph, stretch, options.outline));
    }
    StreamLowering(scope).lowerOutputs(
        load, [&](int stage) -> Sequence& { return at(stage).toHost; }, [&](int stage) -> Sequence& { return at(stage).store; });
    scope.placeTheRest();
    routes.finish([&](int stage) -> Sequence& { return ends[std::size_t(stage)]; });
    for (std::size_t s = 0; s < stages.size(); ++s)
      if (!starts[s].empty()) stages[s].main.add(starts[s]);
    for (const auto& [stage, own] : programs)
      for (const Sequence& program : own)
        if (!program.empty()) at(stage).main.add(program);
    for (std::size_t s = 0; s < stages.size(); ++s)
      if (!ends[s].empty()) stages[s].main.add(ends[s]);
    if (places.sharesIpus) crossings = routes.crossings();
    Sequence exchange;
    ops::interIpuCopies(ops::OpBuilder(g, exchange, root), "stageCopies", crossings);
    for (const auto& copy : crossings) // the next cycle reads them, but liveness does not see this in functions
      for (const auto& tensor : {copy.from, copy.to})
        for (const auto id : tensor.variables()) g.variable(id).alwaysLive = true;
    const auto program =
        options.overlapIo != OverlapIo::Off && machine.ioTiles > 0 ? ops::overlappedProgram : ops::pipelineProgram;
    load.programs = {{"inference", program(g, stages, exchange, microBatches)}};
  });
  return load;
}

} // namespace simcore::model
