// Builds a graph node by node and types every value at once, so that callers can use its shape. Nothing is folded: nodes that
// compute from a parameter stay in the graph, because training changes the parameter.
#pragma once

#include "simcore/model/graph/operator.h"

#include <optional>
#include <set>

namespace simcore::model {

// The domain of operators that ONNX lacks: gradients and weight updates.
inline constexpr const char* kOwnDomain = "ai.tilescope";

// A name with its source location: a string converts to a NodeName in the call that adds a node, whose location it then has.
struct NodeName {
  NodeName() = default; // no name and no location
  NodeName(const char* name, const graph::SourceLocation& place = graph::SourceLocation::current()) : text(name), source(place) {}
  NodeName(std::string name, const graph::SourceLocation& place = graph::SourceLocation::current())
      : text(std::move(name)), source(place) {}

  std::string text;
  graph::SourceLocation source;
};

class GraphBuilder {
public:
  // Appends to `graph`, whose values must be typed. `opset`: for the new nodes of the standard domain.
  explicit GraphBuilder(Graph& graph, int opset = 17);

  // Debug contexts of further nodes, outermost first.
  void setPath(std::vector<std::string> path) { m_path = std::move(path); }
  const std::vector<std::string>& path() const { return m_path; }
  // Source location of all further nodes, e.g. of the layer whose gradient they compute. Default: the location of a node's name.
  void setSource(const graph::SourceLocation& source) { m_source = source; }

  // A declared input or output of the graph.
  std::string input(const std::string& name, numerics::ElementType type, const numerics::Shape& shape);
  void output(const std::string& name);
  // Constants. A duplicate name gets a number.
  std::string constant(const std::string& name, const numerics::HostTensor& value);
  std::string integers(const std::vector<std::int64_t>& values);
  // A scalar; equal ones become one constant.
  std::string number(double value, numerics::ElementType type);
  // A value of this type that the caller provides (a variable of training).
  void declare(const std::string& name, const TensorType& type) { m_graph.types[name] = type; }

  // A node with one output, named after `name` (or the operator) unless that is taken. Throws the errors of its type rule.
  std::string add(const std::string& opType, const std::vector<std::string>& inputs, Attributes attributes = {},
                  const NodeName& name = {}, const std::string& domain = {});
  // A node with several outputs; `wanted` is false for unused outputs.
  std::vector<std::string> addMany(const std::string& opType, const std::vector<std::string>& inputs, Attributes attributes,
                                   const std::vector<bool>& wanted, const NodeName& name = {}, const std::string& domain = {});
  // Appends a node unchanged except for new names of its outputs; it may have another opset than the builder's, or subgraphs.
  // `types` are the types of its outputs, if already known.
  std::vector<std::string> append(Node node, const std::vector<TensorType>& types = {});
  // Operators of kOwnDomain.
  std::string addOwn(const std::string& opType, const std::vector<std::string>& inputs, Attributes attributes = {},
                     const NodeName& name = {});
  std::vector<std::string> addOwnMany(const std::string& opType, const std::vector<std::string>& inputs, Attributes attributes,
                                      const std::vector<bool>& wanted, const NodeName& name = {});

  // Common forms. `reduceTo` undoes a broadcast: it sums over repeated dimensions.
  std::string reshape(const std::string& x, const numerics::Shape& shape);
  std::string reduceTo(const std::string& x, const numerics::Shape& shape);
  std::string reduce(const std::string& opType, const std::string& x, const std::vector<std::int64_t>& axes, bool keepDims);
  std::string expand(const std::string& x, const numerics::Shape& shape);
  std::string transpose(const std::string& x, const std::vector<std::int64_t>& order);
  std::string scaled(const std::string& x, double factor);

  const TensorType& type(const std::string& name) const;
  const numerics::Shape& shape(const std::string& name) const { return type(name).shape; }
  // The call that a node's type rule and parameter parsing read.
  Call call(const Node& node) const;
  Graph& graph() { return m_graph; }

  // The name, with a number appended if it is taken.
  std::string unique(const std::string& name);

private:
  Graph& m_graph;
  int m_opset;
  std::vector<std::string> m_path;
  std::optional<graph::SourceLocation> m_source;
  std::set<std::string> m_names;
  std::map<std::string, int> m_numbers;
};

// Attributes in one expression: attributes({{"axis", 1}}).
Attributes attributes(std::initializer_list<std::pair<const char*, Attribute>> values);

// Writes the nodes that replace one node of another kind, without a graph and usually before types are known.
class NodeWriter {
public:
  // Names of values and nodes begin with `prefix`, which no other node has.
  NodeWriter(const Node& node, const std::string& prefix, int opset)
      : m_node(node), m_prefix(prefix), m_nodePrefix(prefix), m_opset(opset) {}
  // Values are named after the node's first output, because names of nodes may be missing or the same.
  NodeWriter(const Node& node, int opset)
      : m_node(node), m_prefix(ownOutput(node) + "#/"), m_nodePrefix((node.name.empty() ? ownOutput(node) : node.name) + "/"),
        m_opset(opset) {}

  std::vector<Node> take() { return std::move(m_nodes); }

  bool has(std::size_t i) const { return i < m_node.inputs.size() && !m_node.inputs[i].empty(); }
  std::string in(std::size_t i) const {
    if (has(i)) return m_node.inputs[i];
    throw Error(ErrorCode::InvalidInput, "input " + std::to_string(i) + " of " + m_node.opType + " is missing");
  }
  // `required`, plus input `last` if present.
  std::vector<std::string> withOptional(std::vector<std::string> required, std::size_t last) const {
    if (has(last)) required.push_back(m_node.inputs[last]);
    return required;
  }
  void refuse(std::size_t i) const {
    if (has(i)) throw Error(ErrorCode::Unsupported, "input " + std::to_string(i) + " of " + m_node.opType + " is not supported");
  }
  std::size_t inputs() const { return m_node.inputs.size(); }
  void refuseOutput(std::size_t i) const {
    if (wants(i))
      throw Error(ErrorCode::Unsupported, "output " + std::to_string(i) + " of " + m_node.opType + " is not supported");
  }
  bool wants(std::size_t i) const { return i < m_node.outputs.size() && !m_node.outputs[i].empty(); }
  const std::string& output(std::size_t i) const { return m_node.outputs.at(i); }

  const Attributes& attributes() const { return m_node.attributes; }
  double real(const std::string& name, double standard) const {
    return attributes().has(name) ? double(attributes().real(name, 0)) : standard;
  }
  std::int64_t integer(const std::string& name, std::int64_t standard) const { return attributes().integer(name, standard); }
  std::string text(const std::string& name) const { return attributes().text(name, ""); }

  Node& node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output) {
    Node& made = m_nodes.emplace_back();
    made.opType = type;
    made.name = m_nodePrefix + type + "_" + std::to_string(m_nodes.size());
    made.opset = m_opset;
    made.inputs = inputs;
    made.outputs = {output};
    return made;
  }
  // Adds a node with one output and returns the output's name.
  std::string add(const std::string& type, const std::vector<std::string>& inputs) {
    std::string output = m_prefix + std::to_string(m_values++);
    node(type, inputs, output);
    return output;
  }
  Node& last() { return m_nodes.back(); }
  // A node that gives output `i` of the contrib node.
  void give(std::size_t i, const std::string& type, const std::vector<std::string>& inputs) {
    if (i >= m_node.outputs.size()) throw Error(ErrorCode::InvalidInput, m_node.opType + " has no output " + std::to_string(i));
    node(type, inputs, m_node.outputs[i]);
  }
  void give(std::size_t i, const std::string& value) { give(i, "Identity", {value}); }

  NodeWriter& set(const std::string& name, Attribute value) {
    last().attributes.set(name, std::move(value));
    return *this;
  }
  NodeWriter& set(const std::string& name, std::int64_t value) { return set(name, Attribute(value)); }
  NodeWriter& setReal(const std::string& name, double value) { return set(name, Attribute(float(value))); }
  // Copies the contrib node's attributes with these names.
  NodeWriter& keep(const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (attributes().has(name)) set(name, attributes().all().at(name));
    return *this;
  }

  std::string constant(const HostTensor& value) {
    const std::string name = add("Constant", {});
    set("value", value);
    return name;
  }
  std::string number(double value) { return constant(HostTensor::full(ElementType::Float, {}, double(float(value)))); }
  std::string integers(const std::vector<std::int64_t>& values) { return constant(HostTensor::vector(values)); }
  std::string cast(const std::string& x, ElementType type) {
    const std::string name = add("Cast", {x});
    set("to", onnxTypeOf(type));
    return name;
  }
  std::string transposed(const std::string& x, const std::vector<std::int64_t>& order) {
    const std::string name = add("Transpose", {x});
    set("perm", order);
    return name;
  }
  std::string swapped(const std::string& x) { // the last two dimensions
    const std::string name = add("Einsum", {x});
    set("equation", std::string("...ij->...ji"));
    return name;
  }
  // Parts of `sizes` along an axis.
  std::vector<std::string> split(const std::string& x, std::int64_t axis, const std::vector<std::int64_t>& sizes) {
    std::vector<std::string> parts{add("Split", {x})};
    set("axis", axis).set("split", sizes);
    for (std::size_t i = 1; i < sizes.size(); ++i) {
      parts.push_back(parts[0] + "_" + std::to_string(i));
      last().outputs.push_back(parts.back());
    }
    return parts;
  }
  // Keeps the operator, but in the standard domain.
  void rename() {
    m_nodes.push_back(m_node);
    last().domain.clear();
    last().opset = m_opset;
  }

private:
  static std::string ownOutput(const Node& node) {
    for (const std::string& output : node.outputs)
      if (!output.empty()) return output;
    return node.opType;
  }

  const Node& m_node;
  std::string m_prefix, m_nodePrefix;
  int m_opset;
  std::vector<Node> m_nodes;
  int m_values = 0;
};

} // namespace simcore::model
