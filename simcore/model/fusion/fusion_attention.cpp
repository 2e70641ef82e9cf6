// Attention as exporters write it: product with the keys, scale, mask, softmax, product with the values, and the transposes
// that split heads before and join them behind.
#include "simcore/model/fusion/pattern_graph.h"
#include "simcore/model/graph/graph_builder.h"

#include <algorithm>
#include <numeric>

namespace simcore::model {

using Order = std::vector<std::int64_t>;

namespace {

struct Scores {
  const Node* product = nullptr;
  double scale = 1;
  std::string mask;               // added, or where scores stay if it is made of booleans
  double fill = 0;                // what stands where they do not
  std::vector<const Node*> nodes; // from the mask back to the product
};

// The inputs of a softmax, back to the product of queries and keys.
std::optional<Scores> scoresOf(const PatternGraph& g, const std::string& value) {
  Scores s;
  std::string at = value;
  for (int i = 0; i < 3; ++i) {
    const Node* node = g.producer(at);
    if (!node || !node->domain.empty() || g.readers(at) != 1) return std::nullopt;
    s.nodes.push_back(node);
    if (node->opType == "MatMul") {
      s.product = node;
      return s;
    }
    if (node->opType == "Where" && s.mask.empty() && s.scale == 1 && g.number(node->inputs[2])) {
      s.mask = node->inputs[0];
      s.fill = *g.number(node->inputs[2]);
      at = node->inputs[1];
      if (g.shape(at) != g.shape(node->outputs[0])) return std::nullopt;
      continue;
    }
    if (node->inputs.size() != 2) return std::nullopt;
    if (node->opType == "Add" && s.mask.empty() && s.scale == 1) {
      const Node* left = g.producer(node->inputs[0]);
      const bool isLeft = left && (left->opType == "MatMul" || left->opType == "Mul" || left->opType == "Div");
      s.mask = node->inputs[isLeft ? 1 : 0];
      at = node->inputs[isLeft ? 0 : 1];
      if (g.shape(at) != g.shape(node->outputs[0])) return std::nullopt;
    } else if (node->opType == "Div" && g.number(node->inputs[1]).value_or(0) != 0) {
      s.scale /= *g.number(node->inputs[1]);
      at = node->inputs[0];
    } else if (node->opType == "Mul") {
      const std::size_t side = g.number(node->inputs[0]) ? 1 : 0;
      const auto factor = g.number(node->inputs[1 - side]);
      if (!factor) return std::nullopt;
      s.scale *= *factor;
      at = node->inputs[side];
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// The value with a transpose before it taken away, if only this reads it.
struct Source {
  std::string name;
  Order order;
  const Node* transpose = nullptr;
};
Source sourceOf(const PatternGraph& g, const std::string& value) {
  const Node* transpose = g.producer(value, "Transpose");
  if (!transpose || g.readers(value) != 1) return {value, {}, nullptr};
  Order order = transpose->attributes.integers("perm");
  if (order.empty()) {
    order.resize(g.shape(value).size());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  return {transpose->inputs[0], order, transpose};
}

bool matchAttention(PatternGraph& g, const Node& softmax) {
  const numerics::Shape& shape = g.shape(softmax.inputs[0]);
  const std::int64_t axis = softmax.attributes.integer("axis", softmax.opset >= 13 ? -1 : 1), rank = std::int64_t(shape.size());
  if (rank < 3 || (axis != -1 && axis != rank - 1)) return false;
  const Node* second = g.reader(softmax.outputs[0], "MatMul");
  if (!second || second->inputs[0] != softmax.outputs[0]) return false;
  const auto scores = scoresOf(g, softmax.inputs[0]);
  if (!scores) return false;
  const std::string &queries = scores->product->inputs[0], &keys = scores->product->inputs[1], &values = second->inputs[1];
  for (const std::string& name : {queries, keys, values})
    if (std::int64_t(g.shape(name).size()) != rank || !std::equal(shape.begin(), shape.end() - 2, g.shape(name).begin()))
      return false;
  std::vector<const Node*> nodes = scores->nodes;
  nodes.insert(nodes.end(), {&softmax, second});
  Node made;
  made.opType = "Attention";
  made.domain = kOwnDomain;
  made.opset = 1;
  made.attributes.set("scale", float(scores->scale));
  if (scores->fill != 0) made.attributes.set("fill", float(scores->fill));
  const auto take = [&](const std::string& value, const char* attribute, bool isTurned) {
    Source source = sourceOf(g, value);
    if (isTurned) { // the product reads keys transposed, the operator as they are
      if (source.order.empty()) {
        source.order.resize(std::size_t(rank));
        std::iota(source.order.begin(), source.order.end(), 0);
      }
      std::swap(source.order[std::size_t(rank) - 1], source.order[std::size_t(rank) - 2]);
    }
    if (!std::is_sorted(source.order.begin(), source.order.end())) made.attributes.set(attribute, source.order);
    made.inputs.push_back(source.name);
    if (source.transpose) nodes.push_back(source.transpose);
  };
  take(queries, "q_order", false);
  take(keys, "k_order", true);
  take(values, "v_order", false);
  if (!scores->mask.empty()) made.inputs.push_back(scores->mask);
  if (const Node* join = g.reader(second->outputs[0], "Transpose"); join && !join->attributes.integers("perm").empty()) {
    made.attributes.set("out_order", join->attributes.integers("perm"));
    nodes.push_back(join);
  }
  g.replace(nodes, *scores->product, std::move(made));
  return true;
}

} // namespace

int fuseAttention(Graph& graph) {
  PatternGraph g(graph);
  int fired = 0;
  for (std::size_t i = 0; i < g.size(); ++i)
    if (const Node* node = g.at(i); node && node->opType == "Softmax" && node->domain.empty()) fired += matchAttention(g, *node);
  return fired;
}

} // namespace simcore::model
