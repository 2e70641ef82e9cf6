#include "simcore/model/graph/sequence_expansion.h"

#include "reports/core/error.h"

namespace simcore::model {

using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

namespace {

constexpr std::int64_t kLongest = 65536; // elements of a sequence

Node like(const Node& node, const std::string& opType, std::vector<std::string> inputs, std::vector<std::string> outputs) {
  Node made;
  made.opType = opType;
  made.name = node.name;
  made.opset = node.opset;
  made.path = node.path;
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  return made;
}

// Squeeze and Unsqueeze of one axis; our operators read the attribute in any opset.
Node withAxis(Node node, std::int64_t axis) {
  node.attributes.set("axes", std::vector<std::int64_t>{axis});
  return node;
}

} // namespace

const SequenceExpansion::Names& SequenceExpansion::sequence(const std::string& name) const {
  const auto found = m_sequences.find(name);
  if (found == m_sequences.end()) throw Error(ErrorCode::Unsupported, "'" + name + "' is not a sequence of known tensors");
  return found->second;
}

std::int64_t SequenceExpansion::integer(const Node& node, std::size_t input, std::int64_t standard) const {
  if (input >= node.inputs.size() || node.inputs[input].empty()) return standard;
  const HostTensor* value = m_values.constant(node.inputs[input]);
  if (!value || value->count() != 1)
    throw Error(ErrorCode::Unsupported,
                node.opType + " needs the value of its input '" + node.inputs[input] + "' before the run");
  return value->integerAt(0);
}

std::vector<Node> SequenceExpansion::split(const Node& node) {
  const auto& shape = m_values.type(node.inputs.at(0)).shape;
  const std::int64_t given = node.attributes.integer("axis", 0);
  const std::size_t axis = numerics::normaliseAxis(given, shape.size());
  const bool isGiven = node.inputs.size() > 1 && !node.inputs[1].empty();
  std::vector<std::int64_t> sizes;
  if (isGiven) {
    const HostTensor* value = m_values.constant(node.inputs[1]);
    if (!value) throw Error(ErrorCode::Unsupported, "SplitToSequence needs the value of its input 1 before the run");
    sizes = value->toIntegers();
    if (value->rank() == 0) {
      const std::int64_t size = sizes.at(0);
      if (size < 1 || shape[axis] / size > kLongest)
        throw Error(ErrorCode::InvalidInput, "a part of SplitToSequence has no size");
      sizes.clear();
      for (std::int64_t at = 0; at < shape[axis]; at += size) sizes.push_back(std::min(size, shape[axis] - at));
    }
  } else {
    if (shape[axis] > kLongest) throw Error(ErrorCode::Unsupported, "SplitToSequence makes too many parts");
    sizes.assign(std::size_t(shape[axis]), 1);
  }
  const bool squeezes = !isGiven && node.attributes.integer("keepdims", 1) == 0;
  const std::string& name = node.outputs.at(0);
  Names parts, elements;
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    parts.push_back(name + "/" + std::to_string(i));
    elements.push_back(squeezes ? parts.back() + "/element" : parts.back());
  }
  if (!parts.empty()) {
    nodes.push_back(like(node, "Split", {node.inputs[0]}, parts));
    nodes.back().attributes.set("axis", std::int64_t(axis));
    nodes.back().attributes.set("split", sizes);
    for (std::size_t i = 0; squeezes && i < parts.size(); ++i)
      nodes.push_back(withAxis(like(node, "Squeeze", {parts[i]}, {elements[i]}), std::int64_t(axis)));
  }
  m_sequences[name] = elements;
  return nodes;
}

std::vector<Node> SequenceExpansion::concat(const Node& node) {
  const Names elements = sequence(node.inputs.at(0));
  const std::int64_t axis = node.attributes.requiredInteger("axis");
  std::vector<Node> nodes;
  Names parts = elements;
  if (node.attributes.integer("new_axis", 0))
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i] = node.outputs.at(0) + "/" + std::to_string(i);
      nodes.push_back(withAxis(like(node, "Unsqueeze", {elements[i]}, {parts[i]}), axis));
    }
  if (parts.empty()) throw Error(ErrorCode::InvalidInput, "ConcatFromSequence joins an empty sequence");
  nodes.push_back(like(node, "Concat", parts, node.outputs));
  nodes.back().attributes.set("axis", axis);
  return nodes;
}

std::optional<std::vector<Node>> SequenceExpansion::expand(const Node& node) {
  if (!node.domain.empty()) return std::nullopt;
  const std::string& type = node.opType;
  if (type == "SplitToSequence") return split(node);
  if (type == "ConcatFromSequence") return concat(node);
  if (type == "SequenceEmpty" || type == "SequenceConstruct") {
    if (node.inputs.size() > std::size_t(kLongest)) throw Error(ErrorCode::Unsupported, "a sequence is too long");
    m_sequences[node.outputs.at(0)] = node.inputs;
    return std::vector<Node>{};
  }
  const bool reads = !node.inputs.empty() && isSequence(node.inputs[0]);
  if (type == "Identity" && reads) {
    m_sequences[node.outputs.at(0)] = sequence(node.inputs[0]);
    return std::vector<Node>{};
  }
  if (type.rfind("Sequence", 0) != 0 || type == "SequenceMap") return std::nullopt;
  Names elements = sequence(node.inputs.at(0));
  const auto count = std::int64_t(elements.size());
  if (type == "SequenceLength") {
    Node length = like(node, "Constant", {}, node.outputs);
    length.attributes.set("value", HostTensor::scalar(count));
    return std::vector<Node>{length};
  }
  const bool inserts = type == "SequenceInsert";
  std::int64_t at = integer(node, inserts ? 2 : 1, inserts ? count : -1);
  if (at < 0) at += count;
  if (at < 0 || at >= count + inserts)
    throw Error(ErrorCode::InvalidInput,
                "position " + std::to_string(at) + " is outside of a sequence of " + std::to_string(count));
  if (type == "SequenceAt") return std::vector<Node>{like(node, "Identity", {elements[std::size_t(at)]}, node.outputs)};
  if (inserts && count >= kLongest) throw Error(ErrorCode::Unsupported, "a sequence is too long");
  if (inserts)
    elements.insert(elements.begin() + at, node.inputs.at(1));
  else if (type == "SequenceErase")
    elements.erase(elements.begin() + at);
  else
    return std::nullopt;
  m_sequences[node.outputs.at(0)] = elements;
  return std::vector<Node>{};
}

} // namespace simcore::model
