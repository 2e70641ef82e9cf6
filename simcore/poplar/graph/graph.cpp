// Makes graphs and their variables.
#include "poplar/Graph.hpp"

#include "poplar/MetadataCreation.hpp"
#include "simcore/poplar/graph/handles.h"
#include "simcore/poplar/graph/numbers.h"
#include "simcore/poplar/inner.h"
#include "simcore/run/device.h"

#include <cstring>

namespace poplar {

namespace graph = simcore::graph;
using simcore::numerics::ElementType;
using simcore::numerics::HostTensor;
using simcore::poplar::asPoplar;
using simcore::poplar::asPoplarOr;
using simcore::poplar::inner;
using simcore::poplar::innerShape;
using simcore::poplar::named;
using simcore::poplar::outer;

Graph::Inside& core::GraphAccess::inside(const Graph& graph) {
  if (!graph.m_inside) throw poplar_error("the Graph was declared without a target: pass one to its constructor");
  return *graph.m_inside;
}

namespace {
Graph::Inside& in(const Graph& graph) { return core::GraphAccess::inside(graph); }

std::shared_ptr<Graph::Inside> insideOf(graph::Graph g, const std::shared_ptr<SharedByGraphs>& shared) {
  Target target = core::TargetAccess::made(g.getTarget(), shared->type, shared->architecture);
  return std::make_shared<Graph::Inside>(Graph::Inside{std::move(g), std::move(target), shared});
}
std::shared_ptr<Graph::Inside> insideOf(const Target& target, unsigned replicas) {
  const Target::Inside& t = core::TargetAccess::inside(target);
  simcore::arch::Machine machine = t.machine;
  if (replicas > 1) {
    machine = asPoplarOr<graph_replication_error>(
        [&] { return simcore::arch::replicaOf(machine, int(replicas), machine.ipus / int(replicas)); });
  }
  const auto shared = std::make_shared<SharedByGraphs>();
  shared->type = t.type;
  shared->architecture = t.architecture;
  return insideOf(graph::Graph(std::move(machine)), shared);
}
Tensor constantOf(const Graph& graph, graph::Tensor constant) {
  return core::TensorAccess::made(std::move(constant), std::make_shared<const graph::Graph>(inner(graph).getTopLevelGraph()));
}
} // namespace

Graph::Graph() = default;
Graph::Graph(std::shared_ptr<Inside> inside) : m_inside(std::move(inside)) {}
Graph::Graph(const Target& target, replication_factor replicas) : m_inside(insideOf(target, replicas)) {}
Graph::Graph(const Device& device, replication_factor replicas) : Graph(device.getTarget(), replicas) {}
Graph::Graph(const Target& target, int, replication_factor replicas) : Graph(target, replicas) {}
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

const Target& Graph::getTarget() const { return in(*this).target; }
unsigned Graph::getReplicationFactor() const { return unsigned(std::max(1, inner(*this).getReplicationFactor())); }
Tensor Graph::addReplicationIndexConstant(const DebugContext& context) {
  const auto name = named(*this, context, "replicationIndex");
  return asPoplar([&] { return constantOf(*this, inner(*this).addReplicationIndexConstant(name.name, name.context)); });
}
Graph Graph::getTopLevelGraph() const { return Graph(insideOf(inner(*this).getTopLevelGraph(), in(*this).shared)); }

Graph Graph::createVirtualGraph(unsigned tilesPerIpu) {
  return asPoplarOr<invalid_tile_mapping>(
      [&] { return Graph(insideOf(inner(*this).createVirtualGraph(int64_t(tilesPerIpu)), in(*this).shared)); });
}
Graph Graph::createVirtualGraph(unsigned lowerTile, unsigned upperTile) {
  return asPoplarOr<invalid_tile_mapping>(
      [&] { return Graph(insideOf(inner(*this).createVirtualGraph(int64_t(lowerTile), int64_t(upperTile)), in(*this).shared)); });
}
Graph Graph::createVirtualGraph(const std::vector<unsigned>& perIpuTiles) {
  return asPoplarOr<invalid_tile_mapping>([&] {
    const std::vector<int64_t> tiles(perIpuTiles.begin(), perIpuTiles.end());
    return Graph(insideOf(inner(*this).createVirtualGraph(tiles), in(*this).shared));
  });
}
Graph Graph::createReplicatedGraph(unsigned replicas) {
  throw graph_replication_error("createReplicatedGraph(" + std::to_string(replicas) +
                                ") is not simulated: give the replicas to the constructor of the Graph");
}
unsigned Graph::convertVirtualTileToPhysicalTile(unsigned tile) const {
  if (int64_t(tile) >= inner(*this).tiles()) throw invalid_tile_mapping("the graph has no tile " + std::to_string(tile));
  return unsigned(inner(*this).topLevelTile(int64_t(tile)).value());
}
unsigned Graph::convertPhysicalTileToVirtualTile(unsigned ipu, unsigned tileOnIpu) const {
  return convertPhysicalTileToVirtualTile(ipu * unsigned(inner(*this).machine().tilesPerIpu) + tileOnIpu);
}
unsigned Graph::convertPhysicalTileToVirtualTile(unsigned tile) const {
  for (int64_t t = 0; t < inner(*this).tiles(); ++t)
    if (inner(*this).topLevelTile(t).value() == tile) return unsigned(t);
  throw invalid_tile_mapping("tile " + std::to_string(tile) + " of the machine does not belong to this virtual graph");
}

// ---- variables --------------------------------------------------------------------------------------------------------

Tensor Graph::addVariable(const Type& type, ArrayRef<std::size_t> shape, VariableMappingMethod method,
                          const DebugContext& context) {
  const auto name = named(*this, context, "variable");
  return asPoplarOr<tensor_creation_failed>([&] {
    const auto how =
        method == VariableMappingMethod::LINEAR ? graph::VariableMappingMethod::Linear : graph::VariableMappingMethod::None;
    return outer(inner(*this).addVariable(inner(type), innerShape(shape), how, name.name, name.context));
  });
}
Tensor Graph::addVariable(const Type& type, ArrayRef<std::size_t> shape, const DebugContext& context) {
  return addVariable(type, shape, VariableMappingMethod::NONE, context);
}

Tensor Graph::addConstantOf(const Type& type, ArrayRef<std::size_t> shape, const std::vector<core::Number>& values,
                            const DebugContext& context) {
  const std::size_t elements = elementsOf(shape);
  if (values.size() != 1 && values.size() != elements)
    throw tensor_creation_failed("constant '" + context.getPathName() + "' got " + std::to_string(values.size()) +
                                 " values for " + std::to_string(elements) + " elements");
  const auto name = named(*this, context, "constant");
  return asPoplarOr<tensor_creation_failed>([&] {
    return constantOf(
        *this, inner(*this).addConstant(core::hostTensor(inner(type), innerShape(shape), values), name.name, name.context));
  });
}
Tensor Graph::addConstant(const Type& type, ArrayRef<std::size_t> shape, const void* values, const TypeTraits& traits,
                          bool broadcast, const DebugContext& context) {
  const std::size_t count = broadcast ? 1 : elementsOf(shape);
  if (traits.isFloat && traits.size == 2) {
    std::vector<float> floats(count);
    simcore::run::copyDeviceHalfToFloat(values, floats.data(), count);
    return addConstantOf(type, shape, core::numbers(floats.data(), count), context);
  }
  const auto of = [&](auto example) {
    std::vector<decltype(example)> copy(count);
    std::memcpy(copy.data(), values, count * sizeof(example));
    return addConstantOf(type, shape, core::numbers(copy.data(), count), context);
  };
  switch (traits.isSimple ? traits.size : 0) {
  case 1: return traits.isSigned ? of(std::int8_t()) : of(std::uint8_t());
  case 2: return traits.isSigned ? of(std::int16_t()) : of(std::uint16_t());
  case 4: return traits.isFloat ? of(float()) : traits.isSigned ? of(std::int32_t()) : of(std::uint32_t());
  case 8: return traits.isFloat ? of(double()) : traits.isSigned ? of(std::int64_t()) : of(std::uint64_t());
  default: throw tensor_creation_failed("constant '" + context.getPathName() + "': the values are not numbers");
  }
}
Tensor Graph::addConstantHalf(const Type& type, ArrayRef<std::size_t> shape, std::uint16_t value, const DebugContext& context) {
  float number = 0;
  simcore::run::copyDeviceHalfToFloat(&value, &number, 1);
  return addConstantOf(type, shape, {core::Number(number)}, context);
}
Tensor Graph::addConstantHalf(const Type& type, ArrayRef<std::size_t> shape, const std::uint16_t* values,
                              const DebugContext& context) {
  std::vector<float> floats(elementsOf(shape));
  simcore::run::copyDeviceHalfToFloat(values, floats.data(), floats.size());
  return addConstantOf(type, shape, core::numbers(floats.data(), floats.size()), context);
}

namespace {
void ignoreAliases(const Tensor& tensor, TensorCloneMethod method) {
  if (method == TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES ||
      method == TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES)
    simcore::poplar::ignoreArgument(tensor.containsAliases(), "Graph::clone", "method (aliased elements become separate)");
}
} // namespace
Tensor Graph::clone(const Type& type, const Tensor& tensor, const DebugContext& context, TensorCloneMethod method) {
  ignoreAliases(tensor, method);
  const auto name = named(*this, context, "clone");
  return asPoplarOr<tensor_creation_failed>(
      [&] { return outer(inner(*this).clone(inner(type), inner(tensor), name.name, name.context)); });
}
Tensor Graph::cloneN(const Type& type, const Tensor& tensor, std::size_t n, const DebugContext& context,
                     TensorCloneMethod method) {
  ignoreAliases(tensor, method);
  const auto name = named(*this, context, "clone");
  return asPoplarOr<tensor_creation_failed>(
      [&] { return outer(inner(*this).cloneN(inner(type), inner(tensor), int64_t(n), name.name, name.context)); });
}

void Graph::setTensorValues(const Tensor& tensor, const std::vector<core::Number>& values) {
  asPoplar([&] {
    const graph::Tensor& t = inner(tensor);
    if (!t.valid()) throw poplar_error("setInitialValue: the tensor was declared without a value");
    if (values.size() != 1 && int64_t(values.size()) != t.numElements())
      throw poplar_error("tensor " + t.getDebugStr() + " has " + std::to_string(t.numElements()) + " elements, not " +
                         std::to_string(values.size()));
    inner(*this).setInitialValue(t, core::hostTensor(t.elementType(), t.shape(), values));
  });
}
void Graph::setInitialValueHalf(const Tensor& tensor, ArrayRef<std::uint16_t> values) {
  std::vector<float> floats(values.size());
  simcore::run::copyDeviceHalfToFloat(values.data(), floats.data(), floats.size());
  setTensorValues(tensor, core::numbers(floats.data(), floats.size()));
}

// ---- tile mappings ----------------------------------------------------------------------------------------------------

void Graph::setTileMapping(const Tensor& tensor, unsigned tile) {
  asPoplarOr<invalid_tile_mapping>([&] { inner(*this).setTileMapping(inner(tensor), reports::TileId(std::size_t(tile))); });
}
void Graph::setTileMapping(const Tensor& tensor, const TileToTensorMapping& mapping) {
  asPoplarOr<invalid_tile_mapping>([&] {
    std::vector<std::vector<graph::Interval>> byTile(mapping.size());
    for (std::size_t t = 0; t < mapping.size(); ++t)
      for (const Interval& i : mapping[t]) byTile[t].push_back({int64_t(i.begin()), int64_t(i.end())});
    while (!byTile.empty() && byTile.back().empty()) byTile.pop_back();
    inner(*this).setTileMapping(inner(tensor), byTile);
  });
}

namespace {
// The intervals of a tensor by tile, and whether every element is on a tile.
std::pair<TileToTensorMapping, bool> mappingOf(const Graph& graph, const Tensor& tensor) {
  return asPoplarOr<invalid_tile_mapping>([&] {
    TileToTensorMapping mapping;
    std::size_t mapped = 0;
    for (const auto& list : inner(graph).getTileMapping(inner(tensor))) {
      mapping.emplace_back();
      for (const auto& i : list) {
        mapping.back().emplace_back(std::size_t(i.begin), std::size_t(i.end));
        mapped += std::size_t(i.size());
      }
    }
    return std::make_pair(std::move(mapping), mapped == tensor.numElements());
  });
}
} // namespace

TileToTensorMapping Graph::getTileMapping(const Tensor& tensor, bool requireComplete) const {
  auto [mapping, isComplete] = mappingOf(*this, tensor);
  if (requireComplete && !isComplete)
    throw invalid_tile_mapping("tensor " + tensor.getDebugStr() +
                               " has elements that are on no tile: set them with setTileMapping");
  return std::move(mapping);
}
TileToTensorMapping Graph::getTileMapping(const Tensor& tensor, bool* isComplete) const {
  auto [mapping, complete] = mappingOf(*this, tensor);
  if (isComplete) *isComplete = complete;
  return std::move(mapping);
}

bool Graph::isConstant(const VariableRef& variable) const {
  return asPoplar([&] {
    return inner(*this).variable(reports::VariableId(std::size_t(variable.id()))).category == reports::MemoryCategory::Constant;
  });
}

std::vector<std::vector<Interval>> Graph::getSortedContiguousRegions(const Tensor& tensor, ArrayRef<Interval> regions,
                                                                     bool removeAliases,
                                                                     std::vector<std::size_t>* aliases) const {
  if ((removeAliases || aliases) && tensor.containsAliases())
    throw poplar_error("Graph::getSortedContiguousRegions: the tensor has repeated elements, which are not removed here: give it "
                       "without its repeated parts");
  return asPoplar([&] {
    std::vector<std::vector<Interval>> lists;
    const Tensor flat = tensor.flatten();
    for (const Interval& region : regions) {
      std::size_t at = region.begin();
      for (const auto& r : inner(flat.slice(region)).contiguousRegions()) {
        lists.push_back({Interval(at, at + std::size_t(r.size()))});
        at += std::size_t(r.size());
      }
    }
    return lists;
  });
}
Tensor Graph::findUnbroadcastTensor(const Tensor& tensor) const { return tensor; }

// ---- plots ------------------------------------------------------------------------------------------------------------

void Graph::outputComputeGraph(std::ostream& out, ArrayRef<program::Program> programs) const {
  asPoplar([&] {
    std::vector<graph::Program> all;
    for (const auto& p : programs)
      if (graph::Program node = inner(p)) all.push_back(std::move(node));
    inner(*this).outputComputeGraph(out, all);
  });
}
void Graph::outputVertexGraph(std::ostream& out, ArrayRef<program::Program>) const {
  asPoplar([&] { inner(*this).outputVertexGraph(out); });
}
void Graph::serialize(std::ostream& out, SerializationFormat) const {
  out << "tilescope: a Graph is written as Graphviz text\n";
  outputComputeGraph(out);
}
void Graph::serialize(std::ostream& out, ArrayRef<program::Program> programs, SerializationFormat) const {
  out << "tilescope: a Graph is written as Graphviz text\n";
  outputComputeGraph(out, programs);
}
void Graph::serializeTensors(std::ostream& out, ArrayRef<Tensor> tensors, SerializationFormat) const {
  for (const Tensor& tensor : tensors) tensor.dump(out);
}

std::vector<Tensor> Graph::deserializeTensors(std::istream&, SerializationFormat) {
  throw poplar_error("Graph::deserializeTensors is not supported: make the tensors with addVariable, as the program that wrote "
                     "the file did");
}

Tensor createConstantMetadataTensor(Graph&, QuarterMetadata::Format, int, const DebugContext&) {
  throw poplar_error("createConstantMetadataTensor is not supported: QUARTER tensors are F143 with scale 0");
}
Tensor createVariableMetadataTensor(Graph&, QuarterMetadata::Format, int, const DebugContext&) {
  throw poplar_error("createVariableMetadataTensor is not supported: QUARTER tensors are F143 with scale 0");
}

std::string versionString() { return "3.3.0 (Tilescope " TILESCOPE_VERSION ")"; }
std::string packageHash() { return "tilescope-" TILESCOPE_VERSION; }

} // namespace poplar
