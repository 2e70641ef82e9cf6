#include "simcore/model/graph/expansion.h"

#include "reports/core/text.h"
#include "reports/core/within.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/numerics/normalisation.h"

#include <fmt/format.h>

namespace simcore::model {

namespace {

// A node with the name and origin of the node that it replaces.
Node like(const Node& node, const std::string& opType, std::vector<std::string> inputs, std::vector<std::string> outputs) {
  Node made;
  made.opType = opType;
  made.name = node.name;
  made.opset = node.opset;
  made.path = node.path;
  made.source = node.source;
  made.doc = node.doc;
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  return made;
}

// Collects the nodes that replace a node.
class Expansion {
public:
  explicit Expansion(const Node& source) : m_source(source) {}

  std::string add(const std::string& type, const std::vector<std::string>& inputs, const Attributes& attributes,
                  const std::string& output) {
    m_nodes.push_back(like(m_source, type, inputs, {output}));
    m_nodes.back().attributes = attributes;
    return output;
  }
  std::string addOwn(const std::string& type, const std::vector<std::string>& inputs, const Attributes& attributes,
                     const std::string& output) {
    add(type, inputs, attributes, output);
    m_nodes.back().domain = kOwnDomain;
    m_nodes.back().opset = 1;
    return output;
  }
  std::string inner(const std::string& what) const {
    for (const std::string& output : m_source.outputs)
      if (!output.empty()) return output + "/" + what;
    return what;
  }
  std::string constant(const std::string& what, const HostTensor& value) {
    return add("Constant", {}, attributes({{"value", value}}), inner(what));
  }
  std::string number(const std::string& what, ElementType type, double value) {
    return constant(what, HostTensor::full(type, {}, value));
  }
  std::vector<Node> nodes() { return std::move(m_nodes); }

private:
  const Node& m_source;
  std::vector<Node> m_nodes;
};

// Dropout: y = x / (1 - ratio) where a random number in [0, 1) is at least the ratio, else 0. A mask that is read is its own value.
std::optional<std::vector<Node>> expandDropout(const Call& call) {
  if (!call.has(2)) return {};
  if (!call.isKnown(2) || (call.has(1) && !call.isKnown(1)))
    throw Error(ErrorCode::Unsupported, "Dropout needs its ratio, and whether it is training, before the run");
  const double ratio = call.has(1) ? call.value(1).at(0) : 0.5;
  if (call.value(2).integerAt(0) == 0 || ratio == 0) return {};
  if (!(ratio > 0 && ratio < 1)) throw Error(ErrorCode::InvalidInput, "the ratio of Dropout must be from 0 to less than 1");
  const std::string& x = call.node().inputs[0];
  const ElementType type = call.elementType(0);
  Expansion e(call.node());
  if (!call.wantsOutput(1)) { // like poprand: the backward pass repeats the dropout from the seed
    Attributes how;
    how.set("ratio", float(ratio));
    Attributes drawn;
    if (call.attributes().has("seed")) drawn.set("seed", float(call.attributes().integer("seed", 0)));
    const std::string seed = e.addOwn("DropoutSeed", {}, drawn, e.inner("seed"));
    e.addOwn("SeededDropout", {x, seed}, how, call.node().outputs[0]);
    return e.nodes();
  }
  Attributes uniform;
  uniform.set("dtype", std::int64_t(1));
  uniform.set("high", 1 - 0x1p-24f);
  if (call.attributes().has("seed")) uniform.set("seed", float(call.attributes().integer("seed", 0)));
  const std::string drawn = e.add("RandomUniformLike", {x}, uniform, e.inner("uniform"));
  const std::string mask = e.add("GreaterOrEqual", {drawn, e.number("ratio", ElementType::Float, ratio)}, {},
                                 call.wantsOutput(1) ? call.node().outputs[1] : e.inner("mask"));
  if (!call.wantsOutput(0)) return e.nodes();
  const std::string scaled = e.add("Mul", {x, e.number("scale", type, 1 / (1 - ratio))}, {}, e.inner("scaled"));
  e.add("Where", {mask, scaled, e.number("zero", type, 0)}, {}, call.node().outputs[0]);
  return e.nodes();
}

// Before opset 21, scale and bias were per group; since then they are per channel.
std::optional<std::vector<Node>> expandGroupNorm(const Call& call) {
  const std::int64_t groups = call.attributes().requiredInteger("num_groups");
  if (call.opset() >= 21 || call.shape(0).size() < 2 || !numerics::divideIntoGroups(call.shape(0)[1], groups)) return {};
  const std::int64_t each = call.shape(0)[1] / groups;
  Expansion e(call.node());
  std::vector<std::string> inputs{call.node().inputs[0]};
  for (const std::size_t i : {1, 2}) {
    const std::string name = i == 1 ? "scale" : "bias";
    const auto shape = [&](const char* what, const numerics::Shape& to) {
      return e.constant(name + what, HostTensor::vector(to));
    };
    const std::string column =
        e.add("Reshape", {call.node().inputs.at(i), shape("/column", {groups, 1})}, {}, e.inner(name + "/ofGroups"));
    const std::string all = e.add("Expand", {column, shape("/all", {groups, each})}, {}, e.inner(name + "/repeated"));
    inputs.push_back(e.add("Reshape", {all, shape("/row", {groups * each})}, {}, e.inner(name)));
  }
  e.add("GroupNormalization", inputs, call.attributes(), call.node().outputs.at(0));
  std::vector<Node> nodes = e.nodes();
  nodes.back().opset = 21;
  return nodes;
}

} // namespace

std::optional<std::vector<Node>> expandNode(const Call& call) {
  if (!call.node().domain.empty()) return {};
  if (call.node().opType == "Dropout") return expandDropout(call);
  if (call.node().opType == "GroupNormalization") return expandGroupNorm(call);
  if (call.node().opType == "Scan") return expandScan(call);
  return {};
}

namespace {

constexpr int kMostCallsWithin = 32; // nesting of calls in calls and subgraphs
constexpr std::int64_t kMostFunctionNodes = 1'000'000;

using Renames = std::map<std::string, std::string>; // name in a function's body -> name in the graph

class CallExpander {
public:
  CallExpander(const std::vector<Function>& functions, int opset) : m_opset(opset) {
    for (const Function& function : functions) m_functions[{function.domain, function.name}] = &function;
  }

  void expand(Graph& graph, int depth) {
    std::vector<Node> expanded;
    expanded.reserve(graph.nodes.size());
    for (Node& node : graph.nodes) append(std::move(node), expanded, depth);
    graph.nodes = std::move(expanded);
  }

private:
  void append(Node node, std::vector<Node>& target, int depth) {
    if (depth > kMostCallsWithin) throw Error(ErrorCode::InvalidInput, "functions call each other without end", node.label());
    if (const auto called = m_functions.find({node.domain, node.opType}); called != m_functions.end())
      return appendBody(*called->second, node, target, depth);
    for (auto& [name, attribute] : node.attributes.all())
      if (const auto* subgraph = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
        auto inner = std::make_shared<Graph>(**subgraph);
        expand(*inner, depth + 1);
        attribute = std::shared_ptr<const Graph>(std::move(inner));
      }
    std::vector<Node> parts =
        reports::within(node.label(), [&] { return expandContrib(node, prefixOf(node, m_calls + 1), m_opset); });
    if (parts.empty())
      parts.push_back(std::move(node));
    else
      ++m_calls;
    for (Node& part : parts) {
      requireKnownForm(part);
      target.push_back(std::move(part));
    }
  }

  void appendBody(const Function& function, const Node& call, std::vector<Node>& target, int depth) {
    const std::string prefix = prefixOf(call, ++m_calls);
    Renames names;
    for (std::size_t i = 0; i < function.inputs.size(); ++i)
      names[function.inputs[i]] = i < call.inputs.size() ? call.inputs[i] : "";
    for (std::size_t i = 0; i < function.outputs.size() && i < call.outputs.size(); ++i)
      if (!call.outputs[i].empty()) names[function.outputs[i]] = call.outputs[i];
    for (Node inner : function.nodes) {
      if (++m_functionNodes > kMostFunctionNodes)
        throw Error(ErrorCode::Unsupported, "the model's functions expand to over a million nodes");
      inner.name = prefix + (inner.name.empty() ? inner.opType : inner.name);
      bind(inner, call, names, prefix);
      append(std::move(inner), target, depth + 1);
    }
  }

  // Renames the values of a node in a body and gives it the call's attributes.
  static void bind(Node& inner, const Node& call, Renames& names, const std::string& prefix) {
    const auto rename = [&](std::string& name) {
      if (!name.empty()) name = names.emplace(name, prefix + name).first->second;
    };
    for (std::string& input : inner.inputs) rename(input);
    for (std::string& output : inner.outputs) rename(output);
    for (const auto& [name, given] : inner.fromCall)
      if (const auto found = call.attributes.all().find(given); found != call.attributes.all().end())
        inner.attributes.set(name, found->second);
    inner.fromCall.clear();
    for (auto& [name, attribute] : inner.attributes.all())
      if (const auto* subgraph = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
        auto bound = std::make_shared<Graph>(**subgraph);
        for (ValueDeclaration& input : bound->inputs) rename(input.name);
        std::unordered_map<std::string, HostTensor> initialisers;
        for (auto& [own, value] : bound->initialisers) {
          std::string renamed = own;
          rename(renamed);
          initialisers.emplace(std::move(renamed), std::move(value));
        }
        bound->initialisers = std::move(initialisers);
        for (Node& node : bound->nodes) bind(node, call, names, prefix);
        for (ValueDeclaration& output : bound->outputs) rename(output.name);
        attribute = std::shared_ptr<const Graph>(std::move(bound));
      }
  }

  static std::string prefixOf(const Node& call, std::int64_t number) {
    return fmt::format("{}#{}/", call.name.empty() ? call.opType : call.name, number);
  }

  std::map<std::pair<std::string, std::string>, const Function*> m_functions;
  int m_opset;
  std::int64_t m_functionNodes = 0, m_calls = 0;
};

} // namespace

void expandCalls(Graph& graph, const std::vector<Function>& functions, int opset) {
  CallExpander(functions, opset).expand(graph, 0);
}

namespace {

constexpr std::int64_t kLongest = 65536; // elements of a sequence
void requireLength(std::int64_t elements) {
  if (elements > kLongest)
    throw Error(ErrorCode::Unsupported, fmt::format("a sequence has {} elements, more than {}", elements, kLongest));
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
      if (size < 1) throw Error(ErrorCode::InvalidInput, "a part of SplitToSequence has the size " + std::to_string(size));
      requireLength(shape[axis] / size);
      sizes.clear();
      for (std::int64_t at = 0; at < shape[axis]; at += size) sizes.push_back(std::min(size, shape[axis] - at));
    }
  } else {
    requireLength(shape[axis]);
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

namespace {
// The node of a loop's body that appends to this carried list, as exported scripts write it; null if the list has other uses.
const Node* appending(const Graph& body, const std::string& list, const std::string& result) {
  const Node* found = nullptr;
  for (const Node& node : body.nodes)
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != list) continue;
      const bool appends = node.opType == "SequenceInsert" && node.domain.empty() && i == 0 && node.inputs.size() == 2;
      if (!appends || found || node.outputs.at(0) != result) return nullptr;
      found = &node;
    }
  return found;
}
} // namespace

// A list to which a loop appends once per iteration becomes a scan output of the loop; its elements are the rows of that output.
std::optional<std::vector<Node>> SequenceExpansion::loop(const Node& node) {
  std::vector<std::size_t> lists; // indices of carried lists, from 0
  for (std::size_t i = 2; i < node.inputs.size(); ++i)
    if (isSequence(node.inputs[i])) lists.push_back(i - 2);
  if (lists.empty()) return std::nullopt;
  const HostTensor* rounds = node.inputs[0].empty() ? nullptr : m_values.constant(node.inputs[0]);
  if (!rounds || rounds->count() != 1 || rounds->integerAt(0) < 0)
    throw Error(ErrorCode::Unsupported, "a Loop that appends to a list needs its number of iterations before the run");
  const std::int64_t count = rounds->integerAt(0);
  requireLength(count);
  auto body = std::make_shared<Graph>(node.attributes.graph("body"));
  Node scanning = node;
  std::vector<Node> nodes;
  for (std::size_t k = lists.size(); k-- > 0;) { // from the last index, so that earlier ones stay valid
    const std::size_t place = lists[k];
    const Node* append = appending(*body, body->inputs.at(place + 2).name, body->outputs.at(place + 1).name);
    if (!append) throw Error(ErrorCode::Unsupported, "a Loop that changes a list other than by appending to it is not supported");
    const std::string element = append->inputs[1], list = scanning.outputs.at(place);
    const std::string rows = list + "/rows";
    Names elements = sequence(scanning.inputs[place + 2]);
    std::erase_if(body->nodes, [&](const Node& inner) { return &inner == append; });
    body->inputs.erase(body->inputs.begin() + std::ptrdiff_t(place + 2));
    body->outputs.erase(body->outputs.begin() + std::ptrdiff_t(place + 1));
    body->outputs.push_back({element, {}, {}});
    scanning.inputs.erase(scanning.inputs.begin() + std::ptrdiff_t(place + 2));
    scanning.outputs.erase(scanning.outputs.begin() + std::ptrdiff_t(place));
    scanning.outputs.push_back(rows);
    Names parts;
    for (std::int64_t i = 0; i < count; ++i) {
      parts.push_back(list + "/" + std::to_string(i));
      elements.push_back(parts.back() + "/element");
      nodes.push_back(withAxis(like(node, "Squeeze", {parts.back()}, {elements.back()}), 0));
    }
    if (count > 0) {
      Node split = like(node, "Split", {rows}, parts);
      split.attributes.set("axis", std::int64_t(0));
      split.attributes.set("split", std::vector<std::int64_t>(std::size_t(count), 1));
      nodes.insert(nodes.end() - count, split);
    }
    m_sequences[list] = elements;
  }
  scanning.attributes.set("body", std::shared_ptr<const Graph>(std::move(body)));
  nodes.insert(nodes.begin(), std::move(scanning));
  return nodes;
}

std::optional<std::vector<Node>> SequenceExpansion::expand(const Node& node) {
  if (!node.domain.empty()) return std::nullopt;
  const std::string& type = node.opType;
  if (type == "SplitToSequence") return split(node);
  if (type == "Loop") return loop(node);
  if (type == "ConcatFromSequence") return concat(node);
  if (type == "SequenceEmpty" || type == "SequenceConstruct") {
    requireLength(std::int64_t(node.inputs.size()));
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
                "position " + std::to_string(at) + " is outside of a sequence of " + reports::counted(count, "element"));
  if (type == "SequenceAt") return std::vector<Node>{like(node, "Identity", {elements[std::size_t(at)]}, node.outputs)};
  if (inserts) requireLength(count + 1);
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
