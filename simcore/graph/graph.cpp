#include "simcore/graph/graph.h"

#include "reports/core/error.h"

#include <algorithm>
#include <cstring>

namespace simcore::graph {

using reports::Error;
using reports::ErrorCode;

int64_t Variable::elements() const { return numerics::elementCount(shape); }

Bytes Variable::bytes() const { return Bytes(elements() * int64_t(numerics::deviceSize(type))); }

bool Variable::mapped() const {
  if (!extraBytes.empty() || distribution.valid() || elements() == 0) return true;
  return std::all_of(mapping.begin(), mapping.end(), [](const MappingRun& r) { return r.tile.valid(); });
}

PerTile Variable::bytesByTile() const {
  if (!extraBytes.empty()) return extraBytes;
  const int64_t size = int64_t(numerics::deviceSize(type));
  const TileRange tiles = tileRange(); // most variables of a program are on few tiles
  std::vector<int64_t> byTile(std::size_t(tiles.size()), 0);
  if (distribution.valid()) {
    for (const auto& run : distribution.elementsByTile().runs())
      for (int64_t t = run.tiles.begin; t < run.tiles.end; ++t) byTile[std::size_t(t - tiles.begin)] += run.value * size;
  } else {
    const int64_t n = elements();
    for (std::size_t i = 0; i < mapping.size(); ++i) {
      const int64_t end = i + 1 < mapping.size() ? mapping[i + 1].begin : n;
      if (mapping[i].tile.valid()) byTile[mapping[i].tile.value() - std::size_t(tiles.begin)] += (end - mapping[i].begin) * size;
    }
  }
  for (auto& b : byTile) b = reports::roundUp(b, 4); // the exchange writes whole words (ipu-reference 2)
  return PerTile::fromDense(byTile, tiles.begin);
}

TileRange Variable::tileRange() const {
  if (!extraBytes.empty()) return {extraBytes.runs().front().tiles.begin, extraBytes.runs().back().tiles.end};
  if (distribution.valid()) {
    const int64_t first = distribution.tiles().begin + distribution.firstTile(), last = first + distribution.cells();
    return last > distribution.tiles().end ? distribution.tiles() : TileRange{first, last};
  }
  TileRange range{0, 0};
  for (const MappingRun& run : mapping) {
    if (!run.tile.valid()) continue;
    const int64_t tile = int64_t(run.tile.value());
    range = range.empty() ? TileRange{tile, tile + 1} : TileRange{std::min(range.begin, tile), std::max(range.end, tile + 1)};
  }
  return range;
}

Graph::Graph(arch::Machine machine) : m_cell(std::make_shared<Cell>()) {
  m_cell->contents = std::make_shared<Contents>();
  m_cell->contents->vertexByVertex = machine.vertexByVertex;
  m_cell->contents->machine = std::move(machine);
}

void Graph::leaveSnapshots() { m_cell->contents = std::make_shared<Contents>(*m_cell->contents); }

std::shared_ptr<const Graph> Graph::snapshot() const {
  auto cell = std::make_shared<Cell>();
  cell->contents = m_cell->contents;
  return std::shared_ptr<const Graph>(new Graph(std::move(cell), nullptr));
}

DebugContextId Graph::addContext(DebugContextId parent, std::string name, std::string layer, std::string kind,
                                 std::string details, const SourceLocation& source) {
  auto& contexts = edit().contexts;
  contexts.push_back({parent, std::move(name), std::move(layer), std::move(kind), withSource(details, source)});
  return DebugContextId(contexts.size() - 1);
}

std::string Graph::fullName(DebugContextId context) const {
  if (!context.valid()) return {};
  const DebugContext& c = now().contexts[context.value()];
  const std::string parent = fullName(c.parent);
  return parent.empty() ? c.name : parent + "/" + c.name;
}

std::string Graph::fullName(VariableId id) const {
  const Variable& v = variable(id);
  const std::string path = fullName(v.context);
  return path.empty() ? v.name : path + "/" + v.name;
}

std::string Graph::pathOf(const ComputeSet& set) const {
  const std::string path = fullName(set.context);
  return path.empty() ? set.name : path + "/" + set.name;
}

Tensor Graph::addVariable(ElementType type, Shape shape, std::string name, DebugContextId context) {
  Variable v;
  v.name = std::move(name);
  v.type = type;
  v.context = context;
  v.mapping = {{0, TileId()}};
  numerics::elementCount(shape); // throws for an impossible shape before it is used as a size
  v.shape = shape;
  auto& variables = edit().variables;
  variables.push_back(std::move(v));
  const VariableId id(variables.size() - 1);
  return Tensor(id, type, std::move(shape), std::make_shared<const std::string>(fullName(id)));
}

Tensor Graph::addVariable(ElementType type, Shape shape, VariableMappingMethod method, std::string name, DebugContextId context) {
  Tensor t = addVariable(type, std::move(shape), std::move(name), context);
  if (method == VariableMappingMethod::Linear) mapTensorLinearly(t);
  return t;
}

Tensor Graph::addConstant(numerics::HostTensor value, std::string name, DebugContextId context) {
  Tensor t = addVariable(value.type(), value.shape(), std::move(name), context);
  Variable& v = variable(t.wholeVariable());
  v.category = MemoryCategory::Constant;
  v.alwaysLive = true;
  v.initial = std::move(value);
  return t;
}

Tensor Graph::addReplicationIndexConstant(std::string name, DebugContextId context) {
  const Tensor t = addConstant(numerics::HostTensor::full(ElementType::UInt32, {}, 0), std::move(name), context);
  variable(t.wholeVariable()).replicaIndex = true;
  return t;
}

void Graph::setInitialValue(const Tensor& tensor, numerics::HostTensor value) {
  if (value.count() != tensor.numElements())
    throw Error(ErrorCode::InvalidInput,
                std::to_string(value.count()) + " initial values do not fit " + std::to_string(tensor.numElements()) +
                    " elements",
                tensor.getDebugStr(), "give one value, or one for each element");
  value = value.cast(tensor.elementType());
  if (const VariableId id = tensor.wholeVariable(); id.valid() && variable(id).type == tensor.elementType()) {
    Variable& v = variable(id);
    v.initial = value.reshaped(v.shape);
    v.initialParts.clear();
    v.alwaysLive = true;
    return;
  }
  if (tensor.containsAliases())
    throw Error(ErrorCode::InvalidInput, "the view has elements twice, so initial values would contradict each other",
                tensor.getDebugStr(), "set the values of a view without broadcasts");
  const std::size_t size = numerics::hostSize(value.type());
  std::size_t at = 0;
  for (const Region& r : tensor.contiguousRegions()) {
    Variable& v = variable(r.variable);
    const bool whole = v.initial && v.initialParts.empty();
    if (!v.initial) v.initial = numerics::HostTensor(v.type, v.shape);
    if (!whole) v.initialParts.push_back({r.begin, r.end});
    std::memcpy(v.initial->mutableRaw().data() + std::size_t(r.begin) * size, value.raw().data() + at,
                std::size_t(r.size()) * size);
    at += std::size_t(r.size()) * size;
    v.alwaysLive = true;
  }
}

void Graph::refuseForeign(const char* what, std::size_t index) {
  std::string name = what;
  if (index < UINT32_MAX) name += " " + std::to_string(index);
  throw Error(ErrorCode::InvalidInput, "this " + std::string(what) + " belongs to no graph or to another graph", name,
              "use objects that were made with this graph");
}

void Graph::requireOwn(const Tensor& tensor) const {
  if (const auto w = tensor.window()) {
    variable(w->region.variable);
    return;
  }
  for (const VariableId v : tensor.variables()) variable(v);
}

ComputeSetId Graph::addComputeSet(std::string name, DebugContextId context) {
  auto& sets = edit().computeSets;
  sets.push_back({});
  sets.back().name = std::move(name);
  sets.back().context = context;
  return ComputeSetId(sets.size() - 1);
}

void Graph::addUses(ComputeSetId id, const std::vector<Tensor>& reads, const std::vector<Tensor>& writes) {
  ComputeSet& set = computeSet(id);
  for (const Tensor& t : reads)
    for (VariableId v : t.variables()) set.reads.push_back(v);
  for (const Tensor& t : writes)
    for (VariableId v : t.variables()) {
      set.writes.push_back(v);
      if (!t.wholeVariable().valid() && t.numElements() < variables()[v.value()].elements()) set.partialWrites.push_back(v);
    }
}

uint32_t Graph::vertexType(const VertexType& type) {
  if (const auto it = now().vertexTypeByName.find(type.name); it != now().vertexTypeByName.end()) return it->second;
  Contents& c = edit();
  c.vertexTypes.push_back(type);
  return c.vertexTypeByName[type.name] = uint32_t(c.vertexTypes.size() - 1);
}

FunctionId Graph::addFunction(std::string name, Program body) {
  auto& functions = edit().functions;
  functions.push_back({std::move(name), std::move(body)});
  return {uint32_t(functions.size() - 1)};
}

} // namespace simcore::graph
