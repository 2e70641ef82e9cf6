// Passes that simplify a graph: they drop nodes that change nothing, merge nodes that compute the same, compute a product with
// repeated keys or values without repeating them, and move transposes into products.
#include "simcore/fusion/pattern_graph.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/graph/operator.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <numeric>
#include <set>

namespace simcore::model {

namespace {

// Values that must keep their names, because they leave the graph or a subgraph reads them.
std::set<std::string> pinnedValues(const Graph& graph) {
  std::set<std::string> pinned;
  for (const auto& output : graph.outputs) pinned.insert(output.name);
  for (const Node& node : graph.nodes)
    for (const auto& [name, value] : node.attributes.all())
      if (const auto* sub = std::get_if<std::shared_ptr<const Graph>>(&value)) pinned.merge(outerNames(**sub));
  return pinned;
}

// `kept` replaces `dropped`, so the file's nodes that `dropped` was made of are added to those of `kept`.
void takeOrigins(Node& kept, const Node& dropped) {
  const auto take = [&](const Node& node) {
    kept.fused.push_back({node.name.empty() ? node.outputs.at(0) : node.name, node.opType});
  };
  if (kept.fused.empty() && !kept.outputs.empty()) take(kept);
  if (dropped.fused.empty())
    take(dropped);
  else
    kept.fused.insert(kept.fused.end(), dropped.fused.begin(), dropped.fused.end());
}

// Calls `sameOutputs` for each node in order, with its current inputs. If the function returns values that equal the node's
// outputs, they replace the outputs, and the node is dropped. The origins of the dropped node are added to the node that makes
// these values or, if they are inputs of the graph, to their next reader.
template<class F> int dropNodes(Graph& graph, F sameOutputs) {
  const std::set<std::string> pinned = pinnedValues(graph);
  std::unordered_map<std::string, std::string> sameAs;
  std::unordered_map<std::string, Node*> producers;
  // Dropped nodes, by the input of the graph that replaces their output.
  std::unordered_map<std::string, std::vector<Node>> waiting;
  int dropped = 0;
  for (Node& node : graph.nodes) {
    for (std::string& input : node.inputs)
      if (const auto found = sameAs.find(input); found != sameAs.end()) input = found->second;
    const std::vector<std::string> same = sameOutputs(std::as_const(node));
    const auto isPinned = [&](const std::string& output) { return pinned.count(output) != 0; };
    if (same.size() < node.outputs.size() || std::any_of(node.outputs.begin(), node.outputs.end(), isPinned)) {
      for (const std::string& output : node.outputs) producers[output] = &node;
      for (const std::string& input : node.inputs)
        if (const auto found = waiting.find(input); found != waiting.end()) {
          for (const Node& one : found->second) takeOrigins(node, one);
          waiting.erase(found);
        }
      continue;
    }
    if (const auto found = producers.find(same.at(0)); found != producers.end())
      takeOrigins(*found->second, node);
    else
      waiting[same[0]].push_back(node);
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (!node.outputs[i].empty()) sameAs[node.outputs[i]] = same[i], graph.types.erase(node.outputs[i]);
    node.outputs.clear();
    ++dropped;
  }
  std::erase_if(graph.nodes, [](const Node& node) { return node.outputs.empty(); });
  return dropped;
}

std::optional<double> numberOf(const Graph& graph, const std::string& value) {
  const auto found = graph.initialisers.find(value);
  if (found == graph.initialisers.end() || graph.trained.count(value) || found->second.count() != 1) return std::nullopt;
  return found->second.at(0);
}

// The input that the node returns unchanged; empty if the node changes it.
std::string unchangedInput(const Graph& graph, const Node& node) {
  if (!node.domain.empty() || node.outputs.size() != 1 || node.inputs.empty()) return {};
  const std::string& type = node.opType;
  const auto returns = [&](std::size_t i) {
    return graph.types.at(node.inputs[i]) == graph.types.at(node.outputs[0]) ? node.inputs[i] : std::string();
  };
  if (type == "Identity" || type == "Cast" || type == "Expand" || type == "Reshape") return returns(0);
  if (type == "Transpose") {
    const auto order = node.attributes.integers("perm");
    return !order.empty() && std::is_sorted(order.begin(), order.end()) ? returns(0) : std::string();
  }
  if (node.inputs.size() != 2) return {};
  const auto isSecond = [&](double wanted) { return numberOf(graph, node.inputs[1]) == wanted; };
  if ((type == "Div" || type == "Pow") && isSecond(1)) return returns(0);
  if (type == "Sub" && isSecond(0)) return returns(0);
  if (type != "Mul" && type != "Add") return {};
  const double neutral = type == "Mul" ? 1 : 0;
  if (isSecond(neutral)) return returns(0);
  return numberOf(graph, node.inputs[0]) == neutral ? returns(1) : std::string();
}

// For each small constant, the first constant with the same type, shape and elements. Exporters write a constant once per use.
std::unordered_map<std::string, std::string> firstEqualConstants(const Graph& graph) {
  constexpr std::size_t kMostBytes = 1 << 16;
  std::map<std::string, std::set<std::string>> byElements;
  for (const auto& [name, value] : graph.initialisers) {
    if (value.waits() || value.byteCount() > kMostBytes || graph.trained.count(name)) continue;
    std::string elements = fmt::format("{} {}\n", int(value.type()), fmt::join(value.shape(), ","));
    const auto raw = value.raw();
    elements.append(reinterpret_cast<const char*>(raw.data()), raw.size());
    byElements[elements].insert(name);
  }
  std::unordered_map<std::string, std::string> first;
  for (const auto& [elements, names] : byElements)
    for (const std::string& name : names) first[name] = *names.begin();
  return first;
}

// A key that is equal for nodes that compute the same; empty for nodes that draw random numbers, keep a state, or hold a subgraph
// or a tensor.
std::string computationOf(const Node& node, const std::unordered_map<std::string, std::string>& constants) {
  if (operatorFor(node).has(kRandom) || operatorFor(node).has(kDrawsOn)) return {};
  std::string key;
  const auto part = [&](const std::string& text) { key += fmt::format("{}:{}", text.size(), text); }; // names may hold any text
  part(node.domain);
  part(node.opType);
  key += fmt::format("{}:{}:{}", node.opset, node.inputs.size(), node.outputs.size());
  for (const std::string& output : node.outputs) key += output.empty() ? '-' : '+';
  const auto add = [&](const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, HostTensor> || std::is_same_v<Value, std::shared_ptr<const Graph>>) {
      return false;
    } else if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>) {
      part(fmt::format("{}", value));
    } else {
      key += fmt::format("[{}]", value.size());
      for (const auto& each : value) part(fmt::format("{}", each));
    }
    return true;
  };
  for (const auto& [name, value] : node.attributes.all()) {
    part(name);
    if (!std::visit(add, value)) return {};
  }
  for (const std::string& input : node.inputs) {
    const auto constant = constants.find(input);
    part(constant == constants.end() ? input : constant->second);
  }
  return key;
}

// A product whose right side is keys or values [b, g, s, d] that were repeated for each head of a group.
struct SharedSide {
  std::string kept; // the keys or values before the repetition
  Shape shape;
  bool isTransposed = false;
  std::int64_t heads = 1;            // per group
  std::vector<std::string> repeated; // the values made from it by the repetition
  std::vector<Node::Origin> turned;  // origins of the transpose
};

// Reshape(Expand(Unsqueeze(x))) from [b, g, s, d] to [b, g heads, s, d].
std::optional<SharedSide> sharedSideOf(const PatternGraph& g, const std::string& value) {
  SharedSide side;
  const Node* join = g.producer(value);
  if (join && join->opType == "Transpose" && join->domain.empty()) {
    if (join->attributes.integers("perm") != std::vector<std::int64_t>{0, 1, 3, 2}) return std::nullopt;
    side.isTransposed = true;
    Node turned;
    takeOrigins(turned, *join);
    side.turned = turned.fused;
    join = g.producer(join->inputs[0]);
  }
  if (!join || join->opType != "Reshape") return std::nullopt;
  const Node* repeat = g.producer(join->inputs[0], "Expand");
  const Node* apart = repeat ? g.producer(repeat->inputs[0]) : nullptr;
  if (!apart || (apart->opType != "Unsqueeze" && apart->opType != "Reshape")) return std::nullopt;
  side.kept = apart->inputs[0];
  for (const Node* node : {join, repeat, apart}) side.repeated.push_back(node->outputs[0]);
  side.shape = g.shape(side.kept);
  const Shape wide = g.shape(repeat->outputs[0]);
  if (side.shape.size() != 4 || wide.size() != 5 || wide[2] < 2) return std::nullopt;
  side.heads = wide[2];
  const Shape& x = side.shape;
  const bool fits = g.shape(apart->outputs[0]) == Shape{x[0], x[1], 1, x[2], x[3]} &&
                    wide == Shape{x[0], x[1], side.heads, x[2], x[3]} &&
                    g.shape(join->outputs[0]) == Shape{x[0], x[1] * side.heads, x[2], x[3]};
  return fits ? std::optional(side) : std::nullopt;
}

// Writes the product so that the heads of a group are rows of one product.
class GroupedProduct {
public:
  GroupedProduct(Graph& graph, Node product, SharedSide side)
      : m_graph(graph), m_product(std::move(product)), m_side(std::move(side)) {}

  std::vector<Node> nodes() {
    const Shape left = m_graph.types.at(m_product.inputs[0]).shape, out = m_graph.types.at(m_product.outputs[0]).shape;
    const std::int64_t groups = m_side.shape[1], rows = m_side.heads * left[2];
    const std::string result = m_product.outputs[0];
    reshape(m_product.inputs[0], "queries", {left[0], groups, rows, left[3]});
    m_product.inputs[0] = m_nodes.back().outputs[0];
    m_product.inputs[1] = m_side.kept;
    if (m_side.isTransposed) {
      const Shape& s = m_side.shape;
      const auto order = std::vector<std::int64_t>{0, 1, 3, 2};
      m_product.inputs[1] = add("Transpose", {m_side.kept}, "turned", {s[0], s[1], s[3], s[2]});
      m_nodes.back().attributes.set("perm", order);
      m_nodes.back().fused = m_side.turned;
    }
    m_product.outputs[0] = value("groups", {left[0], groups, rows, out[3]});
    m_nodes.push_back(m_product);
    reshape(m_product.outputs[0], "heads", out);
    m_graph.types.erase(m_nodes.back().outputs[0]);
    m_nodes.back().outputs[0] = result;
    return std::move(m_nodes);
  }

private:
  std::string unique(const std::string& name) const {
    std::string made = name;
    for (int i = 1; m_graph.types.count(made); ++i) made = fmt::format("{}/{}", name, i);
    return made;
  }
  std::string value(const char* what, const Shape& shape) {
    const std::string name = unique(fmt::format("{}/{}", m_side.kept, what));
    m_graph.types[name] = {m_graph.types.at(m_side.kept).type, shape};
    return name;
  }
  std::string add(const char* type, std::vector<std::string> inputs, const char* what, const Shape& shape) {
    Node node;
    node.opType = type;
    node.opset = m_product.opset;
    node.name = m_product.name + "/" + what;
    node.path = m_product.path;
    node.inputs = std::move(inputs);
    node.outputs = {value(what, shape)};
    m_nodes.push_back(std::move(node));
    return m_nodes.back().outputs[0];
  }
  void reshape(const std::string& x, const char* what, const Shape& shape) {
    const std::string wanted = unique(fmt::format("{}/{}Shape", m_side.kept, what));
    HostTensor sizes = HostTensor::vector(std::vector<std::int64_t>(shape.begin(), shape.end()));
    m_graph.types[wanted] = {sizes.type(), sizes.shape()};
    m_graph.initialisers[wanted] = std::move(sizes);
    add("Reshape", {x, wanted}, what, shape);
  }

  Graph& m_graph;
  Node m_product;
  SharedSide m_side;
  std::vector<Node> m_nodes;
};

// By the output of a node that may be dropped: the nodes that replace this node.
using StandIns = std::map<std::string, std::vector<Node*>>;

// Drops nodes without readers, from the last to the first.
void dropUnread(Graph& graph, const StandIns& standIns) {
  std::set<std::string> read = pinnedValues(graph);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const auto isRead = [&](const std::string& output) { return read.count(output) != 0; };
    if (std::any_of(node->outputs.begin(), node->outputs.end(), isRead)) {
      read.insert(node->inputs.begin(), node->inputs.end());
    } else {
      if (const auto found = standIns.find(node->outputs[0]); found != standIns.end())
        for (Node* kept : found->second) takeOrigins(*kept, *node);
      for (const std::string& output : node->outputs) graph.types.erase(output);
      node->outputs.clear();
    }
  }
  std::erase_if(graph.nodes, [](const Node& node) { return node.outputs.empty(); });
}

} // namespace

int dropNoOps(Graph& graph) {
  return dropNodes(graph, [&](const Node& node) {
    const std::string input = unchangedInput(graph, node);
    return input.empty() ? std::vector<std::string>() : std::vector{input};
  });
}

int shareEqualNodes(Graph& graph) {
  const auto constants = firstEqualConstants(graph);
  std::unordered_map<std::string, std::vector<std::string>> known;
  return dropNodes(graph, [&](const Node& node) -> std::vector<std::string> {
    const std::string key = computationOf(node, constants);
    if (key.empty()) return {};
    const auto [first, isNew] = known.emplace(key, node.outputs);
    return isNew ? std::vector<std::string>() : first->second;
  });
}

// Moves the transposes of a product's operands into the product, which then sets their layout, as in PopART.
int transposeOperands(Graph& graph) {
  int found = 0;
  for (Node& product : graph.nodes) found += product.opType == "MatMul" && product.domain.empty();
  if (!found) return 0;
  std::unordered_map<std::string, const Node*> turned; // by output, the transposes of the last two dimensions
  for (const Node& node : graph.nodes) {
    if (node.opType != "Transpose" || !node.domain.empty()) continue;
    const std::size_t rank = graph.types.at(node.inputs[0]).shape.size();
    std::vector<std::int64_t> order(rank), given = node.attributes.integers("perm");
    std::iota(order.begin(), order.end(), 0);
    if (rank < 2) continue;
    std::swap(order[rank - 1], order[rank - 2]);
    if (given == order || (given.empty() && rank == 2)) turned[node.outputs[0]] = &node;
  }
  found = 0;
  StandIns products;
  for (Node& product : graph.nodes) {
    if (product.opType != "MatMul" || !product.domain.empty()) continue;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto transpose = turned.find(product.inputs[i]);
      const char* attribute = i == 0 ? "transposed_a" : "transposed_b";
      if (transpose == turned.end() || product.attributes.has(attribute)) continue;
      product.inputs[i] = transpose->second->inputs[0];
      product.attributes.set(attribute, std::int64_t(1));
      products[transpose->first].push_back(&product);
      ++found;
    }
  }
  if (found) dropUnread(graph, products);
  return found;
}

// Groups heads only for the few queries of a decoding step. With more queries, the attention of all heads at once is faster, and
// grouping would keep the attention pass from recognising it.
int groupHeads(Graph& graph) {
  constexpr std::int64_t kMostQueries = 16;
  std::map<std::string, SharedSide> found; // by the product's output
  forEachNode(graph, "MatMul", [&](PatternGraph& g, const Node& node) {
    if (g.shape(node.inputs[0]).size() != 4 || g.shape(node.inputs[0])[2] > kMostQueries) return 0;
    auto side = sharedSideOf(g, node.inputs[1]);
    if (!side || g.shape(node.inputs[0])[0] != side->shape[0] || g.shape(node.inputs[0])[1] != side->shape[1] * side->heads)
      return 0;
    found.emplace(node.outputs[0], std::move(*side));
    return 1;
  });
  if (found.empty()) return 0;
  std::vector<Node> nodes;
  // By the output of each grouped product: the repeated values that it no longer reads.
  std::map<std::string, std::vector<std::string>> repeatedFor;
  for (Node& node : graph.nodes) {
    const auto side = found.find(node.outputs[0]);
    if (side == found.end()) {
      nodes.push_back(std::move(node));
      continue;
    }
    for (Node& made : GroupedProduct(graph, std::move(node), side->second).nodes()) {
      if (made.opType == "MatMul") repeatedFor[made.outputs[0]] = side->second.repeated;
      nodes.push_back(std::move(made));
    }
  }
  graph.nodes = std::move(nodes);
  StandIns standIns;
  for (Node& node : graph.nodes)
    if (const auto made = repeatedFor.find(node.outputs[0]); made != repeatedFor.end())
      for (const std::string& value : made->second) standIns[value].push_back(&node);
  dropUnread(graph, standIns);
  return int(found.size());
}

} // namespace simcore::model
