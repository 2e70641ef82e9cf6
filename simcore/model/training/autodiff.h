// Appends the backward graph of a typed graph. Gradients of a value that is read k times are summed as they come, so that
// no more than two of them are alive.
#pragma once

#include "simcore/model/graph.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace simcore::model {

// What addGradients() tells beside the gradients, and what it can be told.
struct BackwardPass {
  std::string seed; // given: a scalar value to start from instead of `scale`
  // Given: the IPU of each node of the graph. Gradients of wanted values that several IPUs contribute to are then not summed up:
  // `partsOn` has the part of every IPU, and the returned gradient is that of the first.
  std::vector<int> ipuOfNode;
  std::unordered_map<std::string, std::map<int, std::string>> partsOn;
  std::unordered_map<std::string, std::size_t> forwardNode; // out: by output of each backward node, whose gradient it is
};

// `loss` is a value of one element; the gradients are those of `scale` times it. Nodes get the debug path {"bwd", forward
// node}. Returns the name of the gradient of each value in `wanted`, which must be floating; values that the loss does not
// depend on are left out. Throws reports::Error(Unsupported) naming operator and node where an operator on the way has no
// gradient, InvalidInput for a loss that is no scalar or does not depend on any of `wanted`.
std::unordered_map<std::string, std::string> addGradients(Graph& graph, const std::string& loss,
                                                          const std::vector<std::string>& wanted, double scale = 1,
                                                          BackwardPass* pass = nullptr);

// Whether nodes of this operator have a gradient.
bool isDifferentiable(const Node& node);

} // namespace simcore::model
