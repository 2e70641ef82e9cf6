// Replaces composite nodes by ordinary ones before plans and gradients are made, so that composite nodes need neither: calls of
// functions and contrib operators when the file is read, all others during type inference. Dropout in training draws on the
// machine; the backward pass drops the same elements again, by the seed, or by the mask if the mask is a result. Exporters use
// sequences for lists of known length (the parts of a split, the outputs of an unrolled loop, a list that a loop appends to).
// Here a sequence is the list of names of its elements; sequences never reach the machine.
#pragma once

#include "simcore/model/graph/operator.h"
#include "simcore/model/graph/resolve_types.h"

#include <optional>
#include <unordered_map>

namespace simcore::model {

// The nodes that replace this node; nullopt for an ordinary node.
std::optional<std::vector<Node>> expandNode(const Call& call);
// Replaces a Scan over other axes, or backwards, by one over axis 0; nullopt for any other node.
std::optional<std::vector<Node>> expandScan(const Call& call);

// A function of a model: the nodes of its body, with the names of its inputs and outputs.
struct Function {
  std::string domain, name;
  std::vector<std::string> inputs, outputs;
  std::vector<Node> nodes;
};

// Replaces calls of functions and operators of com.microsoft, in the graph and its subgraphs, by their bodies; `opset` is that of
// the standard domain. Names made for a call begin with "<name of the call>#<number>/". Throws reports::Error(InvalidInput) for
// functions that call each other endlessly, (Unsupported) if the bodies of functions exceed a million nodes, for unsupported
// contrib inputs and attributes, and for nodes of an unknown form (requireKnownForm()).
void expandCalls(Graph& graph, const std::vector<Function>& functions, int opset);

// The standard nodes that replace an operator of com.microsoft, in the standard domain's `opset`; none for any other operator.
// New names begin with `prefix`. Throws reports::Error(Unsupported) for unsupported inputs or attributes.
// An operator that needs types first is returned as the only node, with that opset.
std::vector<Node> expandContrib(const Node& node, const std::string& prefix, int opset);
// Operators of language models, of the standard domain (opset 23 and later) and of com.microsoft. They too need types first.
bool isLanguageOperator(const Node& node);
std::vector<Node> expandLanguageOperator(const Call& call);
// Decision trees of ai.onnx.ml. They are expanded once types are known.
inline constexpr const char* kLearningDomain = "ai.onnx.ml";
bool isTreeEnsemble(const Node& node);
std::vector<Node> expandTreeEnsemble(const Call& call);
// Operators whose meaning depends on the rank of an input, and the nodes that replace them once types are known.
bool waitsForTypes(const Node& node);
std::vector<Node> expandWithTypes(const Call& call);

class SequenceExpansion {
public:
  explicit SequenceExpansion(NodeValues values) : m_values(std::move(values)) {}

  // The ordinary nodes that replace a node which makes or reads a sequence; nullopt for any other node. Throws
  // reports::Error(Unsupported) if the length of a sequence, or a position in it, is unknown before the run.
  std::optional<std::vector<Node>> expand(const Node& node);
  bool isSequence(const std::string& name) const { return m_sequences.count(name) != 0; }

private:
  using Names = std::vector<std::string>;

  const Names& sequence(const std::string& name) const;
  std::int64_t integer(const Node& node, std::size_t input, std::int64_t standard) const;
  std::vector<Node> split(const Node& node);
  std::vector<Node> concat(const Node& node);
  std::optional<std::vector<Node>> loop(const Node& node);

  NodeValues m_values;
  std::unordered_map<std::string, Names> m_sequences;
};

} // namespace simcore::model
