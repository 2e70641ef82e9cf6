#include "simcore/prepare/batch.h"

#include "reports/core/error.h"
#include "reports/core/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace simcore::model {

using reports::Error;
using reports::ErrorCode;

namespace {

constexpr const char* kExportAdvice = "export it with a batch of any size (dynamic_axes of torch.onnx.export, dynamic_shapes)";

[[noreturn]] void unclear(const std::string& what) { throw Error(ErrorCode::Unsupported, what, {}, kExportAdvice); }

} // namespace

void bindSymbols(Graph& graph, std::map<std::string, Shape>& shapes) {
  for (auto it = shapes.begin(); it != shapes.end();) {
    const auto& [name, shape] = *it;
    bool isSymbol = false;
    const bool isInput =
        std::any_of(graph.inputs.begin(), graph.inputs.end(), [&](const auto& input) { return input.name == it->first; });
    for (auto& input : graph.inputs) {
      if (isInput || !input.dims) continue;
      for (auto& dim : *input.dims) {
        if (dim.size || dim.symbol != name) continue;
        if (shape.size() != 1)
          throw Error(ErrorCode::InvalidInput, "'" + name + "' is one dimension of '" + input.name + "'",
                      "shape of '" + name + "'", "give it one number: " + name + "=16");
        isSymbol = true;
        dim.size = shape[0];
      }
    }
    it = isSymbol ? shapes.erase(it) : std::next(it);
  }
}

Batch::Batch(Graph& graph, std::int64_t size) : m_to(size) {
  if (size < 1) throw Error(ErrorCode::InvalidInput, "the batch must be at least 1");
  const auto first =
      std::find_if(graph.inputs.begin(), graph.inputs.end(), [](const auto& i) { return i.dims && !i.dims->empty(); });
  if (first == graph.inputs.end()) throw Error(ErrorCode::InvalidInput, "no input has a dimension that could be the batch");
  const Dimension old = (*first->dims)[0];
  if (old.size) m_from = *old.size;
  for (auto& input : graph.inputs) {
    if (!input.dims || input.dims->empty()) continue;
    Dimension& dim = (*input.dims)[0];
    const bool isOpen = !dim.size && (old.size || dim.symbol == old.symbol);
    if (!isOpen && !(dim.size && dim.size == old.size)) continue;
    dim.size = size;
    m_inputs.insert(input.name);
  }
  if (m_from == m_to) m_from = 0; // nothing changes
}

void Batch::restore(std::unordered_map<std::string, Shape>& shapes) const {
  for (auto& [name, shape] : shapes)
    if (m_inputs.count(name) && !shape.empty()) shape[0] = m_from;
}

std::vector<Node> Batch::noted(const Node& node, const NodeValues& values) {
  for (const std::string& input : node.inputs)
    if (!input.empty()) m_oldShapes[input] = values.type(input).shape;
  if (node.opType == "Expand" || node.opType == "Reshape" || node.opType == "Slice")
    for (std::size_t i = 1; i < node.inputs.size(); ++i)
      if (const HostTensor* numbers = values.constant(node.inputs[i])) m_oldNumbers[node.inputs[i]] = numbers->toIntegers();
  return {};
}

void Batch::noted(const Graph& graph) {
  for (const auto& output : graph.outputs)
    if (const auto type = graph.types.find(output.name); type != graph.types.end()) m_oldShapes[output.name] = type->second.shape;
}

Error Batch::explained(const Error& error) const {
  if (m_from == 0 || error.code() == ErrorCode::Cancelled) return error;
  const std::string option = fmt::format("{} {}", reports::option("batch"), m_to);
  const std::string advice = fmt::format("the file is for a batch of {}: {}", m_from, kExportAdvice);
  if (error.advice() == kExportAdvice)
    return Error(ErrorCode::Unsupported, error.message() + ", so " + option + " cannot be applied", error.where(), advice);
  return Error(ErrorCode::Unsupported, option + " cannot be applied to this model: " + error.message(), error.where(), advice);
}

void Batch::requireOneBatch(const Model& model) const {
  if (m_from == 0) return;
  for (const auto& output : model.graph.outputs) {
    const auto old = m_oldShapes.find(output.name);
    const auto type = model.graph.types.find(output.name);
    if (old == m_oldShapes.end() || type == model.graph.types.end()) continue;
    const Shape& from = old->second;
    const Shape& to = type->second.shape;
    int changed = from.size() == to.size() ? 0 : 2;
    for (std::size_t i = 0; i < from.size() && changed < 2; ++i) changed += from[i] != to[i];
    if (changed > 1)
      throw Error(ErrorCode::Unsupported,
                  fmt::format("output '{}' changes from {} to {}, so more than its batch changes", output.name,
                              numerics::toString(from), numerics::toString(to)),
                  model.file, kExportAdvice);
  }
}

std::optional<Batch::Place> Batch::placeOf(const std::string& name, const NodeValues& values) const {
  if (name.empty()) return {};
  const auto found = m_oldShapes.find(name);
  if (found == m_oldShapes.end()) return {};
  const Shape &old = found->second, &now = values.type(name).shape;
  if (old.size() != now.size()) return {};
  std::optional<Place> place;
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i] == now[i]) continue;
    if (old[i] % m_from || old[i] / m_from * m_to != now[i]) return {}; // e.g. for elements chosen from the batch
    if (place) unclear(fmt::format("{} has the batch in two dimensions", numerics::toString(now)));
    place = Place{old, i, 1};
  }
  if (!place || old[place->axis] == m_from) return place;
  const auto merged = m_merged.find(name);
  place->inner =
      merged != m_merged.end() && merged->second.size == old[place->axis] ? merged->second.inner : old[place->axis] / m_from;
  return place;
}

// Whether the value is the same for every batch: a constant, or a weight in training.
bool Batch::isFixed(const std::string& name, const NodeValues& values) const {
  const auto found = m_oldShapes.find(name);
  return found == m_oldShapes.end() ? values.constant(name) != nullptr : found->second == values.type(name).shape;
}

// For all nodes except Reshape: the outputs inherit the merged dimension of an input.
void Batch::inherit(const Node& node) {
  for (const std::string& input : node.inputs) {
    const auto merged = m_merged.find(input);
    if (merged == m_merged.end()) continue;
    const Merged copy = merged->second;
    for (const std::string& output : node.outputs)
      if (!output.empty()) m_merged[output] = copy;
    return;
  }
}

bool Batch::isWritten(const Node& node, std::size_t input) const {
  return node.inputs.size() > input && node.inputs[input].starts_with(node.outputs.at(0) + "/batch_");
}

std::vector<Node> Batch::withConstant(const Node& node, std::size_t input, const HostTensor& value) {
  Node constant;
  constant.opType = "Constant";
  constant.name = fmt::format("{}/batch_{}", node.name, input);
  constant.opset = node.opset;
  constant.outputs = {fmt::format("{}/batch_{}", node.outputs.at(0), input)};
  constant.attributes.set("value", value);
  Node changed = node;
  changed.inputs.at(input) = constant.outputs[0];
  ++m_changed;
  return {std::move(constant), std::move(changed)};
}

// Before and after a Reshape, consecutive elements of the batch are `inside` apart in memory. So the batch is in the dimension of
// the new shape that contains this distance. With a batch of 1 several dimensions may contain it. A dimension that holds only the
// batch, after the unchanged leading ones, is preferred. The last dimension, that of features, is chosen only if no other is
// possible.
std::vector<Node> Batch::reshape(const Node& node, const NodeValues& values) {
  const HostTensor* constant = node.inputs.size() > 1 ? values.constant(node.inputs[1]) : nullptr;
  if (!constant || isWritten(node, 1)) return {};
  const auto place = placeOf(node.inputs[0], values);
  if (!place) return {};
  const Shape target = constant->toIntegers();
  const auto old = m_oldNumbers.find(node.inputs[1]);
  const Shape& oldTarget = old == m_oldNumbers.end() ? target : old->second;
  const bool copiesZero = !node.attributes.integer("allowzero", 0);
  const auto shaped = [&](const Shape& from, Shape to) -> std::optional<Shape> {
    std::int64_t product = 1;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i] == 0 && copiesZero && i < from.size()) to[i] = from[i];
      if (to[i] != -1) product *= to[i];
    }
    const std::int64_t count = numerics::elementCount(from);
    for (auto& size : to)
      if (size == -1) size = product > 0 && count % product == 0 ? count / product : 0;
    if (numerics::elementCount(to) != count || count == 0) return {};
    return to;
  };
  const Shape& from = place->old;
  const std::optional<Shape> to = shaped(from, oldTarget);
  if (!to) return {}; // type inference reports the error
  std::int64_t inside = place->inner;
  for (std::size_t i = place->axis + 1; i < from.size(); ++i) inside *= from[i];
  std::size_t same = 0;
  while (same < place->axis && same < to->size() && from[same] == (*to)[same]) ++same;
  // If the shape is computed from the input's shape, it already has the new batch.
  const std::optional<Shape> now = shaped(values.type(node.inputs[0]).shape, target);
  const bool follows = now && target != oldTarget;
  std::optional<std::size_t> axis;
  int best = -1;
  std::int64_t after = 1, inner = 1;
  for (std::size_t i = to->size(); i-- > 0; after *= (*to)[i]) {
    if (inside % after || (*to)[i] % (m_from * (inside / after))) continue;
    if (follows && (i >= now->size() || (*now)[i] == (*to)[i])) continue;
    const bool isKept = i >= same, isOwn = (*to)[i] == m_from && inside == after;
    const int rank = (isOwn && isKept ? 4 : 0) + (i + 1 < to->size() ? 2 : 0) + (isKept ? 1 : 0);
    if (rank < best) continue; // the loop visits later dimensions first, so of equal ranks the earliest dimension wins
    best = rank, axis = i, inner = inside / after;
  }
  if (!axis && follows) return {};
  if (!axis)
    unclear(
        fmt::format("the shape {} does not tell where the batch of {} is", numerics::toString(target), numerics::toString(from)));
  Shape wanted = *to;
  wanted[*axis] = wanted[*axis] / m_from * m_to;
  m_merged[node.outputs.at(0)] = {(*to)[*axis], inner};
  if (now == wanted) return {};
  return withConstant(node, 1, HostTensor::vector(wanted));
}

std::vector<Node> Batch::expand(const Node& node, const NodeValues& values) {
  if (node.inputs.size() != 2 || isWritten(node, 0) || isWritten(node, 1)) return {};
  const HostTensor* constant = values.constant(node.inputs[1]);
  if (!constant) return {};
  Shape to = constant->toIntegers();
  const Shape& shape = values.type(node.inputs[0]).shape;
  if (to.size() < shape.size()) return {};
  const std::size_t shift = to.size() - shape.size();
  const auto old = m_oldNumbers.find(node.inputs[1]);
  // The graph computes the shape from the batch, so it already follows.
  if (old != m_oldNumbers.end() && old->second.size() == to.size() && old->second != to) {
    std::vector<Node> nodes;
    Node changed = node;
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (shape[i] != 1 && shape[i] == old->second[i + shift] && shape[i] != to[i + shift] && isFixed(node.inputs[0], values))
        repeat(nodes, changed, 0, i, values);
    if (nodes.empty()) return {};
    nodes.push_back(std::move(changed));
    return nodes;
  }
  const auto place = placeOf(node.inputs[0], values);
  if (!place && values.constant(node.inputs[0])) return {}; // a node that reads the expanded constant repeats it
  const std::size_t axis = place ? place->axis + shift : 0;
  const std::int64_t size = place ? place->old[place->axis] : m_from;
  if (size == 1 || axis >= to.size() || to[axis] != size) return {};
  to[axis] = size / m_from * m_to;
  return withConstant(node, 1, HostTensor::vector(to));
}

// Throws if a Slice of the batch has a fixed end, e.g. 2. The file does not say whether this end is the old batch size, a part of
// it, or independent of the batch.
void Batch::requireNoPart(const Node& node, const NodeValues& values) const {
  const auto place = node.opset >= 10 && node.inputs.size() > 2 ? placeOf(node.inputs[0], values) : std::nullopt;
  if (!place) return;
  const auto integers = [&](std::size_t i) -> std::optional<std::vector<std::int64_t>> {
    const HostTensor* value = i < node.inputs.size() && !node.inputs[i].empty() ? values.constant(node.inputs[i]) : nullptr;
    if (!value) return {};
    return value->toIntegers();
  };
  constexpr std::int64_t kOpenEnd = std::numeric_limits<std::int32_t>::max(); // exporters write this or more
  const auto ends = integers(2), axes = integers(3);
  if (!ends) return;
  const auto old = m_oldNumbers.find(node.inputs[2]);
  if (old != m_oldNumbers.end() && old->second != *ends) return; // the graph computes the end from the batch
  const auto rank = std::int64_t(place->old.size());
  for (std::size_t i = 0; i < ends->size(); ++i) {
    const std::int64_t axis = axes && i < axes->size() ? (*axes)[i] : std::int64_t(i);
    if ((axis < 0 ? axis + rank : axis) == std::int64_t(place->axis) && (*ends)[i] > 0 && (*ends)[i] < kOpenEnd)
      unclear("Slice selects elements of the batch by index");
  }
}

void Batch::repeat(std::vector<Node>& before, Node& node, std::size_t input, std::size_t axis, const NodeValues& values) {
  const HostTensor* value = values.constant(node.inputs[input]);
  const Shape& shape = values.type(node.inputs[input]).shape;
  bool isSame = shape[axis] == 1; // one value for all elements of the batch
  if (value && !isSame) {
    std::int64_t inside = 1;
    for (std::size_t i = axis + 1; i < shape.size(); ++i) inside *= shape[i];
    isSame = true;
    for (std::int64_t i = 0; i < value->count() && isSame; ++i)
      if (i / inside % shape[axis] > 0) isSame = value->at(i) == value->at(i - inside);
  }
  const bool mayNumber = value && !numerics::isFloating(value->type()) && value->type() != numerics::ElementType::Bool;
  if (mayNumber && (!isSame || (m_from == 1 && value->count() > 0 && value->at(0) == 0)))
    unclear(fmt::format("the constant '{}' may hold indices of the batch's elements", node.inputs[input]));
  if (!isSame && (m_to % m_from || shape[axis] != m_from))
    unclear(fmt::format("the constant '{}' {} differs between the elements of the batch", node.inputs[input],
                        numerics::toString(shape)));
  const auto constant = [&](const char* what, Shape numbers) {
    Node made;
    made.opType = "Constant", made.opset = node.opset;
    made.outputs = {fmt::format("{}/{}_{}", node.outputs.at(0), what, input)};
    made.attributes.set("value", HostTensor::vector(numbers));
    before.push_back(made);
    return made.outputs[0];
  };
  std::string from = node.inputs[input];
  if (isSame && shape[axis] != 1) { // one copy is enough
    Node one;
    one.opType = "Slice", one.opset = std::max<std::int64_t>(10, node.opset);
    one.name = fmt::format("{}/one_{}", node.name, input);
    one.inputs = {from, constant("start", {0}), constant("end", {1}), constant("axis", {std::int64_t(axis)})};
    one.outputs = {fmt::format("{}/one_{}", node.outputs.at(0), input)};
    from = one.outputs[0];
    before.push_back(std::move(one));
  }
  Shape times(shape.size(), 1);
  times[axis] = isSame ? shape[axis] / m_from * m_to : m_to / m_from;
  Node tile;
  tile.opType = "Tile", tile.opset = node.opset;
  tile.name = fmt::format("{}/repeated_{}", node.name, input);
  tile.inputs = {from, constant("times", times)};
  tile.outputs = {fmt::format("{}/batch_{}", node.outputs.at(0), input)};
  node.inputs[input] = tile.outputs[0];
  before.push_back(std::move(tile));
  ++m_changed;
}

// Repeats constants of the old batch that meet values of the new batch, e.g. positions that the exporter expanded.
std::vector<Node> Batch::broadcast(const Node& node, const NodeValues& values) {
  const std::size_t matrix = node.opType == "MatMul" ? 2 : 0; // dimensions that do not broadcast
  for (const std::string& with : node.inputs) {
    const auto place = placeOf(with, values);
    if (!place) continue;
    const std::size_t fromEnd = place->old.size() - place->axis;
    const std::int64_t size = place->old[place->axis];
    if (fromEnd <= matrix || size == 1) return {};
    std::vector<Node> nodes;
    Node changed = node;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i].empty() || isWritten(node, i) || !isFixed(node.inputs[i], values)) continue;
      const Shape& shape = values.type(node.inputs[i]).shape;
      if (shape.size() >= fromEnd && shape[shape.size() - fromEnd] == size)
        repeat(nodes, changed, i, shape.size() - fromEnd, values);
    }
    if (nodes.empty()) return {};
    nodes.push_back(std::move(changed));
    return nodes;
  }
  return {};
}

// Repeats a constant that is joined to values of the batch, e.g. a token before the patches of each image.
std::vector<Node> Batch::concat(const Node& node, const NodeValues& values) {
  for (const std::string& with : node.inputs) {
    const auto place = placeOf(with, values);
    if (!place) continue;
    std::int64_t axis = node.attributes.integer("axis", 0);
    if (axis < 0) axis += std::int64_t(place->old.size());
    if (axis == std::int64_t(place->axis)) return {};
    std::vector<Node> nodes;
    Node changed = node;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i].empty() || isWritten(node, i) || !isFixed(node.inputs[i], values)) continue;
      const Shape& shape = values.type(node.inputs[i]).shape;
      if (place->axis < shape.size() && shape[place->axis] == place->old[place->axis])
        repeat(nodes, changed, i, place->axis, values);
    }
    if (nodes.empty()) return {};
    nodes.push_back(std::move(changed));
    return nodes;
  }
  return {};
}

// Repeats the initial states [directions, batch, width]; weights have no batch.
std::vector<Node> Batch::recurrent(const Node& node, const NodeValues& values) {
  if (node.inputs.empty() || !placeOf(node.inputs[0], values)) return {};
  std::vector<Node> nodes;
  Node changed = node;
  for (std::size_t i = 5; i < std::min<std::size_t>(7, node.inputs.size()); ++i) {
    if (node.inputs[i].empty() || isWritten(node, i) || !isFixed(node.inputs[i], values)) continue;
    const Shape& shape = values.type(node.inputs[i]).shape;
    if (shape.size() == 3 && shape[1] == m_from) repeat(nodes, changed, i, 1, values);
  }
  if (nodes.empty()) return {};
  nodes.push_back(std::move(changed));
  return nodes;
}

// Throws if a node takes rows of the batch by their numbers, which belong to the old batch.
void Batch::requireNoRows(const Node& node, const NodeValues& values) const {
  const auto place = placeOf(node.inputs.at(0), values);
  if (!place || node.inputs.size() < 2) return;
  const bool isConstant = values.constant(node.inputs[1]) != nullptr;
  const auto rank = std::int64_t(place->old.size());
  const auto axisOf = [&](std::int64_t axis) { return axis < 0 ? axis + rank : axis; };
  const auto axis = std::int64_t(place->axis);
  bool reads = false;
  if (node.opType == "Gather") {
    reads = axisOf(node.attributes.integer("axis", 0)) == axis;
  } else if (node.opType == "GatherElements" || node.opType == "ScatterElements") {
    reads = isConstant || axisOf(node.attributes.integer("axis", 0)) == axis;
  } else {
    const Shape& indices = values.type(node.inputs[1]).shape;
    const std::int64_t shared = node.attributes.integer("batch_dims", 0);
    reads = !indices.empty() && axis >= shared && axis < shared + indices.back();
    reads |= isConstant && axis < shared;
  }
  if (reads) unclear(fmt::format("{} selects elements of the batch by index", node.opType));
}

std::vector<Node> Batch::adapted(const Node& node, const NodeValues& values) {
  if (m_from == 0 || !node.domain.empty()) return {};
  static const std::set<std::string> kBroadcasting{"Add",
                                                   "Sub",
                                                   "Mul",
                                                   "Div",
                                                   "Pow",
                                                   "Mod",
                                                   "Min",
                                                   "Max",
                                                   "Sum",
                                                   "Mean",
                                                   "Where",
                                                   "Equal",
                                                   "Less",
                                                   "And",
                                                   "Or",
                                                   "Xor",
                                                   "Greater",
                                                   "LessOrEqual",
                                                   "GreaterOrEqual",
                                                   "MatMul"};
  static const std::set<std::string> kByNumber{"Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND"};
  if (isWritten(node, 1)) return {};
  inherit(node);
  const std::string& type = node.opType;
  if (type == "Reshape" && node.opset >= 5) return reshape(node, values);
  if (type == "Expand") return expand(node, values);
  if (type == "Concat") return concat(node, values);
  if (type == "LSTM" || type == "GRU" || type == "RNN") return recurrent(node, values);
  if (kBroadcasting.count(type)) return broadcast(node, values);
  if (type == "Slice") requireNoPart(node, values);
  if (kByNumber.count(type)) requireNoRows(node, values);
  return {};
}

std::string Batch::text() const {
  if (m_from == 0) return {};
  return fmt::format("{} instead of {}; {} constant{} with it", m_to, m_from, m_changed,
                     m_changed == 1 ? " changes" : "s change");
}

} // namespace simcore::model
