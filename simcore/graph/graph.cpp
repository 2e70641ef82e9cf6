#include "simcore/graph/graph.h"

#include "reports/core/error.h"

#include <algorithm>

namespace simcore::graph {

using reports::Error;
using reports::ErrorCode;

int64_t Variable::elements() const { return numerics::elementCount(shape); }

Bytes Variable::bytes() const { return Bytes(elements() * int64_t(numerics::deviceSize(type))); }

bool Variable::mapped() const {
  if (!extraBytes.empty() || distribution.valid()) return true;
  return std::all_of(mapping.begin(), mapping.end(), [](const MappingRun& r) { return r.tile.valid(); });
}

PerTile Variable::bytesByTile(int64_t tiles) const {
  if (!extraBytes.empty()) return extraBytes;
  const int64_t size = int64_t(numerics::deviceSize(type));
  std::vector<int64_t> byTile(std::size_t(tiles), 0);
  if (distribution.valid()) {
    for (const auto& run : distribution.elementsByTile().runs())
      for (int64_t t = run.tiles.begin; t < run.tiles.end; ++t) byTile[std::size_t(t)] += run.value * size;
  } else {
    const int64_t n = elements();
    for (std::size_t i = 0; i < mapping.size(); ++i) {
      const int64_t end = i + 1 < mapping.size() ? mapping[i + 1].begin : n;
      if (mapping[i].tile.valid()) byTile[mapping[i].tile.value()] += (end - mapping[i].begin) * size;
    }
  }
  for (auto& b : byTile) b = reports::roundUp(b, 4); // exchange writes whole words (ipu-reference 2)
  return PerTile::fromDense(byTile);
}

Graph::Graph(arch::Machine machine) : m_machine(std::move(machine)) {}

DebugContextId Graph::addContext(DebugContextId parent, std::string name, std::string layer, std::string kind,
                                 std::string details) {
  m_contexts.push_back({parent, std::move(name), std::move(layer), std::move(kind), std::move(details)});
  return DebugContextId(m_contexts.size() - 1);
}

std::string Graph::fullName(DebugContextId context) const {
  if (!context.valid()) return {};
  const DebugContext& c = m_contexts[context.value()];
  const std::string parent = fullName(c.parent);
  return parent.empty() ? c.name : parent + "/" + c.name;
}

Tensor Graph::addVariable(ElementType type, Shape shape, std::string name, DebugContextId context) {
  Variable v;
  v.name = std::move(name);
  v.type = type;
  v.context = context;
  v.mapping = {{0, TileId()}};
  numerics::elementCount(shape); // refuses impossible shapes before anything is sized by them
  v.shape = shape;
  m_variables.push_back(std::move(v));
  return Tensor(VariableId(m_variables.size() - 1), type, std::move(shape));
}

Tensor Graph::addConstant(numerics::HostTensor value, std::string name, DebugContextId context) {
  Tensor t = addVariable(value.type(), value.shape(), std::move(name), context);
  Variable& v = m_variables.back();
  v.category = MemoryCategory::Constant;
  v.alwaysLive = true;
  v.initial = std::move(value);
  return t;
}

void Graph::setInitialValue(const Tensor& tensor, numerics::HostTensor value) {
  const VariableId id = tensor.wholeVariable();
  if (!id.valid() || value.count() != tensor.numElements())
    throw Error(ErrorCode::InvalidInput, "an initial value must cover a whole variable and have its shape",
                tensor.valid() ? numerics::toString(tensor.shape()) : "tensor");
  Variable& v = variable(id);
  v.initial = value.cast(v.type).reshaped(v.shape);
  v.alwaysLive = true;
}

void Graph::requireTile(TileId tile, const std::string& what) const {
  if (!tile.valid() || int64_t(tile.value()) >= tiles())
    throw Error(ErrorCode::InvalidInput, "tile " + std::to_string(int64_t(tile.value())) + " does not exist", what,
                "this machine has tiles 0 to " + std::to_string(tiles() - 1));
}

void Graph::mapRegion(const Region& region, TileId tile) {
  Variable& v = variable(region.variable);
  v.distribution = Distribution();
  auto& m = v.mapping;
  auto runAt = [&](int64_t e) {
    return std::prev(std::upper_bound(m.begin(), m.end(), e, [](int64_t x, const MappingRun& r) { return x < r.begin; }));
  };
  const int64_t n = v.elements();
  const TileId after = region.end < n ? runAt(region.end)->tile : TileId();
  auto first = std::lower_bound(m.begin(), m.end(), region.begin, [](const MappingRun& r, int64_t x) { return r.begin < x; });
  auto last = std::lower_bound(m.begin(), m.end(), region.end, [](const MappingRun& r, int64_t x) { return r.begin < x; });
  const bool keepsEnd = last != m.end() && last->begin == region.end;
  std::vector<MappingRun> replacement{{region.begin, tile}};
  if (region.end < n && !keepsEnd) replacement.push_back({region.end, after});
  const auto at = m.erase(first, last) - m.begin();
  m.insert(m.begin() + at, replacement.begin(), replacement.end());
}

void Graph::setTileMapping(const Tensor& tensor, TileId tile) {
  requireTile(tile, tensor.variables().empty() ? "tensor" : variable(tensor.variables()[0]).name);
  for (const Region& r : tensor.contiguousRegions()) mapRegion(r, tile);
}

void Graph::setTileMapping(const Tensor& tensor, const std::vector<std::vector<Interval>>& mapping) {
  const Tensor flat = tensor.flatten();
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const Interval& i : mapping[tile]) setTileMapping(flat.slice(i.begin, i.end), TileId(tile));
}

void Graph::setDistribution(const Tensor& tensor, Distribution distribution) {
  const VariableId id = tensor.wholeVariable();
  if (!id.valid()) throw Error(ErrorCode::Internal, "a distribution is set on whole variables only");
  variable(id).distribution = std::move(distribution);
}

std::vector<std::vector<Interval>> Graph::getTileMapping(const Tensor& tensor) const {
  std::vector<std::vector<Interval>> byTile(static_cast<std::size_t>(tiles()));
  int64_t at = 0;
  auto give = [&](TileId tile, int64_t size) {
    if (tile.valid()) {
      auto& list = byTile[tile.value()];
      if (!list.empty() && list.back().end == at)
        list.back().end += size;
      else
        list.push_back({at, at + size});
    }
    at += size;
  };
  for (const Region& r : tensor.contiguousRegions()) {
    const Variable& v = variable(r.variable);
    if (v.distribution.valid()) { // box order: shares of the flattened variable, cell by cell
      const auto& d = v.distribution;
      int64_t begin = 0;
      for (int64_t c = 0; c < d.cells(); ++c) {
        const int64_t end = begin + d.cell(c).volume();
        const int64_t b = std::max(begin, r.begin), e = std::min(end, r.end);
        if (b < e) give(TileId(std::size_t(d.tileOf(c))), e - b);
        begin = end;
      }
      continue;
    }
    auto it = std::prev(std::upper_bound(v.mapping.begin(), v.mapping.end(), r.begin,
                                         [](int64_t x, const MappingRun& m) { return x < m.begin; }));
    for (int64_t e = r.begin; e < r.end; ++it) {
      const int64_t end = std::min(r.end, std::next(it) == v.mapping.end() ? r.end : std::next(it)->begin);
      give(it->tile, end - e);
      e = end;
    }
  }
  return byTile;
}

void Graph::mapTensorLinearly(const Tensor& tensor, int64_t grain) {
  const int64_t size = int64_t(numerics::deviceSize(tensor.elementType()));
  if (grain <= 0) grain = std::max<int64_t>(1, m_machine.tile.dataPathBytes / size);
  const Distribution d = Distribution::linear(tensor.numElements(), size, 0, {0, tiles()}, grain);
  if (const VariableId id = tensor.wholeVariable(); id.valid()) {
    auto& m = variable(id).mapping;
    m.clear();
    variable(id).distribution = Distribution();
    for (int64_t c = 0; c < d.cells(); ++c) m.push_back({d.cell(c).dims[0].begin, TileId(std::size_t(d.tileOf(c)))});
    return;
  }
  const Tensor flat = tensor.flatten();
  for (int64_t c = 0; c < d.cells(); ++c) {
    const auto r = d.cell(c).dims[0];
    setTileMapping(flat.slice(r.begin, r.end), TileId(std::size_t(d.tileOf(c))));
  }
}

int64_t Graph::nextStartTile(int64_t tilesUsed) {
  const int64_t start = m_startTile;
  m_startTile = (m_startTile + tilesUsed) % tiles();
  return start;
}

uint32_t Graph::vertexType(const VertexType& type) {
  const auto [it, added] = m_vertexTypeByName.emplace(type.name, uint32_t(m_vertexTypes.size()));
  if (added) m_vertexTypes.push_back(type);
  return it->second;
}

ComputeSetId Graph::addComputeSet(std::string name, DebugContextId context) {
  m_computeSets.push_back({});
  m_computeSets.back().name = std::move(name);
  m_computeSets.back().context = context;
  return ComputeSetId(m_computeSets.size() - 1);
}

void Graph::touches(ComputeSetId id, const std::vector<Tensor>& reads, const std::vector<Tensor>& writes) {
  ComputeSet& set = computeSet(id);
  for (const Tensor& t : reads)
    for (VariableId v : t.variables()) set.reads.push_back(v);
  for (const Tensor& t : writes)
    for (VariableId v : t.variables()) set.writes.push_back(v);
}

uint32_t Graph::addCodelet(Codelet codelet) {
  VertexType type;
  type.name = codelet.name;
  type.kind = codelet.kind;
  type.codeBytes = codelet.codeBytes;
  type.edges = int(codelet.fields.size());
  type.edgePointerBytes = int64_t(codelet.fields.size()) * 8; // spans (ipu-reference 8)
  type.stateBytes = type.edgePointerBytes + int64_t(codelet.state.size()) * 4;
  type.codelet = int(m_codelets.size());
  m_codelets.push_back(std::move(codelet));
  return vertexType(type);
}

uint16_t Graph::fieldIndex(const UserVertex& v, const std::string& field) const {
  const Codelet& c = m_codelets[std::size_t(m_vertexTypes[v.type].codelet)];
  for (std::size_t i = 0; i < c.fields.size(); ++i)
    if (c.fields[i].name == field) return uint16_t(i);
  throw Error(ErrorCode::InvalidInput, "codelet has no field '" + field + "'", c.name);
}

VertexRef Graph::addVertex(ComputeSetId id, const std::string& codelet,
                           const std::vector<std::pair<std::string, Tensor>>& edges) {
  const auto it = m_vertexTypeByName.find(codelet);
  if (it == m_vertexTypeByName.end() || m_vertexTypes[it->second].codelet < 0)
    throw Error(ErrorCode::NotFound, "no codelet is called '" + codelet + "'", computeSet(id).name,
                "add it with addCodelet first");
  auto& vertices = computeSet(id).vertices;
  vertices.push_back({});
  vertices.back().type = it->second;
  const VertexRef ref{id, uint32_t(vertices.size() - 1)};
  for (const auto& [field, tensor] : edges) connect(ref, field, tensor);
  return ref;
}

void Graph::connect(VertexRef ref, const std::string& field, const Tensor& tensor) {
  UserVertex& v = vertex(ref);
  const uint16_t index = fieldIndex(v, field);
  const Codelet& c = m_codelets[std::size_t(m_vertexTypes[v.type].codelet)];
  if (const auto wanted = c.fields[index].type; wanted && *wanted != tensor.elementType())
    throw Error(ErrorCode::InvalidInput,
                "field '" + field + "' takes " + numerics::elementTypeName(*wanted) + ", the tensor is " +
                    numerics::elementTypeName(tensor.elementType()),
                c.name);
  v.edges.push_back({index, tensor});
}

void Graph::setInitialValue(VertexRef ref, const std::string& field, double value) {
  UserVertex& v = vertex(ref);
  const Codelet& c = m_codelets[std::size_t(m_vertexTypes[v.type].codelet)];
  const auto it = std::find(c.state.begin(), c.state.end(), field);
  if (it == c.state.end()) throw Error(ErrorCode::InvalidInput, "codelet has no state field '" + field + "'", c.name);
  v.state.push_back({uint16_t(it - c.state.begin()), value});
}

void Graph::setTileMapping(VertexRef ref, TileId tile) {
  requireTile(tile, m_vertexTypes[vertex(ref).type].name);
  vertex(ref).tile = tile;
}

void Graph::setPerfEstimate(VertexRef ref, int64_t cycles) { vertex(ref).cycles = cycles; }

StreamId Graph::addHostToDeviceFifo(std::string handle, ElementType type, int64_t elements) {
  m_streams.push_back({std::move(handle), StreamDirection::HostToDevice, type, elements});
  return {uint32_t(m_streams.size() - 1)};
}

StreamId Graph::addDeviceToHostFifo(std::string handle, ElementType type, int64_t elements) {
  m_streams.push_back({std::move(handle), StreamDirection::DeviceToHost, type, elements});
  return {uint32_t(m_streams.size() - 1)};
}

FunctionId Graph::addFunction(std::string name, Program body) {
  m_functions.push_back({std::move(name), std::move(body)});
  return {uint32_t(m_functions.size() - 1)};
}

} // namespace simcore::graph
