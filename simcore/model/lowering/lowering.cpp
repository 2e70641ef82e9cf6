#include "simcore/model/lowering/lowering.h"

#include "reports/core/json.h"
#include "reports/core/progress.h"
#include "reports/core/within.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/model_name.h"
#include "simcore/model/graph/names_read.h"
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/node_lowering.h"
#include "simcore/model/lowering/section_lowering.h"
#include "simcore/model/lowering/shared_nodes.h"
#include "simcore/ops/program/host_transfer.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace simcore::model {

using graph::Sequence;

LoweringScope::LoweringScope(const Graph& source, LoweringScope* outer, graph::Graph& target, reports::DebugContextId context,
                             const LoweringOptions& options)
    : m_source(source), m_outer(outer), m_target(target), m_context(context), m_options(options) {
  for (const Node& node : source.nodes) forEachNameRead(node, [&](const std::string& name) { ++m_reads[name]; });
  for (const auto& output : source.outputs) ++m_reads[output.name];
}

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
  nameVariables(tensor, name);
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

ElementType LoweringScope::remoteType(const std::string& name, ElementType otherwise) const {
  const auto found = m_remoteTypes.find(name);
  return found == m_remoteTypes.end() ? otherwise : found->second;
}

void LoweringScope::standIn(std::map<std::string, graph::Tensor> tensors) {
  m_standIns = std::move(tensors);
  for (const auto& [name, tensor] : m_standIns) nameVariables(tensor, name);
}

void LoweringScope::setUntilNextCall(const std::string& name, const graph::Tensor& tensor, int call) {
  m_tensors[name] = tensor;
  protect(name);
  if (m_routes) m_routes->made(name, tensor, call);
}

void LoweringScope::keepVariable(const std::string& name, const graph::Tensor& tensor, graph::Sequence& copies) {
  set(name, tensor);
  protect(name);
  m_kept[name] = &copies;
}

graph::Tensor LoweringScope::alongRoute(const std::string& name, const ops::OpBuilder& at) {
  const graph::Tensor value = m_routes->here(name, at.program());
  // Later readers of other views of the original may read them in the copy.
  for (const auto from : m_routes->original(name).variables()) {
    const auto names = m_namesOfVariable[from.value()].names;
    for (const auto id : value.variables())
      if (id != from)
        for (const std::string* other : names) nameVariables({id}, *other);
  }
  return value;
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
  const graph::Tensor variable = m_target.addVariable(deviceType(value.type()), value.shape(), name, m_context);
  m_target.setInitialValue(variable, value);
  protect(name);
  set(name, variable);
  return variable;
}

graph::Tensor LoweringScope::copyOn(const std::string& name, const graph::Tensor& value, const ops::OpBuilder& at) {
  const auto keep = [&](int ipu, const graph::Tensor& copy) {
    nameVariables(copy, name);
    return m_copies[{name, ipu}] = copy;
  };
  const std::string copyName = "interIpuCopy/" + name + " to IPU " + std::to_string(at.ipu());
  if (const auto kept = m_kept.find(name); kept != m_kept.end()) {
    const ops::OpBuilder whole(m_target, *kept->second, m_context, at.withNumbers(), at.ipu());
    const graph::Tensor copy = keep(at.ipu(), ops::interIpuCopy(whole, value, at.ipu(), copyName));
    for (const auto id : copy.variables()) m_target.variable(id).alwaysLive = true;
    return copy;
  }
  if (!m_crossings) {
    const ops::OpBuilder whole(m_target, at.program(), m_context, at.withNumbers(), at.ipu());
    return keep(at.ipu(), ops::interIpuCopy(whole, value, at.ipu(), copyName));
  }
  graph::Tensor last = value;
  for (int ipu = std::max(0, ops::ipuOf(m_target, value)); ipu != at.ipu();) {
    ipu += ipu < at.ipu() ? 1 : -1;
    if (const auto known = m_copies.find({name, ipu}); known != m_copies.end()) {
      last = known->second;
      continue;
    }
    const graph::Tensor next = ops::destinationOn(ops::OpBuilder(m_target, at.program(), m_context), last, ipu, name);
    m_crossings->push_back({last, next});
    last = keep(ipu, next);
  }
  return last;
}

graph::Tensor LoweringScope::tensorOn(const std::string& name, const ops::OpBuilder& at) {
  if (const auto standIn = m_standIns.find(name); standIn != m_standIns.end()) return standIn->second;
  if (!m_copies.empty())
    if (const auto copy = m_copies.find({name, at.ipu()}); copy != m_copies.end()) return copy->second;
  const auto weight = m_source.initialisers.find(name);
  if (weight == m_source.initialisers.end()) {
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end() && m_outer) return m_outer->tensorOn(name, at);
    if (m_routes && m_routes->knows(name) && !m_kept.count(name)) return alongRoute(name, at);
    const graph::Tensor value = found == m_tensors.end() ? tensor(name) : found->second;
    return ops::isElsewhere(m_target, value, at.ipu()) ? copyOn(name, value, at) : value;
  }
  const auto [home, first] = m_weightIpu.emplace(name, at.ipu());
  if (first || home->second == at.ipu()) return tensor(name);
  const graph::Tensor twin = m_target.addVariable(deviceType(weight->second.type()), weight->second.shape(), name, m_context);
  m_target.setInitialValue(twin, weight->second);
  nameVariables(twin, name);
  return m_copies[{name, at.ipu()}] = twin;
}

void LoweringScope::placeTheRest() {
  graph::Sequence none;
  const auto place = [&](const graph::Tensor& tensor, const std::string& name, int ipu) {
    for (const auto id : tensor.variables())
      if (const auto& v = std::as_const(m_target).variable(id); !v.mapped())
        ops::OpBuilder(m_target, none, m_context, false, ipu < 0 ? ipuOfFirstReader(name) : ipu)
            .mapLinearly(graph::Tensor(id, v.type, v.shape));
  };
  for (const auto& [name, tensor] : std::map<std::string_view, graph::Tensor>(m_tensors.begin(), m_tensors.end()))
    place(tensor, std::string(name), -1);
  for (const auto& [key, copy] : m_copies) place(copy, key.first, key.second);
}

void LoweringScope::lowerNodes(std::span<const Node> nodes, graph::Sequence& program, bool withNumbers) {
  for (const Node& node : nodes) {
    reports::within([&] { return node.label(); }, [&] { lowerNode(node, program, withNumbers); });
    wasRead(node);
  }
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

void LoweringScope::lowerInputs(const Model& model, graph::Workload& load, const ProgramOfStage& toDevice,
                                const ProgramOfStage& loadFrom) {
  graph::Sequence none;
  for (const auto& input : model.graph.inputs) {
    const TensorType& type = model.inputTypes.at(input.name);
    const ElementType onDevice = deviceType(type.type);
    const graph::Tensor tensor = m_target.addVariable(onDevice, type.shape, input.name, m_context);
    const int ipu = ipuOfFirstReader(input.name), stage = stageOf(firstReader(input.name));
    if (m_routes) m_routes->enter(stage, nullptr);
    if (m_target.machine().ipus == 1)
      m_target.mapTensorLinearly(tensor);
    else
      ops::OpBuilder(m_target, none, m_context, true, ipu).mapLinearly(tensor);
    set(input.name, tensor);
    protect(input.name);
    const auto stream = m_target.addHostToDeviceFifo(input.name, onDevice, tensor.numElements());
    load.inputs[input.name] = {};
    if (m_target.machine().ioTiles == 0) {
      toDevice(stage).add(graph::program::copy(stream, tensor, input.name, m_context));
      continue;
    }
    const graph::Tensor buffer = ops::hostBuffer(m_target, tensor, input.name + "/io", m_context, ipu);
    loadFrom(stage).add(graph::program::copy(stream, buffer, input.name, m_context));
    toDevice(stage).add(graph::program::copy(buffer, tensor, "ioTileCopy/" + input.name, m_context));
  }
}

void LoweringScope::send(const graph::Tensor& value, graph::StreamId stream, const std::string& name, graph::Sequence& toHost,
                         graph::Sequence& store) {
  if (m_target.machine().ioTiles == 0) return toHost.add(graph::program::copy(value, stream, name, m_context));
  const graph::Tensor buffer =
      ops::hostBuffer(m_target, value, name + "/io", m_context, std::max(0, ops::ipuOf(m_target, value)));
  toHost.add(graph::program::copy(value, buffer, "ioTileCopy/" + name, m_context));
  store.add(graph::program::copy(buffer, stream, name, m_context));
}

void LoweringScope::lowerOutputs(graph::Workload& load, const ProgramOfStage& toHost, const ProgramOfStage& store) {
  load.outputs = outputStreams(m_source);
  for (std::size_t i = 0; i < m_source.outputs.size(); ++i) {
    const std::string& name = m_source.outputs[i].name;
    const graph::Tensor value = tensor(name);
    if (constant(name)) { // no node read it, so nothing has placed it
      graph::Sequence none;
      ops::OpBuilder(m_target, none, m_context).layoutOf(value);
    }
    const auto stream = m_target.addDeviceToHostFifo(load.outputs[i], value.elementType(), value.numElements());
    const int stage = m_routes && m_routes->knows(name) ? m_routes->stageOf(name) : std::max(0, ops::ipuOf(m_target, value));
    send(value, stream, load.outputs[i], toHost(stage), store(stage));
  }
}

reports::DebugContextId LoweringScope::contextOf(const std::vector<std::string>& path) {
  if (path.empty()) return m_context;
  const auto found = m_contexts.find(path);
  if (found != m_contexts.end()) return found->second;
  const auto parent = contextOf({path.begin(), path.end() - 1});
  return m_contexts[path] = m_target.addContext(parent, path.back(), "model", "", {}, graph::kNoSource);
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

// Planners want elements; what is joined or cut may be empty, and so may parameters, such as the shape of a scalar.
bool readsOrGivesSomeNothing(const Node& node, const LoweringScope& scope) {
  if (node.opType == "Concat" || node.opType == "Split" || node.opType == "CastLike") return false;
  const auto isEmpty = [&](const std::string& name) { return isNothing(name, scope); };
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (isEmpty(node.inputs[i]) && (i == 0 || !scope.constant(node.inputs[i]) || node.opType.starts_with("Scatter"))) return true;
  return std::any_of(node.outputs.begin(), node.outputs.end(), isEmpty);
}

using LowerFunction = void (*)(NodeLowering&);
// Null: no planner can.
LowerFunction plannerFor(const Node& node, const LoweringScope& scope) {
  // The body of a node whose types were observed was never walked.
  const bool isUntyped = std::any_of(node.attributes.all().begin(), node.attributes.all().end(), [](const auto& attribute) {
    const auto* sub = std::get_if<std::shared_ptr<const Graph>>(&attribute.second);
    return sub && (*sub)->types.empty() && !(*sub)->nodes.empty();
  });
  if (isUntyped) return nullptr;
  if (givesNothing(node, scope)) return lowerNothing;
  return readsOrGivesSomeNothing(node, scope) ? nullptr : operatorFor(node).lower;
}
} // namespace

void LoweringScope::lowerNode(const Node& node, graph::Sequence& program, bool withNumbers) {
  const auto context = addContextOf(node);
  m_contextOfNode[&node] = context;
  if (m_shared && m_shared->mayLower(node) && m_shared->lower(*this, node, builderOf(node, context, program, withNumbers)))
    return;
  lowerItself(node, context, program, withNumbers);
}

ops::OpBuilder LoweringScope::builderOf(const Node& node, reports::DebugContextId context, graph::Sequence& program,
                                        bool withNumbers) {
  return ops::OpBuilder(m_target, program, context, withNumbers, ipuOf(node))
      .withAvailableMemory(m_options.availableMemoryProportion)
      .withMemoryShares(m_options.memoryShares);
}

reports::DebugContextId LoweringScope::addContextOf(const Node& node) {
  nlohmann::json details{{"op", node.opType}, {"opset", node.opset}};
  if (!node.domain.empty()) details["domain"] = node.domain;
  if (!node.doc.empty()) details["doc"] = node.doc;
  for (const Node::Origin& origin : node.fused) details["fused"].push_back({{"name", origin.name}, {"op", origin.opType}});
  const std::string name = !node.name.empty() ? node.name : node.opType + "(" + node.outputs.at(0) + ")";
  return m_target.addContext(contextOf(node.path), name, "onnx", node.opType, reports::jsonText(details), node.source);
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
    // A planner may need a value that is only known in the run (a Slice to a computed end).
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
    scope.lowerInputs(
        model, load, [&](int) -> graph::Sequence& { return batch.toDevice; },
        [&](int) -> graph::Sequence& { return batch.load; });
    if (options.outline) {
      std::deque<graph::Sequence> programs;
      for (const auto& nodes : stretchesOf(options.ipuOfNode, 0, model.graph.nodes.size()))
        SectionLowering(scope, programs, nullptr, 0).lower(Section(model.graph, nodes, true));
      for (const graph::Sequence& program : programs)
        if (!program.empty()) batch.main.add(program);
    } else {
      scope.lowerNodes(batch.main, true);
    }
    scope.lowerOutputs(
        load, [&](int) -> graph::Sequence& { return batch.toHost; }, [&](int) -> graph::Sequence& { return batch.store; });
    scope.placeTheRest();
    load.programs = {
        {"inference", ops::batchLoop(g, batch, options.batchesPerStep, options.overlapIo != OverlapIo::Off, "batches", root)}};
  });
  return load;
}

namespace {
// The places of the nodes in a pipeline, and what of it the stages of one IPU share.
struct StagesOfInference {
  std::vector<int> stageOfNode, ipuOfStage;
  bool sharesIpus = false; // then values go along routes

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
      scope.collectCrossings(crossings);
    scope.lowerInputs(
        model, load, [&](int stage) -> Sequence& { return at(stage).toDevice; },
        [&](int stage) -> Sequence& { return at(stage).load; });
    std::deque<std::pair<int, std::deque<Sequence>>> programs; // what a node makes can be stashed behind it until all are lowered
    for (const auto& stretch : stretchesOf(places.stageOfNode, 0, nodes)) {
      const int stage = places.stageOfNode[stretch[0]];
      auto& [unused, own] = programs.emplace_back(stage, std::deque<Sequence>());
      SectionLowering(scope, own, places.sharesIpus ? &routes : nullptr, stage)
          .lower(Section(model.graph, stretch, options.outline));
    }
    scope.lowerOutputs(
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
    for (const auto& copy : crossings) // they wait from one cycle to the next, which functions do not show
      for (const auto& tensor : {copy.from, copy.to})
        for (const auto id : tensor.variables()) g.variable(id).alwaysLive = true;
    const auto program =
        options.overlapIo != OverlapIo::Off && machine.ioTiles > 0 ? ops::overlappedProgram : ops::pipelineProgram;
    load.programs = {{"inference", program(g, stages, exchange, microBatches)}};
  });
  return load;
}

} // namespace simcore::model
