// User codelets and their vertices.
#include "simcore/graph/graph.h"

#include "reports/core/error.h"

#include <algorithm>

namespace simcore::graph {

using reports::Error;
using reports::ErrorCode;

int64_t layoutBytes(VectorLayout layout) {
  switch (layout) {
  case VectorLayout::Span:
  case VectorLayout::DeltaN:
  case VectorLayout::DeltaNElements: return 8;
  case VectorLayout::ShortSpan:
  case VectorLayout::OnePtr:
  case VectorLayout::CompactPtr: return 4;
  case VectorLayout::ScaledPtr32:
  case VectorLayout::ScaledPtr64:
  case VectorLayout::ScaledPtr128: return 2;
  }
  return 8;
}

int64_t listEntryBytes(VectorLayout layout) {
  // An entry of a delta-n list is an offset and a length in one word; other lists have one pointer per vector.
  return layout == VectorLayout::DeltaN || layout == VectorLayout::DeltaNElements ? 4 : layoutBytes(layout);
}

namespace {
std::size_t indexOf(const Codelet& codelet, const std::string& field) {
  const auto it = std::find_if(codelet.fields.begin(), codelet.fields.end(), [&](const auto& f) { return f.name == field; });
  return std::size_t(it - codelet.fields.begin());
}
} // namespace

std::vector<std::pair<uint16_t, uint16_t>> separatedFields(const Codelet& codelet) {
  std::vector<std::pair<uint16_t, uint16_t>> pairs;
  for (const std::string& given : codelet.constraints) {
    std::string text = given;
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    const auto middle = text.find(")!=elem(*");
    if (text.rfind("elem(*", 0) != 0 || middle == std::string::npos || text.back() != ')')
      throw Error(ErrorCode::InvalidInput, "'" + given + "' is not a constraint", codelet.name, "write elem(*a)!=elem(*b)");
    const std::string names[] = {text.substr(6, middle - 6), text.substr(middle + 9, text.size() - middle - 10)};
    std::size_t fields[2];
    for (int i = 0; i < 2; ++i) {
      fields[i] = indexOf(codelet, names[i]);
      if (fields[i] == codelet.fields.size())
        throw Error(ErrorCode::InvalidInput, "constraint '" + given + "' names '" + names[i] + "', which is not a field",
                    codelet.name);
    }
    pairs.emplace_back(uint16_t(fields[0]), uint16_t(fields[1]));
  }
  return pairs;
}

namespace {
// Throws unless compiled code has the same fields and members as the codelet.
void requireFitting(const Codelet& codelet) {
  if (!codelet.native) return;
  const NativeBody& native = *codelet.native;
  if (!native.compute) throw Error(ErrorCode::InvalidInput, "the compiled code of the codelet has no function", codelet.name);
  if (native.counted && !native.counters)
    throw Error(ErrorCode::InvalidInput, "the compiled code of the codelet counts cycles, but has no counters", codelet.name);
  const auto requirePlaces = [&](const char* what, std::size_t places, std::size_t needed) {
    if (places != needed)
      throw Error(ErrorCode::InvalidInput,
                  "the compiled code of the codelet has places for " + std::to_string(places) + " " + what + " instead of " +
                      std::to_string(needed),
                  codelet.name, "give it a place for each field and each member");
  };
  requirePlaces("fields", native.fields.size(), codelet.fields.size());
  requirePlaces("members", native.state.size(), codelet.state.size());
  if (codelet.compute)
    throw Error(ErrorCode::InvalidInput, "the codelet has both a compute function and compiled code", codelet.name);
}
} // namespace

uint32_t Graph::addCodelet(Codelet codelet) {
  separatedFields(codelet); // throws if a constraint is invalid
  VertexType type;
  type.name = codelet.name;
  type.kind = codelet.kind;
  type.codeBytes = codelet.codeBytes;
  type.edges = int(codelet.fields.size());
  for (const CodeletField& f : codelet.fields) {
    if (&codelet.fields[indexOf(codelet, f.name)] != &f)
      throw Error(ErrorCode::InvalidInput, "the codelet has two fields '" + f.name + "'", codelet.name);
    if (f.minAlign < 0 || (f.minAlign & (f.minAlign - 1)))
      throw Error(ErrorCode::InvalidInput, "an alignment of " + std::to_string(f.minAlign) + " bytes is not a power of two",
                  codelet.name + "." + f.name);
    type.edgePointerBytes += f.shape == FieldShape::Scalar ? 4 : layoutBytes(f.layout);
  }
  if (codelet.native && codelet.state.empty())
    for (const auto& s : codelet.native->state) codelet.state.emplace_back(s.name, s.type, s.count);
  requireFitting(codelet);
  type.stateBytes = type.edgePointerBytes;
  for (const StateField& s : codelet.state) {
    const auto size = int64_t(numerics::deviceSize(s.type));
    type.stateBytes = reports::roundUp(type.stateBytes, size) + s.count * size;
  }
  type.stateBytes = reports::roundUp(type.stateBytes, 4);
  Contents& c = edit();
  type.codelet = int(c.codelets.size());
  if (const auto old = c.vertexTypeByName.find(type.name); old != c.vertexTypeByName.end())
    throw Error(ErrorCode::InvalidInput, "the graph has a codelet of this name already", type.name);
  c.codelets.push_back(std::move(codelet));
  return vertexType(type);
}

void Graph::replaceBody(const std::string& name, std::shared_ptr<const NativeBody> native) {
  std::vector<Codelet>& codelets = edit().codelets;
  const auto it = std::find_if(codelets.begin(), codelets.end(), [&](const Codelet& codelet) { return codelet.name == name; });
  if (it == codelets.end())
    throw Error(ErrorCode::NotFound, "no codelet is called '" + name + "'", name, "add it with addCodelet first");
  Codelet changed = *it;
  changed.native = std::move(native);
  requireFitting(changed);
  *it = std::move(changed);
}

std::string Graph::fieldName(VertexRef ref, const std::string& field) const {
  return codeletOf(vertex(ref)).name + "." + field + ", vertex " + std::to_string(ref.index) + " of compute set " +
         fullName(ref.computeSet);
}

uint16_t Graph::fieldIndex(const UserVertex& v, const std::string& field) const {
  const Codelet& c = codeletOf(v);
  const std::size_t i = indexOf(c, field);
  if (i == c.fields.size()) throw Error(ErrorCode::InvalidInput, "codelet has no field '" + field + "'", c.name);
  return uint16_t(i);
}

VertexRef Graph::addVertex(ComputeSetId id, const std::string& codelet,
                           const std::vector<std::pair<std::string, Tensor>>& edges) {
  const auto& types = now().vertexTypeByName;
  const auto it = types.find(codelet);
  if (it == types.end() || now().vertexTypes[it->second].codelet < 0)
    throw Error(ErrorCode::NotFound, "no codelet is called '" + codelet + "'", "compute set " + fullName(id),
                "add it with addCodelet first");
  const uint32_t type = it->second;
  auto& vertices = computeSet(id).vertices;
  vertices.push_back({});
  vertices.back().type = type;
  const VertexRef ref{id, uint32_t(vertices.size() - 1)};
  try {
    for (const auto& [field, tensor] : edges) connect(ref, field, tensor);
  } catch (...) { // the vertex is incomplete
    computeSet(id).vertices.pop_back();
    throw;
  }
  return ref;
}

void Graph::requireFits(VertexRef ref, uint16_t index, const Tensor& tensor) const {
  const CodeletField& f = codeletOf(vertex(ref)).fields[index];
  const auto refuse = [&](const std::string& what, const std::string& advice) {
    throw Error(ErrorCode::InvalidInput, "field '" + f.name + "' " + what, fieldName(ref, f.name), advice);
  };
  if (!tensor.valid()) refuse("is connected to no tensor", "the tensor was declared without a value: use addVariable or a view");
  requireOwn(tensor);
  if (f.type && *f.type != tensor.elementType())
    refuse(std::string("takes ") + numerics::elementTypeName(*f.type) + ", tensor " + tensor.getDebugStr() + " is " +
               numerics::elementTypeName(tensor.elementType()),
           "cast the tensor, or use the codelet for this type");
  if (f.shape == FieldShape::Scalar && tensor.numElements() != 1)
    refuse("is one value, tensor " + tensor.getDebugStr() + " has " + std::to_string(tensor.numElements()) + " elements",
           "connect one element, e.g. tensor[0]");
  if (f.size > 0 && tensor.numElements() != f.size)
    refuse("takes " + std::to_string(f.size) + " elements, tensor " + tensor.getDebugStr() + " has " +
               std::to_string(tensor.numElements()),
           "the codelet fixes the size of this field");
}

namespace {
// The edge for a connection to this field, or to one of its vectors; null: it must be added. Names are built only for errors,
// because ten million vertices are connected one by one.
EdgeView* freeEdgeOf(UserVertex& v, const Codelet& codelet, uint16_t index, int64_t element) {
  auto first = std::find_if(v.edges.begin(), v.edges.end(), [&](const auto& e) { return e.first == index; });
  const std::string& field = codelet.fields[index].name;
  if (element >= 0) {
    const auto last = std::find_if(first, v.edges.end(), [&](const auto& e) { return e.first != index; });
    if (element >= last - first)
      throw Error(ErrorCode::InvalidInput,
                  "field '" + field + "' has " + std::to_string(last - first) + " vectors, so vector " + std::to_string(element) +
                      " does not exist",
                  codelet.name, "set its size with setFieldSize first");
    first += element;
  }
  if (first == v.edges.end()) return nullptr;
  if (element < 0 || first->second.valid())
    throw Error(ErrorCode::InvalidInput,
                "field '" + field + (element < 0 ? "" : "[" + std::to_string(element) + "]") + "' is connected already",
                codelet.name);
  return &first->second;
}

void fill(UserVertex& v, const Codelet& codelet, uint16_t index, int64_t element, const Tensor& tensor) {
  if (EdgeView* edge = freeEdgeOf(v, codelet, index, element))
    *edge = tensor;
  else
    v.edges.emplace_back(index, tensor);
}
} // namespace

EdgeView* Graph::freeEdge(const FieldRef& field) {
  UserVertex& v = vertex(field.vertex);
  return freeEdgeOf(v, codeletOf(v), fieldIndex(v, field.field), field.element);
}

void Graph::attach(const FieldRef& field, const Tensor& tensor) {
  UserVertex& v = vertex(field.vertex);
  const uint16_t index = fieldIndex(v, field.field);
  requireFits(field.vertex, index, tensor);
  fill(v, codeletOf(v), index, field.element, tensor);
}

void Graph::connect(VertexRef ref, const std::string& field, const Tensor& tensor) {
  UserVertex& v = vertex(ref);
  const uint16_t index = fieldIndex(v, field);
  const Codelet& c = codeletOf(v);
  if (c.fields[index].shape == FieldShape::VectorList) { // the rows of a matrix
    if (!tensor.valid() || tensor.rank() != 2)
      throw Error(ErrorCode::InvalidInput,
                  "field '" + field + "' is a list of vectors: connect a tensor of two dimensions or a list", c.name);
    std::vector<Tensor> rows;
    for (int64_t i = 0; i < tensor.dim(0); ++i) rows.push_back(tensor[i]);
    return connect(ref, field, rows);
  }
  requireFits(ref, index, tensor);
  fill(v, c, index, -1, tensor);
}

void Graph::connect(VertexRef ref, const std::string& field, const std::vector<Tensor>& list) {
  setFieldSize({ref, field}, int64_t(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) connect({ref, field, int64_t(i)}, list[i]);
}

void Graph::setFieldSize(const FieldRef& field, int64_t vectors) {
  UserVertex& v = vertex(field.vertex);
  const uint16_t index = fieldIndex(v, field.field);
  const Codelet& c = codeletOf(v);
  if (c.fields[index].shape != FieldShape::VectorList)
    throw Error(ErrorCode::InvalidInput, "field '" + field.field + "' is not a list of vectors", c.name);
  if (vectors < 0 || std::any_of(v.edges.begin(), v.edges.end(), [&](const auto& e) { return e.first == index; }))
    throw Error(ErrorCode::InvalidInput, "the size of field '" + field.field + "' can be set once, before it is connected",
                c.name);
  v.edges.insert(v.edges.end(), std::size_t(vectors), {index, EdgeView()});
}

void Graph::connect(const FieldRef& field, const Tensor& tensor) {
  if (field.element < 0) return connect(field.vertex, field.field, tensor);
  attach(field, tensor);
}

void Graph::connect(const FieldRef& field, double value) {
  freeEdge(field); // throws here, before a constant would be added and stay unused
  const UserVertex& v = vertex(field.vertex);
  const Codelet& c = codeletOf(v);
  const auto type = c.fields[fieldIndex(v, field.field)].type.value_or(ElementType::Float);
  const TileId tile = v.tile;
  const Tensor constant = addConstant(numerics::HostTensor::full(type, {1}, value), c.name + "." + field.field);
  edit().variables[constant.wholeVariable().value()].followsVertex = true;
  connect(field, constant);
  if (tile.valid()) getTopLevelGraph().setTileMapping(constant, tile);
}

uint16_t Graph::stateIndex(const FieldRef& field) const {
  const Codelet& c = codeletOf(vertex(field.vertex));
  const auto it = std::find_if(c.state.begin(), c.state.end(), [&](const StateField& s) { return s.name == field.field; });
  if (it == c.state.end()) throw Error(ErrorCode::InvalidInput, "codelet has no state field '" + field.field + "'", c.name);
  return uint16_t(it - c.state.begin());
}

void Graph::requireLength(const FieldRef& field, int64_t values) const {
  const Codelet& c = codeletOf(vertex(field.vertex));
  const StateField& s = c.state[stateIndex(field)];
  if (s.count != values)
    throw Error(ErrorCode::InvalidInput,
                "state field '" + s.name + "' has " + std::to_string(s.count) + " elements, not " + std::to_string(values),
                c.name);
}

namespace {
// Throws for a whole number that needs more bits than the type has. Unsigned types accept negative numbers with the same bits.
void requireFit(const Codelet& codelet, uint16_t index, const decltype(StateValue::value)& value) {
  const StateField& s = codelet.state[index];
  const auto bits = 8 * int64_t(numerics::hostSize(s.type));
  if (numerics::isFloating(s.type) || s.type == ElementType::Bool || bits >= 64) return;
  const int64_t limit = int64_t(1) << bits;
  const auto* const whole = std::get_if<int64_t>(&value);
  const auto* const natural = std::get_if<uint64_t>(&value);
  const bool fits = !(whole && (*whole >= limit || *whole < -limit / 2)) && !(natural && *natural >= uint64_t(limit));
  if (!fits)
    throw Error(ErrorCode::InvalidInput,
                "the value " + (whole ? std::to_string(*whole) : std::to_string(*natural)) + " does not fit into '" + s.name +
                    "' of type " + numerics::elementTypeName(s.type),
                codelet.name);
}
} // namespace

void Graph::setState(const FieldRef& field, decltype(StateValue::value) value) {
  const uint16_t index = stateIndex(field);
  requireFit(codeletOf(vertex(field.vertex)), index, value);
  UserVertex& v = vertex(field.vertex);
  const int64_t count = codeletOf(v).state[index].count;
  const int64_t first = std::max<int64_t>(field.element, 0), last = field.element < 0 ? count : field.element + 1;
  if (last > count) requireLength(field, last);
  for (int64_t i = first; i < last; ++i) {
    const auto same = [&](const StateValue& o) { return o.field == index && o.element == uint32_t(i); };
    std::erase_if(v.state, same); // the last value wins
    v.state.push_back({index, uint32_t(i), value});
  }
}

void Graph::setTileMapping(VertexRef ref, TileId tile) {
  if (!hasTile(tile))
    refuseTile(tile, "vertex " + std::to_string(ref.index) + " (" + vertexTypes()[vertex(ref).type].name + ") of compute set " +
                         fullName(ref.computeSet));
  const TileId place = topLevelTile(int64_t(tile.value()));
  vertex(ref).tile = place;
  for (const auto& edge : vertex(ref).edges) {
    const VariableId id = edge.second.valid() ? edge.second.wholeVariable() : VariableId();
    if (!id.valid()) continue;
    const Variable& x = now().variables[id.value()];
    if (x.followsVertex && !x.mapped()) mapRegion({id, 0, x.elements()}, place);
  }
}

void Graph::setPerfEstimate(VertexRef ref, int64_t cycles) {
  if (cycles < 0)
    throw Error(ErrorCode::InvalidInput, "a vertex cannot take " + std::to_string(cycles) + " cycles",
                codeletOf(vertex(ref)).name + ", vertex " + std::to_string(ref.index) + " of compute set " +
                    fullName(ref.computeSet));
  vertex(ref).cycles = cycles;
}

void Graph::setPerfEstimate(VertexRef ref, int64_t cycles, int64_t flops) {
  setPerfEstimate(ref, cycles);
  computeSet(ref.computeSet).flops[ref.index] = flops;
}

int64_t Graph::descriptorBytes(const UserVertex& v) const {
  const Codelet& c = codeletOf(v);
  int64_t bytes = 0;
  for (const auto& edge : v.edges)
    if (c.fields[edge.first].shape == FieldShape::VectorList) bytes += listEntryBytes(c.fields[edge.first].layout);
  return bytes;
}

} // namespace simcore::graph
