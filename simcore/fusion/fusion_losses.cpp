// Cross-entropy of scores as two nodes: log-probabilities, and the loss that reads them. So a model that also returns its log-probabilities
// computes them once, and the gradient reads them instead of a second softmax.
#include "simcore/fusion/pattern_graph.h"

#include <fmt/format.h>

#include <set>

namespace simcore::model {

namespace {

constexpr std::int64_t kFirstOpsetOfOneAxis = 13; // in earlier opsets all dimensions from the axis on count as one

// Whether the node is the logarithm of a softmax over dimension 1 alone, as in the loss.
bool isOverClasses(const Graph& graph, const Node& node) {
  if (node.opType != "LogSoftmax" || !node.domain.empty()) return false;
  const auto rank = std::int64_t(graph.types.at(node.inputs[0]).shape.size());
  const bool isOneAxis = node.opset >= kFirstOpsetOfOneAxis;
  const std::int64_t axis = node.attributes.integer("axis", isOneAxis ? -1 : 1);
  return (isOneAxis || rank == 2) && (axis < 0 ? axis + rank : axis) == 1;
}

// The node's name with this ending, or a number behind it if a value has that name.
std::string freeName(const Graph& graph, const std::string& name) {
  std::string free = name;
  for (int i = 2; graph.types.count(free) || graph.initialisers.count(free); ++i) free = fmt::format("{}_{}", name, i);
  return free;
}

Node logarithmsOf(Graph& graph, const Node& loss) {
  Node made = loss;
  const std::string name = loss.name.empty() ? loss.outputs[0] : loss.name;
  made.opType = "LogSoftmax", made.name = name + "/logSoftmax", made.opset = int(kFirstOpsetOfOneAxis);
  made.inputs = {loss.inputs[0]};
  const bool isOutput = loss.outputs.size() > 1 && !loss.outputs[1].empty();
  made.outputs = {isOutput ? loss.outputs[1] : freeName(graph, name + "/logProbabilities")};
  made.attributes = {};
  made.attributes.set("axis", std::int64_t(1));
  made.fused = {{name, loss.opType}};
  graph.types[made.outputs[0]] = graph.types.at(loss.inputs[0]);
  return made;
}

} // namespace

int splitClassLosses(Graph& graph) {
  int found = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].opType != "SoftmaxCrossEntropyLoss" || !graph.nodes[i].domain.empty()) continue;
    const auto begin = graph.nodes.begin(), at = begin + std::ptrdiff_t(i);
    const bool wantsLogarithms = at->outputs.size() > 1 && !at->outputs[1].empty();
    const auto known = std::find_if(begin, graph.nodes.end(), [&](const Node& node) {
      return !wantsLogarithms && isOverClasses(graph, node) && node.inputs[0] == at->inputs[0];
    });
    const std::string name = at->name.empty() ? at->outputs[0] : at->name;
    std::string logarithms;
    if (known == graph.nodes.end()) {
      Node made = logarithmsOf(graph, *at);
      logarithms = made.outputs[0];
      graph.nodes.insert(at, std::move(made));
      ++i;
    } else {
      logarithms = known->outputs[0];
      if (known > at) std::rotate(at, known, known + 1), ++i; // it reads nothing that the loss does not read
    }
    Node& loss = graph.nodes[i];
    loss.fused.push_back({name, loss.opType});
    loss.opType = "NegativeLogLikelihoodLoss";
    loss.inputs[0] = logarithms;
    loss.outputs.resize(1);
    ++found;
  }
  return found;
}

} // namespace simcore::model
