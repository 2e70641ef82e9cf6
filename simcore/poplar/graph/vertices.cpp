// Compute sets, vertices, and the connections of their fields.
#include "poplar/Graph.hpp"

#include "simcore/native/vertex_class.h"
#include "simcore/poplar/graph/handles.h"
#include "simcore/poplar/graph/numbers.h"
#include "simcore/poplar/inner.h"
#include "simcore/poplar/libs/vertices.h"

#include <algorithm>
#include <limits>

namespace poplar {

namespace graph = simcore::graph;
using simcore::numerics::ElementType;
using simcore::poplar::asPoplar;
using simcore::poplar::asPoplarOr;
using simcore::poplar::inner;
using simcore::poplar::named;
using simcore::poplar::outer;

namespace {

using Codelet = graph::Codelet;

reports::ComputeSetId idOf(const ComputeSet& set) {
  if (set.getId() == ~0u) throw poplar_error("the ComputeSet was declared without a value: use addComputeSet");
  return reports::ComputeSetId(std::size_t(set.getId()));
}
graph::VertexRef innerVertex(const VertexRef& vertex) { return {idOf(vertex.getComputeSet()), vertex.getId()}; }
graph::FieldRef innerField(const FieldRef& field) {
  return {innerVertex(field.getVertex()), field.getName(), field.isIndexed() ? int64_t(field.getIndex()) : -1};
}
const Codelet& codeletOf(const graph::Graph& g, const FieldRef& field) {
  const auto ref = innerVertex(field.getVertex());
  const auto& vertices = g.computeSet(ref.computeSet).vertices;
  if (ref.index >= vertices.size()) throw poplar_error("the compute set has no such vertex");
  return g.codeletOf(vertices[ref.index]);
}
const graph::CodeletField* edgeField(const Codelet& codelet, const std::string& name) {
  for (const auto& f : codelet.fields)
    if (f.name == name) return &f;
  return nullptr;
}
bool hasMember(const Codelet& codelet, const std::string& name) {
  return std::any_of(codelet.state.begin(), codelet.state.end(), [&](const auto& s) { return s.name == name; });
}
const graph::CodeletField& requireEdge(const Codelet& codelet, const std::string& name) {
  const auto* field = edgeField(codelet, name);
  if (!field)
    throw unknown_field("vertex class " + codelet.name + " has no field '" + name + "'" +
                        (hasMember(codelet, name) ? " to connect: it is a plain member, use setInitialValue" : ""));
  return *field;
}
void requireType(const Codelet& codelet, const graph::CodeletField& field, const Tensor& tensor) {
  if (!tensor.valid())
    throw graph_connection_error("field " + codelet.name + "." + field.name +
                                 " is connected to a tensor that was declared without a value");
  const ElementType type = inner(tensor).elementType();
  if (field.type && *field.type != type)
    throw type_error("field " + codelet.name + "." + field.name + " takes " + outer(*field.type).toString() + ", tensor " +
                     tensor.getDebugStr() + " is " + tensor.elementType().toString());
}

// Connects a field to its own variable, for a field that the program gave values instead of a tensor. The variable is on the
// vertex's tile, also if the tile is set later.
void connectOwn(graph::Graph& g, const FieldRef& field, const graph::Tensor& own) {
  const auto ref = innerVertex(field.getVertex());
  const reports::TileId tile = g.computeSet(ref.computeSet).vertices[ref.index].tile;
  g.variable(own.wholeVariable()).followsVertex = true;
  g.connect(innerField(field), own);
  if (tile.valid()) g.getTopLevelGraph().setTileMapping(own, tile);
}

} // namespace

ComputeSet Graph::addComputeSet(const DebugContext& context) {
  const auto name = named(*this, context, "computeSet");
  return ComputeSet(unsigned(inner(*this).addComputeSet(name.name, name.context).value()));
}

VertexRef Graph::addVertex(ComputeSet computeSet, StringRef vertexType, ArrayRef<ConnectionDesc> connections) {
  return asPoplar([&] {
    graph::Graph& g = inner(*this);
    const auto set = idOf(computeSet);
    const auto& types = g.codelets();
    std::string name = vertexType;
    const auto isKnown = [&](const std::string& n) {
      return std::any_of(types.begin(), types.end(), [&](const Codelet& c) { return c.name == n; });
    };
    if (name.find_first_of(" :<") != std::string::npos && !isKnown(name)) name = simcore::native::plainTypeName(name);
    if (!isKnown(name))
      if (auto codelet = simcore::poplar::codeletOfLibrary(g.machine().tile, name)) g.addCodelet(std::move(*codelet));
    graph::VertexRef made;
    try {
      made = g.addVertex(set, name);
    } catch (const reports::Error& error) {
      if (error.code() != reports::ErrorCode::NotFound) throw;
      throw unknown_vertex_type("no codelet is called '" + vertexType.cloneAsString() + "' (compute set " + g.fullName(set) +
                                "): add its file with addCodelets. A class needs a function compute(), a template a line like "
                                "'template class V<float>;'");
    }
    const VertexRef vertex(computeSet.getId(), made.index);
    for (const ConnectionDesc& c : connections) {
      if (c.isNumber)
        connectNumbers(vertex[c.field], {c.value}, false);
      else if (c.isList)
        connect(vertex[c.field], ArrayRef<Tensor>(c.tensors));
      else
        connect(vertex[c.field], c.tensors[0]);
    }
    return vertex;
  });
}

void Graph::connect(FieldRef field, const Tensor& tensor) {
  asPoplarOr<graph_connection_error>([&] {
    graph::Graph& g = inner(*this);
    const Codelet& codelet = codeletOf(g, field);
    const auto& f = requireEdge(codelet, field.getName());
    requireType(codelet, f, tensor);
    const graph::Tensor& t = inner(tensor);
    // A list of vectors without a matrix: a vector becomes one-element vectors; any other tensor becomes rows, one per index of
    // dimension 0.
    if (!field.isIndexed() && f.shape == graph::FieldShape::VectorList && t.rank() != 2) {
      if (t.rank() == 1) return g.connect(innerField(field), t.reshape({t.numElements(), 1}));
      return g.connect(innerField(field), t.flatten(1, t.rank()));
    }
    if (field.isIndexed() && f.shape == graph::FieldShape::Vector)
      throw graph_connection_error("field " + codelet.name + "." + f.name + " is one vector: connect it as a whole");
    g.connect(innerField(field), t);
  });
}

void Graph::connect(FieldRef field, ArrayRef<Tensor> list) {
  asPoplarOr<graph_connection_error>([&] {
    graph::Graph& g = inner(*this);
    const Codelet& codelet = codeletOf(g, field);
    const auto& f = requireEdge(codelet, field.getName());
    for (const Tensor& tensor : list) requireType(codelet, f, tensor);
    if (f.shape == graph::FieldShape::VectorList) {
      std::vector<graph::Tensor> flat;
      for (const Tensor& tensor : list) flat.push_back(inner(tensor).flatten());
      return g.connect(innerField(field), flat);
    }
    std::vector<Tensor> flat;
    for (const Tensor& tensor : list) flat.push_back(tensor.flatten());
    g.connect(innerField(field), inner(concat(ArrayRef<Tensor>(flat))));
  });
}

void Graph::connectNumbers(const FieldRef& field, const std::vector<core::Number>& values, bool isList) {
  asPoplarOr<graph_connection_error>([&] {
    graph::Graph& g = inner(*this);
    const Codelet& codelet = codeletOf(g, field);
    const auto& f = requireEdge(codelet, field.getName());
    const ElementType type = f.type.value_or(ElementType::Float);
    connectOwn(g, field,
               g.addConstant(core::hostTensor(type, {isList ? int64_t(values.size()) : 1}, values), codelet.name + "." + f.name));
  });
}

void Graph::setFieldSize(FieldRef field, std::size_t size) {
  asPoplarOr<no_size_specified>([&] {
    graph::Graph& g = inner(*this);
    const Codelet& codelet = codeletOf(g, field);
    if (requireEdge(codelet, field.getName()).shape == graph::FieldShape::VectorList)
      g.setFieldSize(innerField(field), int64_t(size));
  });
}
std::size_t Graph::getFieldSize(FieldRef field) const {
  return asPoplar([&] {
    const graph::Graph& g = inner(*this);
    const auto ref = innerVertex(field.getVertex());
    const auto& vertex = g.computeSet(ref.computeSet).vertices.at(ref.index);
    const Codelet& codelet = codeletOf(g, field);
    const auto& f = requireEdge(codelet, field.getName());
    const auto index = std::size_t(&f - codelet.fields.data());
    std::size_t vectors = 0, elements = 0;
    for (const auto& [i, view] : vertex.edges)
      if (i == index) ++vectors, elements += view.valid() ? std::size_t(view.numElements()) : 0;
    return f.shape == graph::FieldShape::VectorList && !field.isIndexed() ? vectors : elements;
  });
}

void Graph::setFieldValues(const FieldRef& field, const std::vector<core::Number>& values, bool isList) {
  asPoplarOr<graph_connection_error>([&] {
    graph::Graph& g = inner(*this);
    const Codelet& codelet = codeletOf(g, field);
    if (!hasMember(codelet, field.getName())) {
      // An edge field that keeps its value between runs.
      const auto& f = requireEdge(codelet, field.getName());
      const ElementType type = f.type.value_or(ElementType::Float);
      if (f.direction == graph::FieldDirection::Input) return connectNumbers(field, values, isList);
      const graph::Tensor own = g.addVariable(type, {int64_t(values.size())}, codelet.name + "." + f.name);
      g.setInitialValue(own, core::hostTensor(type, own.shape(), values));
      return connectOwn(g, field, own);
    }
    const auto set = [&](const graph::FieldRef& to, const core::Number& n) {
      if (n.kind == core::Number::Kind::Floating)
        g.setInitialValue(to, n.floating);
      else if (n.kind == core::Number::Kind::Signed)
        g.setInitialValue(to, int64_t(n.whole));
      else
        g.setInitialValue(to, uint64_t(n.whole));
    };
    const graph::FieldRef to = innerField(field);
    if (!isList) return set(to, values.at(0));
    for (std::size_t i = 0; i < values.size(); ++i) set(to[int64_t(i)], values[i]);
  });
}
void Graph::setInitialValueHalf(FieldRef field, std::uint16_t value) {
  float number = 0;
  simcore::run::copyDeviceHalfToFloat(&value, &number, 1);
  setFieldValues(field, {core::Number(number)}, false);
}

void Graph::setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> values) {
  std::vector<float> floats(values.size());
  simcore::run::copyDeviceHalfToFloat(values.data(), floats.data(), floats.size());
  setFieldValues(field, core::numbers(floats.data(), floats.size()), true);
}

void Graph::setTileMapping(VertexRef vertex, unsigned tile) {
  asPoplarOr<invalid_tile_mapping>([&] { inner(*this).setTileMapping(innerVertex(vertex), reports::TileId(std::size_t(tile))); });
}
void Graph::setPerfEstimate(VertexRef vertex, std::uint64_t cycles, std::uint64_t flops) {
  asPoplar([&] {
    if (flops)
      inner(*this).setPerfEstimate(innerVertex(vertex), int64_t(cycles), int64_t(flops));
    else
      inner(*this).setPerfEstimate(innerVertex(vertex), int64_t(cycles));
  });
}

VertexPerfEstimate Graph::getPerfEstimate(const VertexRef& vertex) const {
  const graph::VertexRef ref = innerVertex(vertex);
  const auto& set = inner(*this).computeSet(ref.computeSet);
  if (ref.index >= set.vertices.size()) throw poplar_error("the compute set has no such vertex");
  const graph::UserVertex& v = set.vertices[ref.index];
  if (v.cycles < 0) throw missing_cycle_estimate("vertex " + std::to_string(ref.index) + " of " + set.name + " has no estimate");
  const auto flops = set.flops.find(uint32_t(ref.index));
  return {std::uint64_t(v.cycles), flops == set.flops.end() ? 0 : std::uint64_t(flops->second)};
}
void Graph::registerPerfEstimator(StringRef vertexType, PerfEstimateFunc) {
  simcore::poplar::warnOnce("Graph::registerPerfEstimator: the estimator of " + vertexType.cloneAsString() +
                            " is not called: cycles are counted from the code of the vertex");
}
std::size_t Graph::getNumVertices() const {
  std::size_t count = 0;
  for (const auto& set : inner(*this).computeSets()) count += set.vertices.size();
  return count;
}
namespace {
const Codelet& codeletNamed(const graph::Graph& g, const std::string& name) {
  for (const Codelet& c : g.codelets())
    if (c.name == name || c.name == simcore::native::plainTypeName(name)) return c;
  throw unknown_vertex_type("no codelet is called '" + name + "'");
}
} // namespace
std::size_t Graph::getMaxFieldDim(StringRef vertexType, StringRef field, unsigned) const {
  requireEdge(codeletNamed(inner(*this), vertexType), field);
  simcore::poplar::warnOnce(
      "Graph::getMaxFieldDim gives 2^32 - 1 for every field here: the shorter counts and pointers of the chip's "
      "layouts are not simulated");
  return std::numeric_limits<std::uint32_t>::max();
}
std::size_t Graph::getMaxVertexFieldValue(StringRef vertexType, StringRef field) const {
  const Codelet& codelet = codeletNamed(inner(*this), vertexType);
  for (const auto& member : codelet.state)
    if (member.name == field.cloneAsString()) {
      const Type type = outer(member.type);
      return type.isFloatingPoint() ? std::numeric_limits<std::uint32_t>::max()
                                    : getTarget().getTypeLimitsMaxAs<std::size_t>(type);
    }
  throw unknown_field("vertex class " + codelet.name + " has no member '" + field.cloneAsString() + "'");
}

} // namespace poplar
