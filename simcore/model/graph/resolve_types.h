// Gives every value of a model its static type and folds what does not depend on the inputs. The two are one walk, because
// shapes depend on folded values (the target of a Reshape) and values on shapes (Shape, Size).
#pragma once

#include "simcore/model/graph/graph.h"

#include <stop_token>

namespace simcore::model {

struct FoldingSummary {
  std::size_t foldedNodes = 0;     // evaluated before the run
  std::size_t inlinedBranches = 0; // If nodes whose condition was known
  std::size_t removedNodes = 0;    // whose results nothing reads
};

// Needs bindShapes() first. Afterwards graph.types holds the type of every value, nodes that were constant are initialisers,
// an If with a known condition is replaced by the branch taken (the other branch is never looked at), and nodes whose
// results nothing reads are gone. Throws reports::Error with file and node in its place.
// Types that an evaluation on the very values of the run gave, by name. They stand in for rules that cannot say a type before
// the run (NonMaxSuppression, a Reshape to a computed shape); the numbers of such a node must then come from the same values.
using ObservedTypes = std::unordered_map<std::string, TensorType>;
FoldingSummary resolveTypes(Model& model, std::stop_token stop = {}, const ObservedTypes* observed = nullptr);
// The types of all values of the main graph for these inputs, which must be all of the model's.
ObservedTypes observeTypes(const Model& model, const std::unordered_map<std::string, numerics::HostTensor>& inputs,
                           std::stop_token stop = {});

} // namespace simcore::model
