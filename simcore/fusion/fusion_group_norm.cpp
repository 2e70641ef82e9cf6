// Recognises a group norm as torch exports it: a reshape of the channels into groups, an instance norm without scale and shift, a
// reshape to the first shape, and a product and a sum with a number for each channel.
#include "simcore/fusion/pattern_graph.h"
#include "simcore/model/graph/graph_builder.h"

#include <algorithm>

namespace simcore::model {

namespace {

bool allEqual(const HostTensor* tensor, double wanted) {
  if (!tensor) return false;
  for (std::int64_t i = 0; i < tensor->count(); ++i)
    if (tensor->at(i) != wanted) return false;
  return true;
}

// A Mul or Add with a number for each channel.
struct OfChannels {
  const Node* node = nullptr;
  std::string parameter;        // [channels, 1, 1]
  const Node* shaper = nullptr; // the node that makes it from [channels], if any
};
OfChannels channelsBehind(const PatternGraph& g, const std::string& value, const char* type, const Shape& x) {
  const Node* node = g.reader(value, type);
  if (!node || node->inputs.size() != 2) return {};
  OfChannels found{node, PatternGraph::other(*node, value), nullptr};
  const Shape& shape = g.shape(found.parameter);
  const std::size_t behind = x.size() - 2; // dimensions after the channels
  if (shape.size() <= behind || numerics::elementCount(shape) != x[1] || shape[shape.size() - 1 - behind] != x[1]) return {};
  for (const char* shaping : {"Unsqueeze", "Reshape"})
    if (const Node* shaper = g.producer(found.parameter, shaping);
        shaper && g.readers(found.parameter) == 1 && g.shape(shaper->inputs[0]) == Shape{x[1]})
      found.shaper = shaper;
  return found.shaper || g.isConstant(found.parameter) ? found : OfChannels();
}

// The parameter as [channels]. A trained parameter cannot be reshaped here. Instead `carrier`, a node that is no longer needed,
// is replaced by a reshape of the parameter.
std::string asVector(PatternGraph& g, const OfChannels& of, const std::string& otherwise, double neutral, std::int64_t channels,
                     ElementType type, const Node& carrier) {
  if (!of.node) return g.addConstant(otherwise, HostTensor::full(ElementType::Float, {channels}, neutral).cast(type));
  if (of.shaper) return of.shaper->inputs[0];
  if (const HostTensor* known = g.constant(of.parameter))
    return g.addConstant(of.parameter + "/vector", known->reshaped({channels}));
  Node reshape;
  reshape.opType = "Reshape";
  reshape.opset = 17;
  reshape.inputs = {of.parameter, g.addConstant(of.parameter + "/shape", HostTensor::vector<std::int64_t>({channels}))};
  const std::string made = carrier.outputs[0];
  g.replace({&carrier}, carrier, std::move(reshape));
  g.setShape(made, {channels});
  return made;
}

bool matchGroupNorm(PatternGraph& g, const Node& norm) {
  const Node* into = g.producer(norm.inputs[0], "Reshape");
  const Node* back = norm.outputs.size() == 1 ? g.reader(norm.outputs[0], "Reshape") : nullptr;
  if (!into || !back || g.readers(norm.inputs[0]) != 1 || back->inputs[0] != norm.outputs[0]) return false;
  const std::string x = into->inputs[0];
  const Shape shape = g.shape(x), grouped = g.shape(norm.inputs[0]);
  if (shape.size() < 3 || g.shape(back->outputs[0]) != shape) return false;
  if (grouped.size() < 3 || grouped[1] < 1 || grouped[0] != shape[0] || shape[1] % grouped[1]) return false;
  if (!allEqual(g.constant(norm.inputs[1]), 1) || !allEqual(g.constant(norm.inputs[2]), 0)) return false;
  const OfChannels scale = channelsBehind(g, back->outputs[0], "Mul", shape),
                   shift = scale.node ? channelsBehind(g, scale.node->outputs[0], "Add", shape) : OfChannels();
  Node made;
  made.opType = "GroupNormalization";
  made.domain = "ai.graphcore";
  made.opset = 1;
  made.attributes.set("num_groups", grouped[1]);
  made.attributes.set("epsilon", norm.attributes.real("epsilon", 1e-5f));
  const ElementType type = g.type(x).type;
  std::vector<const Node*> nodes{&norm};
  for (const OfChannels* of : {&scale, &shift}) {
    if (of->node) nodes.push_back(of->node);
    if (of->shaper) nodes.push_back(of->shaper);
  }
  // A trained scale or shift needs a Reshape node, which takes the place of `into` or `back`. Without a scale, the group norm
  // takes the place of `back`.
  if (!scale.node) nodes.push_back(back);
  const std::string name = norm.outputs[0];
  made.inputs = {x, asVector(g, scale, name + "/scale", 1, shape[1], type, *into),
                 asVector(g, shift, name + "/shift", 0, shape[1], type, *back)};
  for (const Node* reshape : {into, back}) // reshapes that were not reused for a parameter
    if (std::find(nodes.begin(), nodes.end(), reshape) == nodes.end() &&
        std::find(made.inputs.begin(), made.inputs.end(), reshape->outputs[0]) == made.inputs.end())
      nodes.push_back(reshape);
  g.replace(nodes, norm, std::move(made));
  return true;
}

} // namespace

int fuseGroupNorm(Graph& graph) { return forEachNode(graph, "InstanceNormalization", matchGroupNorm); }

} // namespace simcore::model
