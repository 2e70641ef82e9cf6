#include "simcore/model/graph/resolve_types.h"

#include "reports/core/progress.h"
#include "reports/core/within.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/expansion.h"
#include "simcore/model/graph/node_work.h"
#include "simcore/model/graph/operator.h"
#include "simcore/numerics/host_memory.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

namespace simcore::model {

namespace {

constexpr std::int64_t kLargestConstant = std::int64_t(1) << 30; // bytes of the results of folding one node

std::int64_t bytesOf(const HostTensor& tensor) { return tensor.count() * std::int64_t(numerics::hostSize(tensor.type())); }

struct Foldable {
  std::int64_t bytes; // bytes of constants that folding may still make
  double spent = 0;   // work of the nodes folded so far
};

void rename(std::string& name, const Renaming& names) {
  const auto found = names.find(name);
  if (found != names.end()) name = found->second;
}
} // namespace

std::int64_t foldableBytes(const Graph& graph) {
  std::int64_t bytes = 0;
  for (const auto& [name, value] : graph.initialisers) bytes += bytesOf(value);
  return 2 * kLargestConstant + 4 * bytes;
}

void rename(std::vector<Node>& nodes, const Renaming& names) {
  for (Node& node : nodes) {
    for (std::string& input : node.inputs) rename(input, names);
    for (std::string& output : node.outputs) rename(output, names);
    for (auto& [key, value] : node.attributes.all()) {
      auto* sub = std::get_if<std::shared_ptr<const Graph>>(&value);
      if (!sub) continue;
      Renaming inner;
      for (const std::string& outer : outerNames(**sub))
        if (const auto found = names.find(outer); found != names.end()) inner.insert(*found);
      auto copy = std::make_shared<Graph>(**sub);
      rename(copy->nodes, inner);
      for (auto& output : copy->outputs) rename(output.name, inner);
      *sub = std::move(copy);
    }
  }
}

namespace {

class Resolver {
public:
  Resolver(Graph& graph, const Resolver* outer, FoldingSummary& summary, Foldable& foldable, std::stop_token stop,
           const ObservedTypes* observed = nullptr, const AdaptNode& adapt = {})
      : m_graph(graph), m_outer(outer), m_summary(summary), m_foldable(foldable), m_stop(std::move(stop)), m_observed(observed),
        m_adapt(adapt), m_values{[this](const std::string& name) -> const TensorType& { return type(name); },
                                 [this](const std::string& name) { return constant(name); }},
        m_sequences(m_values) {
    for (const auto& [name, value] : graph.initialisers) graph.types[name] = {value.type(), value.shape()};
  }

  void run() {
    std::vector<Node> nodes = std::move(m_graph.nodes);
    m_graph.nodes.clear();
    process(nodes);
    if (m_outer) return;
    for (const auto& output : m_graph.outputs) type(output.name); // the operator may lack this output
    removeUnread();
  }

  const TensorType& type(const std::string& name) const {
    for (const Resolver* scope = this; scope; scope = scope->m_outer) {
      const auto found = scope->m_graph.types.find(name);
      if (found != scope->m_graph.types.end()) return found->second;
    }
    if (m_sequences.isSequence(name))
      throw Error(ErrorCode::Unsupported, "the sequence '" + name + "' is used where one value is needed");
    throw Error(ErrorCode::InvalidInput, "nothing defines the value '" + name + "'");
  }

private:
  const HostTensor* constant(const std::string& name) const {
    for (const Resolver* scope = this; scope; scope = scope->m_outer) {
      const auto found = scope->m_graph.initialisers.find(name);
      if (found != scope->m_graph.initialisers.end()) return scope->m_graph.trained.count(name) ? nullptr : &found->second;
      if (scope->m_graph.types.count(name)) return nullptr;
    }
    return nullptr;
  }

  void process(std::vector<Node>& nodes) {
    for (Node& node : nodes) {
      reports::throwIfStopped(m_stop);
      const std::string label = node.label();
      const std::size_t kept = m_graph.nodes.size();
      reports::within(label, [&] {
        try {
          processNode(node);
        } catch (const std::out_of_range&) { // the node lacks an input or a dimension that its operator needs
          throw Error(ErrorCode::InvalidInput, node.opType + " lacks an input, or an input lacks a dimension");
        } catch (const Error& e) {
          std::vector<Node> others = m_adapt && node.opType == "Loop" && e.code() != ErrorCode::Cancelled
                                         ? m_adapt(node, m_values)
                                         : std::vector<Node>();
          if (others.empty()) throw;
          m_graph.nodes.resize(kept);
          process(others);
        }
      });
    }
  }

  void processNode(Node& node) {
    if (auto ordinary = m_sequences.expand(node)) return process(*ordinary);
    if (m_adapt && node.opType != "Loop")
      if (std::vector<Node> changed = m_adapt(node, m_values); !changed.empty()) return process(changed);
    const auto read = [&](const std::string& input) { return Call::Operand{type(input), constant(input)}; };
    if (waitsForTypes(node)) {
      std::vector<Node> ordinary = expandWithTypes(Call(node, operandsOf(node, read), {}, {}));
      return process(ordinary);
    }
    const Operator& op = operatorFor(node);
    if (node.opType == "If" && node.domain.empty() && inlineBranch(node)) return;
    auto operands = operandsOf(node, read);
    bool known = !op.has(kRandom) && std::all_of(operands.begin(), operands.end(), [](const auto& o) { return !o || o->value; });
    const bool needsTypesOnly = node.domain.empty() && (node.opType == "Shape" || node.opType == "Size");
    for (const auto& [key, value] : node.attributes.all())
      if (std::holds_alternative<std::shared_ptr<const Graph>>(value)) known = false;
    const Call call(node, std::move(operands), {},
                    [this](const Graph& graph, const Types& types) { return subgraphTypes(graph, types); });
    if (auto ordinary = expandNode(call)) return process(*ordinary);
    if (known) requireReasonable(op, call);
    if (known || needsTypesOnly)
      fold(node, op.evaluate(call));
    else
      keep(node, typesOf(node, op, call));
  }

  // Estimates the memory of a folded constant from the types before it
  // is computed, because a few numbers in a file can request any amount.
  void requireReasonable(const Operator& op, const Call& call) {
    const char* advice = "make it smaller, or give it as an input";
    const double work = workBeyondElements(op, call);
    requireAffordable(call.node(), 0, work, kMostFoldedWork, advice);
    requireAffordable(call.node(), m_foldable.spent, work, kMostWorkOfFolding, advice);
    m_foldable.spent += work;
    Types types;
    try {
      types = op.infer(call);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Unsupported) return; // the kernel knows more, or reports the error
      throw;
    }
    std::int64_t bytes = 0; // a size is below 2^48
    for (const TensorType& type : types)
      bytes += numerics::elementCount(type.shape) * std::int64_t(numerics::hostSize(type.type));
    if (bytes > kLargestConstant)
      throw Error(ErrorCode::InvalidInput,
                  "a constant of " + std::to_string(bytes) + " bytes cannot be computed before the run: the limit is " +
                      std::to_string(kLargestConstant) + " bytes per node",
                  {}, "make it smaller, or give it as an input");
    if (bytes > m_foldable.bytes)
      throw Error(ErrorCode::InvalidInput,
                  "a constant of " + std::to_string(bytes) +
                      " bytes is not computed before the run: the model's constants take too much memory",
                  {}, "make them smaller, or give them as inputs");
    m_foldable.bytes -= bytes;
  }

  Types typesOf(const Node& node, const Operator& op, const Call& call) const {
    try {
      return op.infer(call);
    } catch (const Error& error) {
      if (!m_observed || error.code() != ErrorCode::Unsupported) throw;
      Types types;
      for (const std::string& output : node.outputs) {
        const auto inlined = m_inlined.find(output);
        const auto found = m_observed->find(inlined == m_inlined.end() ? output : inlined->second);
        if (!output.empty() && found == m_observed->end()) throw;
        types.push_back(output.empty() ? TensorType{} : found->second);
      }
      return types;
    }
  }

  static void requireGiven(const Node& node, std::size_t output, std::size_t given) {
    if (output >= given)
      throw Error(ErrorCode::Unsupported, "output " + std::to_string(output) + " of " + node.opType + " is not supported");
  }

  void fold(const Node& node, const Tensors& values) {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      requireGiven(node, i, values.size());
      m_graph.types[node.outputs[i]] = {values[i].type(), values[i].shape()};
      m_graph.initialisers[node.outputs[i]] = values[i];
    }
    ++m_summary.foldedNodes;
  }

  void keep(Node& node, const Types& types) {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      requireGiven(node, i, types.size());
      numerics::elementCount(types[i].shape);
      m_graph.types[node.outputs[i]] = types[i];
    }
    // Subgraphs stay typed and folded after the pass.
    for (auto& [key, value] : node.attributes.all())
      if (auto* sub = std::get_if<std::shared_ptr<const Graph>>(&value))
        if (const auto found = m_resolved.find(sub->get()); found != m_resolved.end()) *sub = found->second;
    m_resolved.clear();
    m_graph.nodes.push_back(std::move(node));
  }

  // Replaces the node by the branch that will be taken; the branch gets new names.
  bool inlineBranch(const Node& node) {
    if (node.inputs.size() != 1) throw Error(ErrorCode::InvalidInput, "If needs one condition");
    const HostTensor* condition = constant(node.inputs[0]);
    if (!condition) return false;
    if (condition->count() != 1) throw Error(ErrorCode::InvalidInput, "the condition of If must be one element");
    const Graph& branch = node.attributes.graph(condition->integerAt(0) ? "then_branch" : "else_branch");
    if (branch.outputs.size() != node.outputs.size())
      throw Error(ErrorCode::InvalidInput, "a branch of If and the node have different numbers of outputs");
    const std::string prefix = node.outputs[0] + "/" + std::to_string(m_summary.inlinedBranches++) + "/";
    Renaming names;
    for (const auto& [name, value] : branch.initialisers) names[name] = prefix + name;
    for (const Node& inner : branch.nodes)
      for (const std::string& output : inner.outputs)
        if (!output.empty()) names[output] = prefix + output;
    for (const auto& [name, value] : branch.initialisers) {
      m_graph.initialisers[names.at(name)] = value;
      m_graph.types[names.at(name)] = {value.type(), value.shape()};
    }
    for (const auto& [name, renamed] : names) m_inlined[renamed] = name;
    std::vector<Node> nodes = branch.nodes;
    rename(nodes, names);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      Node copy;
      copy.opType = "Identity";
      copy.name = node.name;
      copy.opset = node.opset;
      copy.inputs = {branch.outputs[i].name};
      rename(copy.inputs[0], names);
      copy.outputs = {node.outputs[i]};
      nodes.push_back(std::move(copy));
    }
    process(nodes);
    return true;
  }

  Types subgraphTypes(const Graph& graph, const Types& inputs) {
    if (inputs.size() != graph.inputs.size())
      throw Error(ErrorCode::InvalidInput, "a subgraph and its node have different numbers of inputs");
    const auto resolved = std::make_shared<Graph>(graph);
    Graph& copy = *resolved;
    for (std::size_t i = 0; i < inputs.size(); ++i) copy.types[graph.inputs[i].name] = inputs[i];
    FoldingSummary ignored;
    Resolver inner(copy, this, ignored, m_foldable, m_stop, nullptr, m_adapt);
    inner.run();
    Types types;
    for (const auto& output : copy.outputs) types.push_back(inner.type(output.name));
    m_resolved[&graph] = resolved;
    return types;
  }

  void removeUnread() {
    std::unordered_set<std::string> read;
    for (const auto& output : m_graph.outputs) read.insert(output.name);
    std::vector<Node> kept;
    for (std::size_t i = m_graph.nodes.size(); i-- > 0;) {
      Node& node = m_graph.nodes[i];
      const bool wanted = std::any_of(node.outputs.begin(), node.outputs.end(),
                                      [&](const std::string& name) { return !name.empty() && read.count(name) != 0; });
      if (!wanted) {
        ++m_summary.removedNodes;
        continue;
      }
      read.insert(node.inputs.begin(), node.inputs.end());
      for (const auto& [key, value] : node.attributes.all())
        if (const auto* sub = std::get_if<std::shared_ptr<const Graph>>(&value))
          for (const std::string& outer : outerNames(**sub)) read.insert(outer);
      kept.push_back(std::move(node));
    }
    std::reverse(kept.begin(), kept.end());
    m_graph.nodes = std::move(kept);
    std::erase_if(m_graph.initialisers, [&](const auto& entry) { return !read.count(entry.first); });
  }

  Graph& m_graph;
  const Resolver* m_outer;
  FoldingSummary& m_summary;
  Foldable& m_foldable;
  std::stop_token m_stop;
  const ObservedTypes* m_observed;
  std::unordered_map<const Graph*, std::shared_ptr<const Graph>> m_resolved; // resolved subgraphs of the current node
  std::unordered_map<std::string, std::string> m_inlined; // values of inlined branches: their names in the branch
  const AdaptNode& m_adapt;
  const NodeValues m_values;
  SequenceExpansion m_sequences;
};

} // namespace

FoldingSummary resolveTypes(Model& model, std::stop_token stop, const ObservedTypes* observed, const AdaptNode& adapt) {
  FoldingSummary summary;
  reports::within(model.file, [&] {
    for (const auto& input : model.graph.inputs) {
      const auto bound = model.inputTypes.find(input.name);
      if (bound == model.inputTypes.end())
        throw Error(ErrorCode::Internal, "the shape of input '" + input.name + "' was not bound");
      model.graph.types[input.name] = bound->second;
    }
    Foldable foldable{foldableBytes(model.graph)};
    const numerics::MemoryAllowance allowance(foldable.bytes);
    Resolver(model.graph, nullptr, summary, foldable, std::move(stop), observed, adapt).run();
  });
  return summary;
}

} // namespace simcore::model
