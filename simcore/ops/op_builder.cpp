#include "simcore/ops/op_builder.h"

#include "simcore/graph/planned_pairs.h"
#include "simcore/graph/viewed_layout.h"

#include "reports/core/error.h"
#include "reports/core/text.h"
#include "simcore/codelets/launch.h"

#include <algorithm>
#include <utility>

namespace simcore::ops {

using reports::Error;
using reports::ErrorCode;

OpBuilder::OpBuilder(Graph& graph, Sequence& program, DebugContextId context, bool withNumbers, int ipu)
    : m_graph(graph), m_program(program), m_context(context), m_withNumbers(withNumbers), m_ipu(ipu) {
  if (graph.isVirtual()) {
    const std::vector<int> ipus = graph.topLevelIpus();
    if (ipu < 0 || std::size_t(ipu) >= ipus.size())
      throw Error(ErrorCode::InvalidInput,
                  "the virtual graph has no IPU " + std::to_string(ipu) + ": its tiles are on " +
                      reports::counted(int64_t(ipus.size()), "IPU"),
                  "library op");
    m_ipu = ipus[std::size_t(ipu)];
  }
  place();
}

void OpBuilder::place() {
  const int64_t perIpu = m_graph.machine().tilesPerIpu;
  m_tiles = {m_ipu * perIpu, (m_ipu + 1) * perIpu};
  m_machine.reset();
  if (!m_graph.isVirtual()) return;
  std::vector<int64_t> own;
  for (int64_t t = 0; t < m_graph.tiles(); ++t)
    if (const int64_t tile = int64_t(m_graph.topLevelTile(t).value()); m_tiles.contains(tile)) own.push_back(tile);
  if (own.empty())
    throw Error(ErrorCode::InvalidInput, "the virtual graph has no tile on IPU " + std::to_string(m_ipu), "library op",
                "give the op a graph with tiles there");
  std::sort(own.begin(), own.end());
  if (own.back() - own.front() + 1 != int64_t(own.size()))
    throw Error(ErrorCode::InvalidInput,
                "the tiles of the virtual graph are not neighbours: " + std::to_string(own.size()) + " tiles between " +
                    std::to_string(own.front()) + " and " + std::to_string(own.back()),
                "library op", "library ops need neighbouring tiles: make the virtual graph of one range of tiles per IPU");
  m_tiles = {own.front(), own.back() + 1};
  auto machine = std::make_shared<arch::Machine>(m_graph.machine());
  const auto cut = [&](std::vector<int>& places) {
    if (int64_t(places.size()) < perIpu) return;
    const auto first = places.begin() + own.front() % perIpu;
    places = std::vector<int>(first, first + m_tiles.size());
  };
  cut(machine->tileColumns);
  cut(machine->tileRows);
  machine->tilesPerIpu = int(m_tiles.size());
  machine->ioTiles = 0; // the graph consists of exactly these tiles, whether or not they are I/O tiles
  m_machine = std::move(machine);
}

OpBuilder OpBuilder::within(const std::string& name, const std::string& kind) const {
  return OpBuilder(*this, m_program, m_graph.addContext(m_context, name, "library", kind, {}, graph::kNoSource));
}

OpBuilder OpBuilder::timeOnly() const {
  OpBuilder b = *this;
  b.m_withNumbers = false;
  return b;
}

OpBuilder OpBuilder::onIpu(int ipu) const {
  OpBuilder b = *this;
  if (ipu == m_ipu) return b;
  b.m_ipu = ipu;
  b.place();
  return b;
}

OpBuilder OpBuilder::withAvailableMemory(double proportion) const {
  OpBuilder b = *this;
  b.m_availableMemory = proportion;
  return b;
}

OpBuilder OpBuilder::withMemoryShares(std::shared_ptr<const MemoryShares> shares) const {
  OpBuilder b = *this;
  b.m_shares = std::move(shares);
  return b;
}

double OpBuilder::availableMemoryProportion(std::optional<double> asked) const {
  const double most = asked.value_or(m_availableMemory);
  if (!m_shares || m_shares->empty()) return most;
  const auto own = m_shares->find(m_graph.fullName(m_context));
  return own == m_shares->end() ? most : std::min(most, own->second);
}

bool OpBuilder::isForeign(const Tensor& tensor) const {
  if (!m_graph.isVirtual()) return false;
  for (const auto id : tensor.variables())
    if (const TileRange t = std::as_const(m_graph).variable(id).tileRange(); t.begin < t.end && t.clippedTo(m_tiles) != t)
      return true;
  return false;
}

void OpBuilder::requireLocal(const Tensor& tensor) const {
  if (!isForeign(tensor)) return;
  const auto& v = std::as_const(m_graph).variable(tensor.variables()[0]);
  const TileRange t = v.tileRange();
  throw Error(
      ErrorCode::InvalidInput,
      "variable " + std::as_const(m_graph).fullName(tensor.variables()[0]) + " is on tiles " + std::to_string(t.begin) + " to " +
          std::to_string(t.end - 1) + ", which the virtual graph does not have",
      m_graph.fullName(m_context),
      "an in-place op runs on the tiles of its tensor: use the graph that the tensor was mapped with, or copy the tensor");
}

Tensor OpBuilder::local(const Tensor& tensor) const {
  if (tensor.numElements() == 0 || !isForeign(tensor)) return tensor;
  const OpBuilder b = within("bringIn", "copy");
  const Distribution layout = b.linear(tensor.numElements(), tensor.elementType());
  const Tensor copy = b.output(tensor.elementType(), tensor.shape(), "local", layout);
  b.exchange("copy", {tensor}, {copy}, b.trafficInOrder(b.layoutOf(tensor), layout, elementBytes(tensor)));
  b.compute({tensor}, {copy}, [](const std::vector<numerics::HostTensor>& in) { return in; });
  return copy;
}

Traffic OpBuilder::trafficTo(const Distribution& source, const Shape& shape, const std::vector<graph::Box>& boxes,
                             int64_t firstTile, const PerTile& elements, int64_t elementBytes) const {
  if (source.shape() == shape) return trafficTo(source, boxes, firstTile, elementBytes);
  graph::Takers takers = graph::boxTakers(source, shape, boxes, firstTile, m_tiles);
  if (m_graph.keepsPairs()) takers.wanted = graph::noteOf(shape, boxes);
  return trafficBlind(source, elements, elementBytes, takers);
}

Tensor OpBuilder::output(ElementType type, const Shape& shape, const std::string& name, const Distribution& layout) const {
  const Tensor t = m_graph.addVariable(type, shape, name, m_context);
  m_graph.setDistribution(t, layout.laidOut());
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
                              std::max<int64_t>(1, tile().dataPathBytes / size), m_graph.machine().leastLinearBytes);
}

void OpBuilder::mapLinearly(const Tensor& variable) const {
  m_graph.setDistribution(variable, linear(variable.numElements(), variable.elementType()));
}

namespace {
// A view of variables that the user mapped: if it has at most this many elements, its layout is looked up; a larger one is
// estimated. A program may have thousands of small views, which would overflow the first tiles if all were assumed there.
constexpr int64_t kLargestViewLookedUp = 4096;
Distribution layoutOfView(const Graph& graph, const Tensor& view, TileRange where) {
  const auto mapping = graph.getTileMapping(view);
  int64_t first = -1, last = -1, cells = 0;
  for (std::size_t tile = 0; tile < mapping.size(); ++tile) {
    if (mapping[tile].empty()) continue;
    if (first < 0) first = int64_t(tile);
    last = int64_t(tile);
    ++cells;
  }
  if (first < where.begin || last >= where.end) return Distribution({view.numElements()}, {1}, {1}, 0, where).estimated();
  return Distribution({view.numElements()}, {cells}, {1}, first - where.begin, where).estimated();
}
} // namespace

Distribution OpBuilder::layoutOf(const Tensor& tensor) const {
  const auto mapIfNew = [&](graph::VariableId id, bool spreadStarts) {
    if (std::as_const(m_graph).variable(id).mapped()) return;
    auto& v = m_graph.variable(id);
    v.distribution = linear(v.elements(), v.type);
    if (!spreadStarts) return;
    const int64_t cells = v.distribution.cells(), grain = std::max<int64_t>(1, tile().dataPathBytes / elementBytes(v.type));
    v.distribution = Distribution({v.elements()}, {cells}, {grain}, m_graph.nextStartTile(cells) % tiles(), tileRange());
  };
  const auto id = tensor.wholeVariable();
  TileRange hull{0, 0};
  int64_t cells = 0;
  for (const auto part : tensor.variables()) {
    mapIfNew(part, id.valid());
    const auto& v = std::as_const(m_graph).variable(part);
    if (id.valid() && v.distribution.valid())
      return v.distribution.shape() == tensor.shape() ? v.distribution : v.distribution.flattened();
    cells += v.distribution.valid() ? v.distribution.cells() : int64_t(v.mapping.size());
    const TileRange t = v.tileRange();
    hull = hull.empty() ? t : TileRange{std::min(hull.begin, t.begin), std::max(hull.end, t.end)};
  }
  if (!id.valid() && tensor.numElements() > 0 && tensor.numElements() <= kLargestViewLookedUp &&
      std::ranges::none_of(tensor.variables(),
                           [&](auto part) { return std::as_const(m_graph).variable(part).distribution.valid(); }))
    return layoutOfView(m_graph, tensor, hull.overlaps(m_tiles) ? m_tiles : hull);
  // Tensors mapped by the user, and views: estimated as `cells` equal cells, on the tiles of this IPU if the tensor is on it.
  const int64_t n = std::max<int64_t>(1, tensor.numElements());
  const TileRange where = hull.empty() || hull.overlaps(m_tiles) ? m_tiles : hull;
  const int64_t count = std::min(where.size(), std::max<int64_t>(1, cells));
  const auto estimate = [&](const Distribution& layout) {
    const auto window = id.valid() ? std::nullopt : tensor.stridedWindow();
    if (!m_graph.keepsPairs() || !window ||
        std::any_of(window->strides.begin(), window->strides.end(), [](int64_t s) { return s < 0; }))
      return layout.estimated();
    const auto& v = std::as_const(m_graph).variable(window->variable);
    if (!v.distribution.valid() || !graph::hasKnownElements(v.distribution)) return layout.estimated();
    return layout.estimated().viewing(std::make_shared<const graph::ViewedLayout>(
        graph::ViewedLayout{v.distribution, window->offset, tensor.shape(), window->strides}));
  };
  if (id.valid() && hull.size() == count && hull.begin >= where.begin && hull.end <= where.end)
    return estimate({{n}, {count}, {1}, hull.begin - where.begin, where});
  return estimate({{n}, {count}, {1}, 0, where});
}

void OpBuilder::compute(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs, HostKernel kernel) const {
  if (!m_withNumbers) return;
  m_program.add(
      graph::program::hostCompute(m_graph.contexts()[m_context.value()].name, m_context, inputs, outputs, std::move(kernel)));
}

void OpBuilder::recordPlan(const std::string& method, const std::string& text, const PlanFacts& details,
                           const PlanCost& cost) const {
  graph::Plan plan;
  plan.context = m_context;
  plan.method = method;
  plan.text = text;
  plan.details = jsonText(details);
  plan.predicted = reports::Cycles(cost.cycles);
  plan.temporary = reports::Bytes(cost.temporaryBytes);
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
                         const Traffic& traffic, const PerTile& copyCycles, int64_t copyRuns,
                         std::vector<graph::VariableMove> moves) const {
  Traffic noted = traffic;
  std::vector<bool> isNoted(from.size());
  for (graph::MoveNote& note : noted.notes) // notes are in the order of `from`, but lack operands that do not move
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (isNoted[i] || from[i].numElements() != note.elements) continue;
      isNoted[i] = true;
      if (const auto parts = from[i].variables(); parts.size() == 1) note.variable = parts[0];
      break;
    }
  m_program.add(graph::program::rearrange(name, m_context, variablesOf(from), variablesOf(to), std::move(noted), copyCycles,
                                          copyRuns, std::move(moves)));
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
  run.fieldDataBytes = spec.fieldData.value(); // these bytes depend on the shape, so they belong to the run and not to the type
  run.listBytes = spec.listDescriptors.value();
  run.constantBytes = spec.constants.value();
  m_builder.graph().addRun(m_set, run);
}

void Superstep::copies() { m_builder.graph().computeSet(m_set).copies = true; }

void Superstep::execute(const std::vector<Tensor>& reads, const std::vector<Tensor>& writes) {
  m_builder.graph().addUses(m_set, reads, writes);
  m_builder.program().add(graph::program::execute(m_set, m_builder.context()));
}

} // namespace simcore::ops
