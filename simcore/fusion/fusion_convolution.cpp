// Passes for the operations after a convolution: they are folded into its weights, or applied before its result is stored.
#include "simcore/fusion/pattern_graph.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/operators/convolution.h"
#include "simcore/numerics/elementwise.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace simcore::model {

namespace {

bool isConvolution(const Node& node) {
  return node.opType == (node.domain.empty() ? "Conv" : "FusedConv") && (node.domain.empty() || node.domain == kOwnDomain);
}
bool hasActivation(const Node& node) { return node.attributes.has(kActivationOf); }

// The node as a FusedConv, whether or not it is one already.
Node asFused(const Node& node) {
  Node fused = node;
  fused.opType = "FusedConv";
  fused.domain = kOwnDomain;
  return fused;
}

// A norm with constant statistics, as y = a x + b for each channel.
struct ChannelMap {
  std::vector<double> factor, shift;
};
std::optional<ChannelMap> channelMap(const PatternGraph& g, const Node& norm) {
  if (norm.inputs.size() != 5 || norm.attributes.integer("training_mode", 0)) return std::nullopt;
  for (std::size_t i = 1; i < norm.outputs.size(); ++i)
    if (!norm.outputs[i].empty()) return std::nullopt;
  std::array<std::vector<double>, 4> parameters; // scale, bias, mean, variance
  for (std::size_t i = 0; i < 4; ++i) {
    const HostTensor* value = g.constant(norm.inputs[i + 1]);
    if (!value || value->count() != g.shape(norm.inputs[0])[1]) return std::nullopt;
    parameters[i] = value->toDoubles();
  }
  const double epsilon = double(norm.attributes.real("epsilon", 1e-5f));
  ChannelMap map;
  for (std::size_t c = 0; c < parameters[0].size(); ++c) {
    map.factor.push_back(parameters[0][c] / std::sqrt(parameters[3][c] + epsilon));
    map.shift.push_back(parameters[1][c] - parameters[2][c] * map.factor.back());
  }
  return map;
}

// Weights, with their outputs along `axis`, times a factor for each output. They are computed when first read, because a run
// without numbers does not need these millions of products.
HostTensor scaledWeights(const HostTensor& weights, const std::vector<double>& factor, std::size_t axis) {
  return HostTensor::deferred(weights.type(), weights.shape(), [=] { return numerics::scaledAlong(weights, factor, axis); });
}

bool foldNorm(PatternGraph& g, const Node& norm) {
  const Node* conv = g.producer(norm.inputs[0]);
  const bool transposed =
      conv && conv->domain.empty() && conv->opType == "ConvTranspose" && conv->attributes.integer("group", 1) == 1;
  if (!conv || (!transposed && (!isConvolution(*conv) || conv->inputs.size() > 3 || hasActivation(*conv)))) return false;
  if (g.readers(norm.inputs[0]) != 1 || !g.isConstant(conv->inputs[1])) return false;
  const bool hasBias = conv->inputs.size() > 2 && !conv->inputs[2].empty();
  const auto map = channelMap(g, norm);
  if (!map || (hasBias && !g.isConstant(conv->inputs[2]))) return false;
  Node made = *conv;
  const HostTensor& weights = *g.constant(conv->inputs[1]);
  const std::string& first = made.inputs[1];
  made.inputs[1] = g.addConstant(first + "/normed", scaledWeights(weights, map->factor, transposed ? 1 : 0));
  std::vector<double> bias(map->shift);
  if (hasBias)
    for (std::size_t c = 0; c < bias.size(); ++c) bias[c] += g.constant(conv->inputs[2])->at(std::int64_t(c)) * map->factor[c];
  made.inputs.resize(3);
  made.inputs[2] =
      g.addConstant(norm.inputs[2] + "/normed", HostTensor::of(Shape{std::int64_t(bias.size())}, bias).cast(weights.type()));
  g.replace({conv, &norm}, *conv, std::move(made));
  return true;
}

// Fuses an Add into the convolution before it: the other operand becomes the convolution's addend (input 3). Requires that only
// the Add reads the convolution's result.
bool startFromOther(PatternGraph& g, const Node& add) {
  if (add.inputs.size() != 2 || add.inputs[0] == add.inputs[1] || add.opset < 7) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string &result = add.inputs[i], &other = add.inputs[1 - i];
    const Node* conv = g.producer(result);
    if (!conv || !isConvolution(*conv) || conv->inputs.size() > 3 || hasActivation(*conv)) continue;
    if (g.readers(result) != 1 || g.isConstant(other) || conv->attributes.integer("group", 1) != 1) continue;
    if (g.type(result) != g.type(other) || g.shape(result) != g.shape(add.outputs[0])) continue;
    Node made = asFused(*conv);
    made.inputs.resize(4);
    made.inputs[3] = other;
    g.replace({conv, &add}, *conv, std::move(made));
    return true;
  }
  return false;
}

bool applyActivation(PatternGraph& g, const Node& conv) {
  const Node* next = isConvolution(conv) && !hasActivation(conv) ? g.reader(conv.outputs[0]) : nullptr;
  if (!next || next->outputs.size() != 1 || !operatorFor(*next).has(kFusible)) return false;
  Node made = asFused(conv);
  made.attributes.set(kActivationOf, next->opType);
  for (const auto& [name, value] : next->attributes.all()) made.attributes.set(std::string(kActivationOf) + "." + name, value);
  if (next->opType == "Clip") // a FusedConv has the limits as attributes, like Clip before opset 11
    for (std::size_t i = 1; i < next->inputs.size(); ++i) {
      if (next->inputs[i].empty()) continue;
      const auto limit = g.number(next->inputs[i]);
      if (!limit) return false;
      made.attributes.set(std::string(kActivationOf) + (i == 1 ? ".min" : ".max"), float(*limit));
    }
  g.replace({&conv, next}, conv, std::move(made));
  return true;
}

} // namespace

int fuseBatchNorm(Graph& graph) { return forEachNode(graph, "BatchNormalization", foldNorm); }
int fuseResidual(Graph& graph) { return forEachNode(graph, "Add", startFromOther); }
int fuseActivation(Graph& graph) {
  PatternGraph g(graph);
  int fired = 0;
  for (std::size_t i = 0; i < g.size(); ++i)
    if (const Node* node = g.at(i)) fired += applyActivation(g, *node);
  return fired;
}

} // namespace simcore::model
