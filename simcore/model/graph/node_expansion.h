// Nodes that stand for several ordinary ones, replaced before types are inferred, so that plans and gradients follow by themselves:
// Dropout in training draws a mask on the machine, and the backward pass reads that very mask.
#pragma once

#include "simcore/model/graph/operator.h"

#include <optional>

namespace simcore::model {

// The nodes in the place of this one; nothing where it is ordinary itself.
std::optional<std::vector<Node>> expandNode(const Call& call);

} // namespace simcore::model
