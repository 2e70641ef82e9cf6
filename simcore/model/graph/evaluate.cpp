#include "simcore/model/graph/evaluate.h"

#include "reports/core/within.h"
#include "simcore/model/graph/expansion.h"
#include "simcore/model/graph/names_read.h"
#include "simcore/model/graph/node_work.h"

#include <algorithm>

namespace simcore::model {

namespace {

// The values of one graph during evaluation. Names that this graph does not hold are looked up in the scopes around it.
class Scope {
public:
  Scope(const Graph& graph, Scope* outer, const EvaluationOptions& options) : m_graph(graph), m_outer(outer), m_options(options) {
    for (const Node& node : graph.nodes) forEachNameRead(node, [&](const std::string& name) { ++m_uses[name]; });
    for (const auto& output : graph.outputs) ++m_uses[output.name];
  }

  void set(const std::string& name, HostTensor value) {
    if (m_options.halfPrecision) value = value.roundedToHalf();
    m_values[name] = std::move(value);
  }

  const HostTensor& find(const std::string& name) const {
    for (const Scope* scope = this; scope; scope = scope->m_outer) {
      const auto value = scope->m_values.find(name);
      if (value != scope->m_values.end()) return value->second;
      const auto weight = scope->m_graph.initialisers.find(name);
      if (weight == scope->m_graph.initialisers.end()) continue;
      if (!m_options.halfPrecision) return weight->second;
      return scope->m_rounded.emplace(name, weight->second.roundedToHalf()).first->second;
    }
    throw Error(ErrorCode::InvalidInput, "nothing defines the value '" + name + "'");
  }

  Tensors run() {
    for (const Node& node : m_graph.nodes) {
      reports::throwIfStopped(m_options.stop);
      reports::within([&] { return node.label(); }, [&] { runNode(node); });
      release(node);
    }
    Tensors outputs;
    for (const auto& output : m_graph.outputs) outputs.push_back(find(output.name));
    return outputs;
  }

private:
  void runNode(const Node& node) {
    auto operands = operandsOf(node, [&](const std::string& input) {
      const HostTensor& value = find(input);
      return Call::Operand{{value.type(), value.shape()}, &value};
    });
    const Call call(node, std::move(operands),
                    [this](const Graph& graph, const Tensors& inputs) { return runSubgraph(graph, inputs); }, {});
    if (waitsForTypes(node)) return runParts(expandWithTypes(call), node);
    const Operator& op = operatorFor(node);
    spend(op, call);
    requireRoom(op, call);
    const Tensors outputs = op.evaluate(call);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      if (i >= outputs.size())
        throw Error(ErrorCode::Unsupported, "output " + std::to_string(i) + " of " + node.opType + " is not supported");
      set(node.outputs[i], outputs[i]);
    }
    if (m_options.observe && (!m_outer || m_options.observesSubgraphs)) m_options.observe(node, outputs);
  }

  // Computes the nodes that replace `whole` and keeps only the outputs of `whole`.
  void runParts(const std::vector<Node>& parts, const Node& whole) {
    for (const Node& part : parts) runNode(part);
    for (const Node& part : parts)
      for (const std::string& output : part.outputs)
        if (std::find(whole.outputs.begin(), whole.outputs.end(), output) == whole.outputs.end()) m_values.erase(output);
  }

  Tensors runSubgraph(const Graph& graph, const Tensors& inputs) {
    if (inputs.size() != graph.inputs.size())
      throw Error(ErrorCode::InvalidInput, "the subgraph '" + graph.name + "' takes " + std::to_string(graph.inputs.size()) +
                                               " inputs, not " + std::to_string(inputs.size()));
    Scope inner(graph, this, m_options);
    for (std::size_t i = 0; i < inputs.size(); ++i) inner.set(graph.inputs[i].name, inputs[i]);
    return inner.run();
  }

  void spend(const Operator& op, const Call& call) {
    Scope* root = this;
    while (root->m_outer) root = root->m_outer;
    const double work = hostWork(op, call) + (m_outer ? kWorkOfANode : 0);
    requireAffordable(call.node(), root->m_spent, work, m_options.mostWork, m_options.advice);
    root->m_spent += work;
  }

  // Drops values without further readers, so that memory follows liveness.
  void release(const Node& node) {
    for (const std::string& name : namesReadBy(node)) {
      const auto uses = m_uses.find(name);
      if (uses != m_uses.end() && --uses->second == 0) m_values.erase(name);
    }
    for (const std::string& name : node.outputs)
      if (!m_uses.count(name)) m_values.erase(name);
  }

  const Graph& m_graph;
  Scope* m_outer;
  const EvaluationOptions& m_options;
  std::unordered_map<std::string, HostTensor> m_values;
  std::unordered_map<std::string, int> m_uses;
  mutable std::unordered_map<std::string, HostTensor> m_rounded;
  double m_spent = 0; // work of all iterations of all loops
};

} // namespace

Tensors evaluate(const Model& model, const std::unordered_map<std::string, HostTensor>& inputs,
                 const EvaluationOptions& options) {
  return reports::within(model.file, [&] {
    Scope scope(model.graph, nullptr, options);
    std::size_t used = 0;
    for (const auto& declared : model.graph.inputs) {
      if (!declared.type) throw Error(ErrorCode::Unsupported, "input '" + declared.name + "' is not a tensor of numbers");
      const auto given = inputs.find(declared.name);
      if (given == inputs.end()) throw Error(ErrorCode::InvalidInput, "input '" + declared.name + "' is not given");
      if (declared.type && *declared.type != given->second.type())
        throw Error(ErrorCode::InvalidInput, "input '" + declared.name + "' should be " +
                                                 numerics::elementTypeName(*declared.type) + ", not " +
                                                 numerics::elementTypeName(given->second.type()));
      scope.set(declared.name, given->second);
      ++used;
    }
    if (used != inputs.size())
      for (const auto& [name, value] : inputs) {
        bool declared = false;
        for (const auto& input : model.graph.inputs) declared = declared || input.name == name;
        if (declared) continue;
        // Files before IR version 4 list weights as inputs too; a caller may replace such a weight.
        if (model.graph.initialisers.count(name))
          scope.set(name, value);
        else
          throw Error(ErrorCode::InvalidInput, "the model has no input '" + name + "'");
      }
    return scope.run();
  });
}

Tensors evaluateNode(const Node& node, const std::unordered_map<std::string, HostTensor>& values) {
  Graph graph;
  graph.initialisers = values;
  graph.nodes = {node};
  for (const std::string& output : node.outputs)
    if (!output.empty()) graph.outputs.push_back({output, {}, {}});
  const EvaluationOptions options;
  return Scope(graph, nullptr, options).run();
}

std::vector<std::string> namesReadBy(const Node& node) {
  std::vector<std::string> names;
  names.reserve(node.inputs.size());
  forEachNameRead(node, [&](const std::string& name) { names.push_back(name); });
  return names;
}

} // namespace simcore::model
