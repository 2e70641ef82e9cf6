// Passes that recognise an operator in the several nodes that exporters write for it: softmax, layer norm, gelu, swish,
// attention.
#include "simcore/fusion/pattern_graph.h"
#include "simcore/model/graph/graph_builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace simcore::model {

namespace {

constexpr int kOpset = 17; // of new nodes

Node made(const std::string& opType, std::vector<std::string> inputs, Attributes attributes) {
  Node node;
  node.opType = opType;
  node.opset = kOpset;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  return node;
}

// The axes of a reduction that keeps its dimensions, counted from the front; empty if unknown.
std::optional<std::vector<std::size_t>> keptAxes(const PatternGraph& g, const Node& reduce) {
  if (reduce.attributes.integer("keepdims", 1) == 0) return std::nullopt;
  std::vector<std::int64_t> axes = reduce.attributes.integers("axes");
  if (reduce.inputs.size() > 1 && !reduce.inputs[1].empty()) {
    const HostTensor* given = g.constant(reduce.inputs[1]);
    if (!given) return std::nullopt;
    axes = given->toIntegers();
  }
  return numerics::normaliseAxes(axes, g.shape(reduce.inputs[0]).size(), true);
}

template<class F> int forEachOfOneOutput(Graph& graph, const std::string& type, F match) {
  return forEachNode(graph, type, [&](PatternGraph& g, const Node& node) { return node.outputs.size() == 1 && match(g, node); });
}

// exp(x - max(x)) / sum(exp(x - max(x))). The form without the maximum is not fused, because Softmax would compute the maximum in
// an additional step.
bool matchSoftmax(PatternGraph& g, const Node& divide) {
  const Node* exp = g.producer(divide.inputs[0], "Exp");
  const Node* sum = g.producer(divide.inputs[1], "ReduceSum");
  if (!exp || !sum || sum->inputs[0] != exp->outputs[0] || g.readers(exp->outputs[0]) != 2) return false;
  const Node* subtract = g.producer(exp->inputs[0], "Sub");
  if (!subtract || g.readers(sum->outputs[0]) != 1 || g.readers(exp->inputs[0]) != 1) return false;
  const Node* most = g.producer(subtract->inputs[1], "ReduceMax");
  if (!most || most->inputs[0] != subtract->inputs[0] || g.readers(most->outputs[0]) != 1) return false;
  const auto axes = keptAxes(g, *sum);
  if (!axes || axes->size() != 1 || keptAxes(g, *most) != axes) return false;
  g.replace({most, subtract, exp, sum, &divide}, divide,
            made("Softmax", {subtract->inputs[0]}, attributes({{"axis", std::int64_t((*axes)[0])}})));
  return true;
}

// (x - mean)^2, whose mean is the variance.
bool isSquareOf(const PatternGraph& g, const Node& square, const std::string& centred) {
  if (square.opType == "Pow") return square.inputs[0] == centred && g.isNumber(square.inputs[1], 2);
  return square.opType == "Mul" && square.inputs[0] == centred && square.inputs[1] == centred;
}

struct Affine {
  const Node* node = nullptr;
  std::string parameter;
};
// The node after `value` that scales or shifts the normalised dimensions by a constant.
Affine affineBehind(const PatternGraph& g, const std::string& value, const std::string& type, const Shape& normalised) {
  const Node* node = g.reader(value, type);
  if (!node) return {};
  const std::string& parameter = PatternGraph::other(*node, value);
  if (!g.isConstant(parameter) || (!g.constant(parameter) && g.shape(parameter) != normalised)) return {};
  const Shape& shape = g.shape(parameter);
  const bool leadingOnes =
      shape.size() >= normalised.size() &&
      std::all_of(shape.begin(), shape.end() - std::ptrdiff_t(normalised.size()), [](auto n) { return n == 1; }) &&
      shape.size() <= g.shape(value).size();
  if (!leadingOnes || !std::equal(normalised.rbegin(), normalised.rend(), shape.rbegin())) return {};
  return {node, parameter};
}

// (x - mean) / sqrt(mean((x - mean)^2) + epsilon), optionally with a scale and a shift.
bool matchLayerNorm(PatternGraph& g, const Node& divide) {
  const std::string& centred = divide.inputs[0];
  const Node* subtract = g.producer(centred, "Sub");
  const Node* root = g.producer(divide.inputs[1], "Sqrt");
  if (!subtract || !root || g.readers(root->outputs[0]) != 1) return false;
  const std::string& x = subtract->inputs[0];
  const Node* mean = g.producer(subtract->inputs[1], "ReduceMean");
  const Node* plus = g.producer(root->inputs[0], "Add");
  if (!mean || !plus || mean->inputs[0] != x || g.readers(plus->outputs[0]) != 1) return false;
  const std::size_t side = g.number(plus->inputs[1]) ? 0 : 1;
  const auto epsilon = g.number(plus->inputs[1 - side]);
  const Node* variance = g.producer(plus->inputs[side], "ReduceMean");
  if (!epsilon || !variance || g.readers(variance->outputs[0]) != 1) return false;
  const Node* square = g.producer(variance->inputs[0]);
  if (!square || !square->domain.empty() || g.readers(square->outputs[0]) != 1) return false;
  // Some exporters write the subtraction of the mean twice.
  const Node* second = g.producer(square->inputs[0], "Sub");
  if (!second || second->inputs != subtract->inputs || !isSquareOf(g, *square, second->outputs[0])) return false;
  const int squared = square->opType == "Mul" ? 2 : 1;
  if (g.readers(centred) != (second == subtract ? squared + 1 : 1) || g.readers(mean->outputs[0]) != (second == subtract ? 1 : 2))
    return false;
  if (second != subtract && g.readers(second->outputs[0]) != squared) return false;
  const auto axes = keptAxes(g, *mean);
  const Shape& shape = g.shape(x);
  if (!axes || axes != keptAxes(g, *variance) || axes->empty() || axes->back() + 1 != shape.size() ||
      axes->back() - axes->front() + 1 != axes->size() || !numerics::isFloating(g.type(x).type))
    return false;
  const Shape normalised(shape.begin() + std::ptrdiff_t(axes->front()), shape.end());
  std::vector<const Node*> nodes{mean, subtract, second, square, variance, plus, root, &divide};
  std::string scale, shift;
  Affine affine = affineBehind(g, divide.outputs[0], "Mul", normalised);
  if (affine.node) {
    nodes.push_back(affine.node);
    scale = affine.parameter;
    if (const Affine moved = affineBehind(g, affine.node->outputs[0], "Add", normalised); moved.node) {
      nodes.push_back(moved.node);
      shift = moved.parameter;
    }
  }
  const auto flat = [&](const std::string& name) { // drops leading dimensions of 1 from the shape
    return g.shape(name) == normalised ? name : g.addConstant(name + "/flat", g.constant(name)->reshaped(normalised));
  };
  if (scale.empty())
    scale = g.addConstant(divide.outputs[0] + "/ones", HostTensor::full(g.type(x).type, normalised, 1));
  else
    scale = flat(scale);
  std::vector<std::string> inputs{x, scale};
  if (!shift.empty()) inputs.push_back(flat(shift));
  g.replace(
      nodes, *mean,
      made("LayerNormalization", inputs, attributes({{"axis", std::int64_t(axes->front())}, {"epsilon", float(*epsilon)}})));
  return true;
}

// The end of a gelu, after erf or tanh: (… + 1) * x * 0.5 in any order. Other nodes may also read the halved x.
std::optional<std::vector<const Node*>> geluTail(const PatternGraph& g, const Node& curve, const std::string& x) {
  const Node* plus = g.reader(curve.outputs[0], "Add");
  if (!plus || !g.isNumber(PatternGraph::other(*plus, curve.outputs[0]), 1)) return std::nullopt;
  const Node* times = g.reader(plus->outputs[0], "Mul");
  if (!times) return std::nullopt;
  const std::string& factor = PatternGraph::other(*times, plus->outputs[0]);
  if (factor == x || g.isNumber(factor, 0.5)) {
    const Node* last = g.reader(times->outputs[0], "Mul");
    if (!last) return std::nullopt;
    const std::string& rest = PatternGraph::other(*last, times->outputs[0]);
    if (factor == x ? !g.isNumber(rest, 0.5) : rest != x) return std::nullopt;
    return {{plus, times, last}};
  }
  const Node* half = g.producer(factor, "Mul");
  if (!half || g.readers(factor) != 1) return std::nullopt;
  const std::size_t side = half->inputs[0] == x ? 0 : 1;
  if (half->inputs[side] != x || !g.isNumber(half->inputs[1 - side], 0.5)) return std::nullopt;
  return {{plus, half, times}};
}

bool matchGeluErf(PatternGraph& g, const Node& erf) {
  const Node* scaled = g.producer(erf.inputs[0]);
  if (!scaled || g.readers(erf.inputs[0]) != 1 || !scaled->domain.empty() || scaled->inputs.size() != 2) return false;
  std::size_t side = 0;
  if (scaled->opType == "Div") {
    if (!g.isNumber(scaled->inputs[1], M_SQRT2)) return false;
  } else if (scaled->opType == "Mul") {
    side = g.isNumber(scaled->inputs[0], M_SQRT1_2) ? 1 : 0;
    if (!g.isNumber(scaled->inputs[1 - side], M_SQRT1_2)) return false;
  } else {
    return false;
  }
  const std::string x = scaled->inputs[side];
  auto tail = geluTail(g, erf, x);
  if (!tail) return false;
  tail->insert(tail->begin(), {scaled, &erf});
  g.replace(*tail, erf, made("Gelu", {x}, {}));
  return true;
}

// x^3, as a power or as products.
bool collectCube(const PatternGraph& g, const std::string& value, const std::string& x, std::vector<const Node*>& nodes) {
  const Node* node = g.producer(value);
  if (!node || g.readers(value) != 1) return false;
  nodes.push_back(node);
  if (node->opType == "Pow") return node->inputs[0] == x && g.isNumber(node->inputs[1], 3);
  if (node->opType != "Mul" || (node->inputs[0] != x && node->inputs[1] != x)) return false;
  const Node* square = g.producer(PatternGraph::other(*node, x));
  if (!square || g.readers(square->outputs[0]) != 1 || !isSquareOf(g, *square, x)) return false;
  nodes.push_back(square);
  return true;
}

bool matchGeluTanh(PatternGraph& g, const Node& tanh) {
  const Node* scaled = g.producer(tanh.inputs[0], "Mul");
  if (!scaled || g.readers(tanh.inputs[0]) != 1) return false;
  const double root = std::sqrt(2 / M_PI);
  const std::size_t side = g.isNumber(scaled->inputs[0], root) ? 1 : 0;
  const Node* sum = g.producer(scaled->inputs[side], "Add");
  if (!g.isNumber(scaled->inputs[1 - side], root) || !sum || g.readers(sum->outputs[0]) != 1) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string x = sum->inputs[i];
    const Node* cubic = g.producer(sum->inputs[1 - i], "Mul");
    if (!cubic || g.readers(cubic->outputs[0]) != 1) continue;
    const std::size_t factor = g.isNumber(cubic->inputs[0], 0.044715) ? 0 : 1;
    std::vector<const Node*> nodes{cubic, sum, scaled, &tanh};
    if (!g.isNumber(cubic->inputs[factor], 0.044715) || !collectCube(g, cubic->inputs[1 - factor], x, nodes)) continue;
    const auto tail = geluTail(g, tanh, x);
    if (!tail) continue;
    nodes.insert(nodes.end(), tail->begin(), tail->end());
    g.replace(nodes, tanh, made("Gelu", {x}, attributes({{"approximate", std::string("tanh")}})));
    return true;
  }
  return false;
}

bool matchSwish(PatternGraph& g, const Node& sigmoid) {
  const Node* times = g.reader(sigmoid.outputs[0], "Mul");
  if (!times || PatternGraph::other(*times, sigmoid.outputs[0]) != sigmoid.inputs[0]) return false;
  Node swish = made("Swish", {sigmoid.inputs[0]}, {});
  swish.domain = kOwnDomain;
  g.replace({&sigmoid, times}, *times, std::move(swish));
  return true;
}

// x * clip(x + 3, 0, 6) / 6 in the exporters' form, with the division before or after the product; or x * hardSigmoid(x).
bool isClipTo6(const PatternGraph& g, const Node& clip) {
  const auto limit = [&](std::size_t i, const char* name) -> std::optional<double> {
    if (i < clip.inputs.size() && !clip.inputs[i].empty()) return g.number(clip.inputs[i]);
    if (!clip.attributes.has(name)) return std::nullopt;
    return double(clip.attributes.real(name, 0));
  };
  return limit(1, "min") == 0.0 && limit(2, "max") == 6.0;
}
bool isSixth(const PatternGraph& g, const Node& node, const std::string& value) {
  if (node.opType == "Div") return node.inputs[0] == value && g.isNumber(node.inputs[1], 6);
  return node.opType == "Mul" && std::abs(g.number(PatternGraph::other(node, value)).value_or(0) - 1.0 / 6) < 1e-6;
}
bool matchHardSwishClip(PatternGraph& g, const Node& clip) {
  const Node* plus = g.producer(clip.inputs[0], "Add");
  if (!plus || g.readers(clip.inputs[0]) != 1 || !isClipTo6(g, clip)) return false;
  const std::size_t side = g.isNumber(plus->inputs[0], 3) ? 1 : 0;
  if (!g.isNumber(plus->inputs[1 - side], 3)) return false;
  const std::string x = plus->inputs[side];
  const Node* first = g.reader(clip.outputs[0]);
  const Node* second = first && first->outputs.size() == 1 ? g.reader(first->outputs[0]) : nullptr;
  if (!second || first->inputs.size() != 2 || second->inputs.size() != 2) return false;
  const auto isProduct = [&](const Node& node, const std::string& value) {
    return node.opType == "Mul" && PatternGraph::other(node, value) == x;
  };
  const bool fits = (isProduct(*first, clip.outputs[0]) && isSixth(g, *second, first->outputs[0])) ||
                    (isSixth(g, *first, clip.outputs[0]) && isProduct(*second, first->outputs[0]));
  if (!fits) return false;
  g.replace({plus, &clip, first, second}, *second, made("HardSwish", {x}, {}));
  return true;
}
bool matchHardSwishSigmoid(PatternGraph& g, const Node& sigmoid) {
  const Node* times = g.reader(sigmoid.outputs[0], "Mul");
  const bool standard =
      std::abs(sigmoid.attributes.real("alpha", 0.2f) - 1.0f / 6) < 1e-6f && sigmoid.attributes.real("beta", 0.5f) == 0.5f;
  if (!standard || !times || PatternGraph::other(*times, sigmoid.outputs[0]) != sigmoid.inputs[0]) return false;
  g.replace({&sigmoid, times}, *times, made("HardSwish", {sigmoid.inputs[0]}, {}));
  return true;
}

// Attention as exporters write it: product with the keys, scale, mask, softmax, product with the values, and the transposes that
// split the heads before and join them after.
using Order = std::vector<std::int64_t>;

struct Scores {
  const Node* product = nullptr;
  double scale = 1;
  std::string mask;               // added to the scores; a Boolean mask is true for the scores to keep
  double fill = 0;                // score for false in a Boolean mask
  std::vector<const Node*> nodes; // from the mask back to the product
};

// Traces the input of a softmax back to the product of queries and keys.
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

// The transpose's input, if a transpose makes the value and only one node reads the value; else the value itself.
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
    if (isTurned) { // the product reads transposed keys, the operator reads them untransposed
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

// For an element index along the first dimension whose columns are all equal: the name of one column, as [n, 1]. Empty for other
// indices.
std::string rowsNamedBy(PatternGraph& g, const Node& node, std::vector<const Node*>& nodes) {
  const Shape table = g.shape(node.inputs[0]), index = g.shape(node.inputs[1]);
  const std::int64_t axis = node.attributes.integer("axis", 0), rank = std::int64_t(table.size());
  const std::int64_t columns = numerics::elementCount(table, 1, table.size()); // 1 for a vector
  if (columns < 2 || (axis != 0 && axis != -rank) || !std::equal(index.begin() + 1, index.end(), table.begin() + 1, table.end()))
    return {};
  if (const Node* expand = g.producer(node.inputs[1], "Expand")) {
    const Shape& from = g.shape(expand->inputs[0]);
    if (from.size() != index.size() || from[0] != index[0] || numerics::elementCount(from) != index[0]) return {};
    if (g.readers(expand->outputs[0]) != 1) return rank == 2 ? expand->inputs[0] : std::string();
    if (rank == 2) return nodes.push_back(expand), expand->inputs[0];
    const HostTensor wanted = HostTensor::vector<std::int64_t>({index[0], 1}); // one column replaces the index
    g.replace({expand}, *expand, made("Reshape", {expand->inputs[0], g.addConstant(node.inputs[1] + "/rows", wanted)}, {}));
    g.setShape(node.inputs[1], {index[0], 1});
    return node.inputs[1];
  }
  const HostTensor* constant = g.constant(node.inputs[1]);
  if (!constant) return {};
  const auto places = constant->toIntegers();
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < index[0]; ++row) {
    const auto first = places.begin() + row * columns;
    if (std::any_of(first, first + columns, [&](std::int64_t place) { return place != *first; })) return {};
    rows.push_back(*first);
  }
  return g.addConstant(node.inputs[1] + "/rows", HostTensor::vector(rows).reshaped({index[0], 1}));
}
bool matchRows(PatternGraph& g, const Node& node) {
  std::vector<const Node*> nodes;
  const std::string rows = rowsNamedBy(g, node, nodes);
  if (rows.empty()) return false;
  nodes.push_back(&node);
  const std::string reduction = node.attributes.text("reduction", "none");
  g.replace(nodes, node,
            node.opType == "GatherElements"
                ? made("GatherND", {node.inputs[0], rows}, {})
                : made("ScatterND", {node.inputs[0], rows, node.inputs[2]}, attributes({{"reduction", reduction}})));
  return true;
}

} // namespace

int fuseRows(Graph& graph) {
  return forEachOfOneOutput(graph, "ScatterElements", matchRows) + forEachOfOneOutput(graph, "GatherElements", matchRows);
}
int fuseSoftmax(Graph& graph) { return forEachOfOneOutput(graph, "Div", matchSoftmax); }
int fuseLayerNorm(Graph& graph) { return forEachOfOneOutput(graph, "Div", matchLayerNorm); }
int fuseGelu(Graph& graph) {
  return forEachOfOneOutput(graph, "Erf", matchGeluErf) + forEachOfOneOutput(graph, "Tanh", matchGeluTanh);
}
int fuseSwish(Graph& graph) {
  return forEachOfOneOutput(graph, "Sigmoid", matchSwish) + forEachOfOneOutput(graph, "Clip", matchHardSwishClip) +
         forEachOfOneOutput(graph, "HardSigmoid", matchHardSwishSigmoid);
}
int fuseAttention(Graph& graph) { return forEachOfOneOutput(graph, "Softmax", matchAttention); }

} // namespace simcore::model
