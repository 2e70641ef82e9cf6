#include "simcore/prepare/batch.h"

#include "reports/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::model {

using reports::Error;
using reports::ErrorCode;

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
  if (size < 1) throw Error(ErrorCode::InvalidInput, "a batch is at least 1");
  const auto first =
      std::find_if(graph.inputs.begin(), graph.inputs.end(), [](const auto& i) { return i.dims && !i.dims->empty(); });
  if (first == graph.inputs.end()) throw Error(ErrorCode::InvalidInput, "no input has a dimension that could be the batch");
  const Dimension old = (*first->dims)[0];
  if (old.size) m_from = *old.size;
  for (auto& input : graph.inputs) {
    if (!input.dims || input.dims->empty()) continue;
    Dimension& dim = (*input.dims)[0];
    const bool isOpen = !dim.size && (old.size || dim.symbol == old.symbol);
    if (isOpen || (dim.size && dim.size == old.size)) dim.size = size;
  }
  if (m_from == m_to) m_from = 0; // nothing changes
}

std::vector<Node> Batch::withShape(const Node& node, const Shape& shape) {
  Node constant;
  constant.opType = "Constant";
  constant.name = node.name + "/shape";
  constant.opset = node.opset;
  constant.outputs = {node.outputs.at(0) + "/shape"};
  constant.attributes.set("value", HostTensor::vector(shape));
  Node changed = node;
  changed.inputs.at(1) = constant.outputs[0];
  ++m_changed;
  return {std::move(constant), std::move(changed)};
}

std::vector<Node> Batch::reshape(const Node& node, const NodeValues& values) {
  const HostTensor* constant = node.inputs.size() > 1 ? values.constant(node.inputs[1]) : nullptr;
  if (!constant || values.constant(node.inputs[0])) return {}; // a constant has no batch
  const Shape& from = values.type(node.inputs[0]).shape;
  Shape to = constant->toIntegers();
  const auto count = numerics::elementCount(from);
  // The first dimension that changes is the one in question; a batch before it is kept as it is.
  std::size_t at = 0;
  while (at < to.size() && at < from.size() &&
         (to[at] == from[at] || (to[at] == 0 && !node.attributes.integer("allowzero", 0)))) {
    if (from[at] == m_to) return {};
    ++at;
  }
  if (at == to.size() || to[at] == -1) return {};
  const bool isOpen = std::find(to.begin(), to.end(), -1) != to.end();
  std::int64_t product = 1;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] != -1) product *= to[i] == 0 && i < from.size() ? from[i] : to[i];
  if (!isOpen && product == count) return {};
  const bool isWhole = to[at] % m_from == 0;
  if (!isOpen && (!isWhole || product / m_from * m_to != count)) return {}; // type inference reports the error
  if (isOpen && !(at < from.size() && from[at] == m_to && to[at] == m_from))
    throw Error(ErrorCode::Unsupported, fmt::format("the shape {} does not tell where the batch is", numerics::toString(to)), {},
                "export the model with a dynamic batch (dynamic_axes, dynamic_shapes)");
  to[at] = to[at] / m_from * m_to;
  return withShape(node, to);
}

std::vector<Node> Batch::expand(const Node& node, const NodeValues& values) {
  const HostTensor* constant = node.inputs.size() > 1 ? values.constant(node.inputs[1]) : nullptr;
  if (!constant || m_from == 1) return {};
  Shape to = constant->toIntegers();
  if (to.empty() || to[0] != m_from) return {};
  to[0] = m_to;
  return withShape(node, to);
}

// Constants of the old batch beside values of the new one, as a token before the patches of each image, or a first state.
std::vector<Node> Batch::repeatConstants(const Node& node, const NodeValues& values, std::size_t axis) {
  std::vector<Node> nodes;
  Node changed = node;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].empty() || !values.constant(node.inputs[i])) continue;
    Shape shape = values.type(node.inputs[i]).shape;
    if (axis >= shape.size() || shape[axis] != m_from) continue;
    std::vector<std::int64_t> times(shape.size(), 1);
    if (m_to % m_from) continue;
    times[axis] = m_to / m_from;
    Node count, tile;
    count.opType = "Constant", tile.opType = "Tile";
    count.opset = tile.opset = node.opset;
    count.outputs = {fmt::format("{}/times_{}", node.outputs.at(0), i)};
    count.attributes.set("value", HostTensor::vector(times));
    tile.name = fmt::format("{}/repeated_{}", node.name, i);
    tile.inputs = {node.inputs[i], count.outputs[0]};
    tile.outputs = {fmt::format("{}/repeated_{}", node.outputs.at(0), i)};
    changed.inputs[i] = tile.outputs[0];
    nodes.push_back(std::move(count)), nodes.push_back(std::move(tile));
    ++m_changed;
  }
  if (nodes.empty()) return {};
  nodes.push_back(std::move(changed));
  return nodes;
}

std::vector<Node> Batch::adapted(const Node& node, const NodeValues& values) {
  if (m_from == 0 || !node.domain.empty()) return {};
  if (node.opType == "Reshape" && node.opset >= 5) return reshape(node, values);
  if (node.opType == "Expand") return expand(node, values);
  const auto hasNew = [&](std::size_t axis) {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
      if (input.empty() || values.constant(input)) return false;
      const Shape& shape = values.type(input).shape;
      return axis < shape.size() && shape[axis] == m_to;
    });
  };
  if (node.opType == "Concat" && node.attributes.integer("axis", 0) != 0 && hasNew(0)) return repeatConstants(node, values, 0);
  if (node.opType == "LSTM" || node.opType == "GRU" || node.opType == "RNN") {
    Node states = node; // changes only the first states: weights have no batch
    for (std::size_t i = 1; i < std::min<std::size_t>(5, states.inputs.size()); ++i) states.inputs[i].clear();
    auto nodes = repeatConstants(states, values, 1);
    if (nodes.empty()) return {};
    for (std::size_t i = 1; i < std::min<std::size_t>(5, node.inputs.size()); ++i) nodes.back().inputs[i] = node.inputs[i];
    return nodes;
  }
  return {};
}

std::string Batch::text() const {
  if (m_from == 0) return {};
  return fmt::format("{} instead of {}; {} constant {} with it", m_to, m_from, m_changed,
                     m_changed == 1 ? "shape changes" : "shapes change");
}

} // namespace simcore::model
