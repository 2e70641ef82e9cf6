// Builds a graph node by node and types every value as it is made, so that whoever builds can look at shapes. Nothing is
// folded: what is computed from a parameter stays in the graph, because training changes the parameter.
#pragma once

#include "simcore/model/graph/operator.h"

#include <optional>
#include <set>

namespace simcore::model {

// The domain of operators that ONNX does not have: gradients and weight updates.
inline constexpr const char* kOwnDomain = "ai.tilescope";

// A name with its source location: a text becomes one where a node is asked for.
struct NodeName {
  NodeName() = default; // no name, no place
  NodeName(const char* name, const graph::SourceLocation& place = graph::SourceLocation::current()) : text(name), source(place) {}
  NodeName(std::string name, const graph::SourceLocation& place = graph::SourceLocation::current())
      : text(std::move(name)), source(place) {}

  std::string text;
  graph::SourceLocation source;
};

class GraphBuilder {
public:
  // Appends to `graph`, whose values must be typed. `opset` is that of the standard nodes made.
  explicit GraphBuilder(Graph& graph, int opset = 17);

  // Debug contexts of the nodes to come, outermost first.
  void setPath(std::vector<std::string> path) { m_path = std::move(path); }
  const std::vector<std::string>& path() const { return m_path; }
  // The source location of nodes to come, e.g. that of the layer whose gradient they are. Each node has that of its name until then.
  void setSource(const graph::SourceLocation& source) { m_source = source; }

  // A declared input or output of the graph.
  std::string input(const std::string& name, numerics::ElementType type, const numerics::Shape& shape);
  void output(const std::string& name);
  // Constants. A name that is taken gets a number.
  std::string constant(const std::string& name, const numerics::HostTensor& value);
  std::string integers(const std::vector<std::int64_t>& values);
  // A scalar; equal ones are one constant.
  std::string number(double value, numerics::ElementType type);
  // A value of this type that the caller provides (a variable of training).
  void declare(const std::string& name, const TensorType& type) { m_graph.types[name] = type; }

  // A node with one output, called after `name` (or the operator) unless that is taken. Throws what the operator's type rule
  // throws.
  std::string add(const std::string& opType, const std::vector<std::string>& inputs, Attributes attributes = {},
                  const NodeName& name = {}, const std::string& domain = {});
  // The same with several outputs; false = not wanted.
  std::vector<std::string> addMany(const std::string& opType, const std::vector<std::string>& inputs, Attributes attributes,
                                   const std::vector<bool>& wanted, const NodeName& name = {}, const std::string& domain = {});
  // A node as it is, but for new names of what it gives: of another opset than the builder's, or with subgraphs. `types` are
  // those of its outputs, if they are known already.
  std::vector<std::string> append(Node node, const std::vector<TensorType>& types = {});
  // Operators of kOwnDomain.
  std::string addOwn(const std::string& opType, const std::vector<std::string>& inputs, Attributes attributes = {},
                     const NodeName& name = {});
  std::vector<std::string> addOwnMany(const std::string& opType, const std::vector<std::string>& inputs, Attributes attributes,
                                      const std::vector<bool>& wanted, const NodeName& name = {});

  // Common forms. `reduceTo` undoes a broadcast: sums over what was repeated.
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

  // The name, with a number behind it if it is taken.
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

} // namespace simcore::model
