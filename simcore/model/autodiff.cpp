#include "simcore/model/autodiff.h"

#include "simcore/model/evaluate.h"
#include "simcore/model/gradient.h"

#include <algorithm>

namespace simcore::model {

using reports::Error;
using reports::ErrorCode;

// What is known while walking backwards: who wants a gradient and what it is so far.
class GradientTape {
public:
  GradientTape(Graph& graph, const std::vector<std::string>& wanted) : m_builder(graph), m_needed(wanted.begin(), wanted.end()) {
    for (const std::string& name : wanted)
      if (!numerics::isFloating(m_builder.type(name).type))
        throw Error(ErrorCode::InvalidInput, "'" + name + "' is not floating and has no gradient");
    for (const Node& node : graph.nodes) {
      const auto reads = namesReadBy(node);
      if (std::none_of(reads.begin(), reads.end(), [&](const std::string& name) { return m_needed.count(name); })) continue;
      for (const std::string& output : node.outputs)
        if (!output.empty() && numerics::isFloating(m_builder.type(output).type)) m_needed.insert(output);
    }
  }

  GraphBuilder& builder() { return m_builder; }
  bool needs(const std::string& name) const { return !name.empty() && m_needed.count(name); }
  std::string of(const std::string& name) const {
    const auto found = m_gradients.find(name);
    return found == m_gradients.end() ? std::string() : found->second;
  }
  void give(const std::string& name, const std::string& gradient) {
    if (!needs(name)) return;
    if (m_builder.shape(gradient) != m_builder.shape(name))
      throw Error(ErrorCode::Internal, "the gradient of '" + name + "' is " + numerics::toString(m_builder.shape(gradient)) +
                                           " instead of " + numerics::toString(m_builder.shape(name)));
    std::string& so_far = m_gradients[name];
    so_far = so_far.empty() ? gradient : m_builder.add("Add", {so_far, gradient});
  }

private:
  GraphBuilder m_builder;
  std::set<std::string> m_needed;
  std::unordered_map<std::string, std::string> m_gradients;
};

GradientCall::GradientCall(GradientTape& tape, const Node& node)
    : m_tape(tape), m_node(node), m_graph(tape.builder()), m_call(m_graph.call(node)) {}

std::string GradientCall::gradient(std::size_t i) const {
  return i < m_node.outputs.size() ? m_tape.of(m_node.outputs[i]) : std::string();
}
bool GradientCall::wants(std::size_t i) const { return i < m_node.inputs.size() && m_tape.needs(m_node.inputs[i]); }
void GradientCall::give(std::size_t i, const std::string& gradient) const {
  if (i < m_node.inputs.size()) m_tape.give(m_node.inputs[i], gradient);
}
void GradientCall::fail(const std::string& why) const {
  throw Error(ErrorCode::Unsupported, "the gradient of " + m_node.opType + " is not supported: " + why);
}

GradientFunction gradientFor(const Node& node) {
  static const auto table = [] {
    std::unordered_map<std::string, GradientFunction> map;
    for (const auto family : {elementwiseGradients(), layoutGradients(), neuralGradients(), normalisationGradients()})
      for (const GradientEntry& entry : family) map[entry.type] = entry.gradient;
    return map;
  }();
  const auto found = table.find(node.opType);
  return found == table.end() ? nullptr : found->second;
}

bool isDifferentiable(const Node& node) { return gradientFor(node) != nullptr; }

namespace {
void goBack(GradientTape& tape, const Node& node) {
  const bool reached = std::any_of(node.outputs.begin(), node.outputs.end(),
                                   [&](const std::string& name) { return !name.empty() && !tape.of(name).empty(); });
  const bool needed =
      std::any_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& name) { return tape.needs(name); });
  if (!reached || !needed) return;
  const GradientFunction gradient = gradientFor(node);
  if (!gradient)
    throw Error(ErrorCode::Unsupported, "operator " + node.opType + " has no gradient", {},
                "freeze what comes before it, or use another operator");
  tape.builder().setPath({"bwd", node.name.empty() ? node.outputs.at(0) : node.name});
  gradient(GradientCall(tape, node));
}

// Nodes from `first` on whose results lead to nothing in `read`.
void dropUnread(Graph& graph, std::size_t first, std::set<std::string> read) {
  std::vector<Node> kept;
  while (graph.nodes.size() > first) {
    Node& node = graph.nodes.back();
    if (std::any_of(node.outputs.begin(), node.outputs.end(), [&](const std::string& name) { return read.count(name) != 0; })) {
      read.insert(node.inputs.begin(), node.inputs.end());
      kept.push_back(std::move(node));
    }
    graph.nodes.pop_back();
  }
  std::move(kept.rbegin(), kept.rend(), std::back_inserter(graph.nodes));
}
} // namespace

std::unordered_map<std::string, std::string> addGradients(Graph& graph, const std::string& loss,
                                                          const std::vector<std::string>& wanted, double scale) {
  GradientTape tape(graph, wanted);
  GraphBuilder& builder = tape.builder();
  const TensorType type = builder.type(loss);
  if (numerics::elementCount(type.shape) != 1)
    throw Error(ErrorCode::InvalidInput, "the loss '" + loss + "' has " + numerics::toString(type.shape) + " elements, not one");
  if (!tape.needs(loss)) throw Error(ErrorCode::InvalidInput, "the loss '" + loss + "' does not depend on any parameter");
  builder.setPath({"bwd"});
  tape.give(loss, builder.constant("grad/" + loss, numerics::HostTensor::full(type.type, type.shape, scale)));
  // Nodes are appended while walking, so the walk is over a copy.
  const std::vector<Node> forward = graph.nodes;
  for (std::size_t i = forward.size(); i-- > 0;) {
    try {
      goBack(tape, forward[i]);
    } catch (const Error& error) {
      throw error.within(forward[i].label());
    }
  }
  std::unordered_map<std::string, std::string> gradients;
  std::set<std::string> read;
  for (const std::string& name : wanted)
    if (const std::string gradient = tape.of(name); !gradient.empty()) read.insert(gradients[name] = gradient);
  dropUnread(graph, forward.size(), std::move(read));
  return gradients;
}

} // namespace simcore::model
