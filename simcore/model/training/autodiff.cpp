#include "simcore/model/training/autodiff.h"

#include "reports/core/within.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/training/batch_statistics.h"
#include "simcore/model/training/gradient_reasons.h"

#include <algorithm>

namespace simcore::model {

// The state of the backward pass: values that need a gradient, and their gradients so far.
class GradientTape {
public:
  GradientTape(Graph& graph, const std::vector<std::string>& wanted, BackwardPass* pass)
      : m_builder(graph), m_needed(wanted.begin(), wanted.end()) {
    if (pass && !pass->stageOfNode.empty()) m_pass = pass;
    m_leaves.insert(wanted.begin(), wanted.end());
    for (const std::string& name : wanted)
      if (!numerics::isFloating(m_builder.type(name).type))
        throw Error(ErrorCode::InvalidInput, "'" + name + "' is not floating and has no gradient");
    for (const Node& node : graph.nodes) follow(node);
  }

  // Outputs of a node that reads a needed value are needed too. Integers that represent floats pass gradients on.
  void follow(const Node& node) {
    const auto reads = namesReadBy(node);
    if (std::none_of(reads.begin(), reads.end(), [&](const std::string& name) { return m_needed.count(name); })) return;
    for (const std::string& output : node.outputs)
      if (!output.empty() && (numerics::isFloating(m_builder.type(output).type) || node.opType == "QuantizeLinear"))
        m_needed.insert(output);
  }

  GraphBuilder& builder() { return m_builder; }
  bool needs(const std::string& name) const { return !name.empty() && m_needed.count(name); }
  // The following gradients belong to this forward node.
  void enter(std::size_t forwardNode) { m_at = forwardNode; }
  std::string of(const std::string& name) const {
    if (m_pass && m_leaves.count(name)) {
      const auto parts = m_pass->partsOn.find(name);
      return parts == m_pass->partsOn.end() ? std::string() : parts->second.begin()->second;
    }
    const auto found = m_gradients.find(name);
    return found == m_gradients.end() ? std::string() : found->second;
  }
  void give(const std::string& name, const std::string& gradient) {
    if (!needs(name)) return;
    if (m_builder.shape(gradient) != m_builder.shape(name))
      throw Error(ErrorCode::Internal, "the gradient of '" + name + "' is " + numerics::toString(m_builder.shape(gradient)) +
                                           " instead of " + numerics::toString(m_builder.shape(name)));
    std::string& so_far = m_pass && m_leaves.count(name) ? m_pass->partsOn[name][m_pass->stageOfNode[m_at]] : m_gradients[name];
    so_far = so_far.empty() ? gradient : m_builder.add("Add", {so_far, gradient});
  }

private:
  GraphBuilder m_builder;
  std::set<std::string> m_needed, m_leaves;
  BackwardPass* m_pass = nullptr; // set if a leaf has a gradient per stage
  std::size_t m_at = 0;
  std::unordered_map<std::string, std::string> m_gradients;
};

GradientCall::GradientCall(GradientTape& tape, const Node& node)
    : m_tape(tape), m_node(node), m_graph(tape.builder()), m_call(m_graph.call(node)) {}

std::string GradientCall::gradient(std::size_t i) const {
  return i < m_node.outputs.size() ? m_tape.of(m_node.outputs[i]) : std::string();
}
bool GradientCall::wants(std::size_t i) const { return i < m_node.inputs.size() && m_tape.needs(m_node.inputs[i]); }
void GradientCall::give(std::size_t i, const std::string& gradient) const {
  if (i >= m_node.inputs.size()) return;
  nameProduct(i, gradient);
  m_tape.give(m_node.inputs[i], gradient);
}

// Names the two gradient products of a product by their operand (LhsGrad, RhsGrad) in the report; views and sums may follow them.
void GradientCall::nameProduct(std::size_t i, std::string gradient) const {
  const auto isProduct = [](const Node& node) { return node.opType == "Gemm" || node.opType == "MatMul"; };
  auto& nodes = m_graph.graph().nodes;
  if (!isProduct(m_node) || i > 1 || !wants(i)) return;
  for (auto node = nodes.rbegin(); node != nodes.rend() && node->path == m_graph.path(); ++node) {
    if (node->outputs[0] != gradient) continue;
    if (isProduct(*node)) node->name = m_node.opType + (i == 0 ? "LhsGrad" : "RhsGrad");
    if (isProduct(*node) || node->inputs.empty()) return;
    gradient = node->inputs[0];
  }
}
void GradientCall::fail(const std::string& why) const {
  throw Error(ErrorCode::Unsupported, "the gradient of " + m_node.opType + " is not supported: " + why);
}

namespace {
// `isInner`: the node is part of another node's backward pass and keeps that node's name.
void goBack(GradientTape& tape, const Node& node, bool isInner = false) {
  const bool reached = std::any_of(node.outputs.begin(), node.outputs.end(),
                                   [&](const std::string& name) { return !name.empty() && !tape.of(name).empty(); });
  const auto reads = namesReadBy(node);
  const bool needed = std::any_of(reads.begin(), reads.end(), [&](const std::string& name) { return tape.needs(name); });
  if (!reached || !needed) return;
  const auto gradient = operatorFor(node).gradient;
  if (!gradient) {
    const std::string reason = whyNoGradient(operatorFor(node));
    throw Error(ErrorCode::Unsupported, "operator " + node.opType + " has no gradient" + (reason.empty() ? "" : ": " + reason),
                {}, "freeze what comes before it, or use another operator");
  }
  if (!isInner) {
    tape.builder().setPath({"bwd", node.name.empty() ? node.outputs.at(0) : node.name});
    tape.builder().setSource(node.source);
  }
  gradient(GradientCall(tape, node));
}

} // namespace

void GradientCall::through(const std::function<std::vector<std::string>()>& build) const {
  const std::size_t first = m_graph.graph().nodes.size();
  const std::vector<std::string> results = build();
  const auto& nodes = m_graph.graph().nodes;
  const std::vector<Node> made(nodes.begin() + std::ptrdiff_t(first), nodes.end());
  for (const Node& node : made) m_tape.follow(node);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (const std::string dy = gradient(i); !dy.empty() && !results[i].empty()) m_tape.give(results[i], dy);
  for (std::size_t i = made.size(); i-- > 0;) goBack(m_tape, made[i], true);
}

namespace {
// Drops nodes from `first` on whose results do not contribute to `read`.
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

std::unordered_map<std::string, std::string>
addGradients(Graph& graph, const std::string& loss, const std::vector<std::string>& wanted, double scale, BackwardPass* pass) {
  keepBatchStatistics(graph);
  GradientTape tape(graph, wanted, pass);
  GraphBuilder& builder = tape.builder();
  const TensorType type = builder.type(loss);
  if (numerics::elementCount(type.shape) != 1)
    throw Error(ErrorCode::InvalidInput, "the loss '" + loss + "' has " + numerics::toString(type.shape) + " elements, not one");
  if (!tape.needs(loss)) throw Error(ErrorCode::InvalidInput, "the loss '" + loss + "' does not depend on any parameter");
  builder.setPath({"bwd"});
  builder.setSource({});
  if (pass && !pass->seed.empty())
    tape.give(loss, builder.reshape(pass->seed, type.shape));
  else
    tape.give(loss, builder.constant("grad/" + loss, numerics::HostTensor::full(type.type, type.shape, scale)));
  // Nodes are appended during the pass, so it uses a copy.
  const std::vector<Node> forward = graph.nodes;
  for (std::size_t i = forward.size(); i-- > 0;) {
    const std::size_t before = graph.nodes.size();
    tape.enter(i);
    reports::within(forward[i].label(), [&] { goBack(tape, forward[i]); });
    for (std::size_t made = before; pass && made < graph.nodes.size(); ++made)
      for (const std::string& output : graph.nodes[made].outputs) pass->forwardNode.emplace(output, i);
  }
  std::unordered_map<std::string, std::string> gradients;
  std::set<std::string> read;
  for (const std::string& name : wanted)
    if (const std::string gradient = tape.of(name); !gradient.empty()) {
      read.insert(gradients[name] = gradient);
      if (pass && pass->partsOn.count(name))
        for (const auto& [ipu, part] : pass->partsOn.at(name)) read.insert(part);
    }
  dropUnread(graph, forward.size(), std::move(read));
  return gradients;
}

} // namespace simcore::model
