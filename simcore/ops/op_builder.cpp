#include "simcore/ops/op_builder.h"

#include "simcore/codelets/launch.h"

namespace simcore::ops {

OpBuilder OpBuilder::within(const std::string& name, const std::string& kind) const {
  return OpBuilder(m_graph, m_program, m_graph.addContext(m_context, name, "library", kind), m_withNumbers, m_ipu);
}

Tensor OpBuilder::output(ElementType type, const Shape& shape, const std::string& name, const Distribution& layout) const {
  const Tensor t = m_graph.addVariable(type, shape, name, m_context);
  m_graph.setDistribution(t, layout);
  return t;
}

Tensor OpBuilder::buffer(ElementType type, const std::string& name, const PerTile& bytes, reports::MemoryCategory category,
                         bool interleaved) const {
  const Tensor t = m_graph.addVariable(type, {std::max<int64_t>(1, bytes.sum() / elementBytes(type))}, name, m_context);
  auto& v = m_graph.variable(t.wholeVariable());
  v.category = category;
  v.interleaved = interleaved;
  for (const auto& r : bytes.runs()) v.extraBytes.add(r.tiles, reports::roundUp(r.value, 4));
  if (v.extraBytes.empty()) v.extraBytes = PerTile::uniform({tileRange().begin, tileRange().begin + 1}, 4);
  return t;
}

Distribution OpBuilder::linear(int64_t elements, ElementType type) const {
  const int64_t size = elementBytes(type);
  return Distribution::linear(std::max<int64_t>(1, elements), size, 0, tileRange(),
                              std::max<int64_t>(1, tile().dataPathBytes / size));
}

void OpBuilder::mapLinearly(const Tensor& variable) const {
  m_graph.setDistribution(variable, linear(variable.numElements(), variable.elementType()));
}

Distribution OpBuilder::layoutOf(const Tensor& tensor) const {
  if (const auto id = tensor.wholeVariable(); id.valid()) {
    auto& v = m_graph.variable(id);
    if (!v.mapped()) {
      Distribution d = linear(v.elements(), v.type);
      d = Distribution({v.elements()}, {d.cells()}, {std::max<int64_t>(1, tile().dataPathBytes / elementBytes(v.type))},
                       m_graph.nextStartTile(d.cells()) % tiles(), tileRange());
      v.distribution = d;
    }
    if (v.distribution.valid()) {
      if (v.distribution.shape() == tensor.shape()) return v.distribution;
      return v.distribution.flattened();
    }
    return Distribution({tensor.numElements()}, {std::min(tiles(), int64_t(v.mapping.size()))}, {1}, 0, tileRange());
  }
  int64_t cells = 0;
  for (const auto id : tensor.variables()) {
    auto& v = m_graph.variable(id);
    if (!v.mapped()) v.distribution = linear(v.elements(), v.type);
    cells += v.distribution.valid() ? v.distribution.cells() : int64_t(v.mapping.size());
  }
  return Distribution({std::max<int64_t>(1, tensor.numElements())}, {std::min(tiles(), std::max<int64_t>(1, cells))}, {1}, 0,
                      tileRange());
}

void OpBuilder::compute(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs, HostKernel kernel) const {
  if (!m_withNumbers) return;
  m_program.add(
      graph::program::hostCompute(m_graph.contexts()[m_context.value()].name, m_context, inputs, outputs, std::move(kernel)));
}

void OpBuilder::recordPlan(const std::string& method, const std::string& text, const std::string& details,
                           int64_t predictedCycles, int64_t temporaryBytes) const {
  graph::Plan plan;
  plan.context = m_context;
  plan.method = method;
  plan.text = text;
  plan.details = details;
  plan.predicted = reports::Cycles(predictedCycles);
  plan.temporary = reports::Bytes(temporaryBytes);
  m_graph.addPlan(std::move(plan));
}

namespace {
std::vector<graph::VariableId> variablesOf(const std::vector<Tensor>& tensors) {
  std::vector<graph::VariableId> ids;
  for (const Tensor& t : tensors)
    for (const auto id : t.variables()) ids.push_back(id);
  return ids;
}
} // namespace

void OpBuilder::exchange(const std::string& name, const std::vector<Tensor>& from, const std::vector<Tensor>& to,
                         const Traffic& traffic, const PerTile& copyCycles) const {
  m_program.add(graph::program::rearrange(name, m_context, variablesOf(from), variablesOf(to), traffic, copyCycles));
}

Superstep::Superstep(const OpBuilder& builder, const std::string& name)
    : m_builder(builder), m_set(builder.graph().addComputeSet(name, builder.context())) {}

void Superstep::add(const codelets::VertexSpec& spec, const codelets::VertexCost& cost, TileRange tiles, int64_t perTile) {
  graph::VertexType type;
  type.name = spec.name;
  type.kind = spec.kind == codelets::VertexKind::Worker  ? graph::Codelet::Kind::Worker
              : spec.kind == codelets::VertexKind::Multi ? graph::Codelet::Kind::Multi
                                                         : graph::Codelet::Kind::Supervisor;
  type.codeBytes = spec.code.value();
  type.stateBytes = spec.state.value();
  type.edgePointerBytes = spec.edgePointers.value();
  type.edges = spec.edges;
  type.workerStackBytes = spec.workerStack.value();
  type.launchCycles = codelets::launchOverhead(spec).value();
  graph::VertexRun run;
  run.type = m_builder.graph().vertexType(type);
  run.tiles = tiles;
  run.perTile = perTile;
  run.cycles = cost.cycles.value();
  run.flops = cost.flops.value();
  run.descriptorBytes = spec.fieldData.value(); // depends on the shape, so it is of the run and not of the type
  m_builder.graph().addRun(m_set, run);
}

void Superstep::copies() { m_builder.graph().computeSet(m_set).copies = true; }

void Superstep::execute(const std::vector<Tensor>& reads, const std::vector<Tensor>& writes) {
  m_builder.graph().touches(m_set, reads, writes);
  m_builder.program().add(graph::program::execute(m_set, m_builder.context()));
}

} // namespace simcore::ops
