// Appends the backward graph of a typed graph. Gradients of a value that is read k times are summed as they come, so that
// no more than two of them are alive.
#pragma once

#include "simcore/model/graph.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace simcore::model {

// `loss` is a value of one element; the gradients are those of `scale` times it. Nodes get the debug path {"bwd", forward
// node}. Returns the name of the gradient of each value in `wanted`, which must be floating; values that the loss does not
// depend on are left out. Throws reports::Error(Unsupported) naming operator and node where an operator on the way has no
// gradient, InvalidInput for a loss that is no scalar or does not depend on any of `wanted`.
std::unordered_map<std::string, std::string> addGradients(Graph& graph, const std::string& loss,
                                                          const std::vector<std::string>& wanted, double scale = 1);

// Whether nodes of this operator have a gradient.
bool isDifferentiable(const Node& node);

} // namespace simcore::model
