// A graph for fusion passes: producer and readers of each value, the constants, and a function that replaces several nodes by
// one. A value that leaves the graph or is read in a subgraph counts as having one more reader, which no pass can match.
#pragma once

#include "simcore/model/graph/graph.h"

#include <algorithm>
#include <initializer_list>

namespace simcore::model {

class PatternGraph {
public:
  explicit PatternGraph(Graph& graph);
  // Writes the replacements back to the graph.
  ~PatternGraph();
  PatternGraph(const PatternGraph&) = delete;
  PatternGraph& operator=(const PatternGraph&) = delete;

  std::size_t size() const { return m_nodes.size(); }
  // Null if the node has been replaced.
  const Node* at(std::size_t i) const { return m_nodes[i].outputs.empty() ? nullptr : &m_nodes[i]; }

  // The node that makes the value, if its type is `type` ("" = any type); else null.
  const Node* producer(const std::string& value, const std::string& type = {}) const;
  // The reader of the value, if it has exactly one reader, of the given type; else null.
  const Node* reader(const std::string& value, const std::string& type = {}) const;
  int readers(const std::string& value) const;
  // Whether no node makes the value; also true for a trained parameter, whose value is unknown.
  bool isConstant(const std::string& value) const { return m_graph.initialisers.count(value) != 0; }
  const numerics::HostTensor* constant(const std::string& value) const;
  // The value of a constant with one element.
  std::optional<double> number(const std::string& value) const;
  bool isNumber(const std::string& value, double wanted) const; // within 1/10,000
  const TensorType& type(const std::string& value) const { return m_graph.types.at(value); }
  const numerics::Shape& shape(const std::string& value) const { return type(value).shape; }
  void setShape(const std::string& value, numerics::Shape shape) { m_graph.types.at(value).shape = std::move(shape); }

  // Whether the value is an output of the graph or a subgraph reads it.
  bool leaves(const std::string& value) const;
  std::size_t indexOf(const Node& node) const { return std::size_t(&node - m_nodes.data()); }

  // The other operand of a commutative node with two inputs.
  static const std::string& other(const Node& node, const std::string& operand);

  // A new constant named after `name`.
  std::string addConstant(const std::string& name, const numerics::HostTensor& value);
  // Replaces `nodes` by `made`, which gets the position and the outputs of the last of them, and the name of `main`.
  void replace(std::initializer_list<const Node*> nodes, const Node& main, Node made);
  void replace(const std::vector<const Node*>& nodes, const Node& main, Node made);

private:
  void add(std::size_t i);
  void remove(std::size_t i);

  Graph& m_graph;
  std::vector<Node> m_nodes; // a node without outputs has been replaced
  std::unordered_map<std::string, std::size_t> m_producer;
  std::unordered_map<std::string, std::vector<std::size_t>> m_readers; // m_nodes.size() is a reader outside the graph
};

// Calls `match` for every node of this type and returns the number of matches. Prepares nothing if there is no such node, as in
// most models.
template<class F> int forEachNode(Graph& graph, const std::string& type, F match) {
  const auto isOne = [&](const Node& node) { return node.opType == type && node.domain.empty(); };
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), isOne)) return 0;
  PatternGraph g(graph);
  int fired = 0;
  for (std::size_t i = 0; i < g.size(); ++i)
    if (const Node* node = g.at(i); node && isOne(*node)) fired += match(g, *node);
  return fired;
}

int dropNoOps(Graph& graph);
int groupHeads(Graph& graph);
int transposeOperands(Graph& graph);
int shareEqualNodes(Graph& graph);
int fuseRows(Graph& graph);
int fuseSoftmax(Graph& graph);
int splitClassLosses(Graph& graph);
int fuseLayerNorm(Graph& graph);
int fuseGroupNorm(Graph& graph);
int fuseGelu(Graph& graph);
int fuseSwish(Graph& graph);
int fuseBatchNorm(Graph& graph);
int fuseResidual(Graph& graph);
int fuseActivation(Graph& graph);
int fuseAttention(Graph& graph);
int joinProducts(Graph& graph);

} // namespace simcore::model
