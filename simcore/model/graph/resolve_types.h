// Gives every value of a model its static type and folds everything that does not depend on the inputs. Both are one pass,
// because shapes depend on folded values (the target of a Reshape) and values on shapes (Shape, Size).
#pragma once

#include "simcore/model/graph/graph.h"

#include <functional>
#include <stop_token>

namespace simcore::model {

struct FoldingSummary {
  std::size_t foldedNodes = 0;     // evaluated before the run
  std::size_t inlinedBranches = 0; // number of If nodes with a known condition
  std::size_t removedNodes = 0;    // nodes with unread results
};

// Types by value name, from an evaluation with the values of the run. They are used if the type cannot be inferred before the run
// (NonMaxSuppression, a Reshape to a computed shape); the numbers of such a node must then come from the same values.
using ObservedTypes = std::unordered_map<std::string, TensorType>;
// Types and constants available to a node during type inference.
struct NodeValues {
  std::function<const TensorType&(const std::string&)> type;
  std::function<const numerics::HostTensor*(const std::string&)> constant; // null: unknown before the run
};
// Called for each node before its types are inferred; for a Loop, after their inference failed. Returns nodes to replace it, or none.
using AdaptNode = std::function<std::vector<Node>(const Node&, const NodeValues&)>;
// Needs bindShapes() first. Afterwards graph.types holds the type of every value, constant nodes are initialisers, an If with a
// known condition is replaced by the branch taken (the other branch is not checked), and nodes with unread results are removed.
// Throws reports::Error with file and node as the location.
FoldingSummary resolveTypes(Model& model, std::stop_token stop = {}, const ObservedTypes* observed = nullptr,
                            const AdaptNode& adapt = {});
// Renames the inputs and outputs of nodes; names that a subgraph defines itself are not changed in it.
using Renaming = std::unordered_map<std::string, std::string>;
void rename(std::vector<Node>& nodes, const Renaming& names);
// Limit for the bytes of all constants that folding makes in a graph, because a few nodes in a file can request any number of
// them. In a large model these constants are its own weights, cast, transposed and joined.
std::int64_t foldableBytes(const Graph& graph);

} // namespace simcore::model
