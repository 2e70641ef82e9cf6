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

Graph::Graph(arch::Machine machine) : m_cell(std::make_shared<Cell>()) {
  m_cell->contents = std::make_shared<Contents>();
  m_cell->contents->vertexByVertex = machine.vertexByVertex;
  m_cell->contents->machine = std::move(machine);
}

std::shared_ptr<const Graph> Graph::snapshot() const {
  auto cell = std::make_shared<Cell>();
  cell->contents = m_cell->contents;
  return std::shared_ptr<const Graph>(new Graph(std::move(cell), nullptr));
}

DebugContextId Graph::addContext(DebugContextId parent, std::string name, std::string layer, std::string kind,
                                 std::string details) {
  auto& contexts = edit().contexts;
  contexts.push_back({parent, std::move(name), std::move(layer), std::move(kind), std::move(details)});
  return DebugContextId(contexts.size() - 1);
}

std::string Graph::fullName(DebugContextId context) const {
  if (!context.valid()) return {};
  const DebugContext& c = now().contexts[context.value()];
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
  auto& variables = edit().variables;
  variables.push_back(std::move(v));
  return Tensor(VariableId(variables.size() - 1), type, std::move(shape));
}

Tensor Graph::addVariable(ElementType type, Shape shape, VariableMappingMethod method, std::string name, DebugContextId context) {
  const Tensor t = addVariable(type, std::move(shape), std::move(name), context);
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

void Graph::setInitialValue(const Tensor& tensor, numerics::HostTensor value) {
  const VariableId id = tensor.wholeVariable();
  if (!id.valid() || value.count() != tensor.numElements())
    throw Error(ErrorCode::InvalidInput, "an initial value must cover a whole variable and have its shape",
                tensor.valid() ? numerics::toString(tensor.shape()) : "tensor");
  Variable& v = variable(id);
  v.initial = value.cast(v.type).reshaped(v.shape);
  v.alwaysLive = true;
}

ComputeSetId Graph::addComputeSet(std::string name, DebugContextId context) {
  auto& sets = edit().computeSets;
  sets.push_back({});
  sets.back().name = std::move(name);
  sets.back().context = context;
  return ComputeSetId(sets.size() - 1);
}

void Graph::touches(ComputeSetId id, const std::vector<Tensor>& reads, const std::vector<Tensor>& writes) {
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

// What the host knows by name.

void Graph::requireFreeHandle(const std::string& handle) const {
  const auto taken = [&](const auto& list, auto nameOf) {
    return std::any_of(list.begin(), list.end(), [&](const auto& x) { return nameOf(x) == handle; });
  };
  if (handle.empty()) throw Error(ErrorCode::InvalidInput, "a handle must not be empty", "host handle");
  if (taken(streams(), [](const Stream& s) { return s.name; }) ||
      taken(remoteBuffers(), [](const RemoteBuffer& b) { return b.handle; }))
    throw Error(ErrorCode::InvalidInput, "the graph has a stream or remote buffer of this handle already", handle);
}

StreamId Graph::addHostToDeviceFifo(std::string handle, ElementType type, int64_t elements, StreamOptions options) {
  requireFreeHandle(handle);
  auto& streams = edit().streams;
  streams.push_back({std::move(handle), StreamDirection::HostToDevice, type, elements, options});
  return {uint32_t(streams.size() - 1)};
}

StreamId Graph::addDeviceToHostFifo(std::string handle, ElementType type, int64_t elements, StreamOptions options) {
  requireFreeHandle(handle);
  auto& streams = edit().streams;
  streams.push_back({std::move(handle), StreamDirection::DeviceToHost, type, elements, options});
  return {uint32_t(streams.size() - 1)};
}

RemoteBuffer Graph::addRemoteBuffer(std::string handle, ElementType type, int64_t elements, int64_t repeats, bool rearrangeOnHost,
                                    bool optimiseMemory) {
  requireFreeHandle(handle);
  if (elements < 1 || repeats < 1)
    throw Error(ErrorCode::InvalidInput,
                "a remote buffer cannot have " + std::to_string(repeats) + " rows of " + std::to_string(elements) + " elements",
                handle);
  auto& buffers = edit().remoteBuffers;
  buffers.push_back({uint32_t(buffers.size()), std::move(handle), type, elements, repeats, rearrangeOnHost, optimiseMemory});
  return buffers.back();
}

HostHandle& Graph::hostHandle(const std::string& handle, const Tensor& tensor) {
  if (!tensor.valid()) throw Error(ErrorCode::InvalidInput, "a host handle needs a tensor", handle);
  const auto found = hostHandles().find(handle);
  if (found != hostHandles().end() && found->second.tensor.contiguousRegions() != tensor.contiguousRegions())
    throw Error(ErrorCode::InvalidInput, "the handle names another tensor already", handle);
  for (const VariableId v : tensor.variables()) variable(v).alwaysLive = true; // the host may come at any time
  HostHandle& h = edit().hostHandles[handle];
  h.tensor = tensor;
  return h;
}

void Graph::createHostRead(const std::string& handle, const Tensor& tensor) { hostHandle(handle, tensor).read = true; }
void Graph::createHostWrite(const std::string& handle, const Tensor& tensor) { hostHandle(handle, tensor).write = true; }

} // namespace simcore::graph
