// Kernel of a step that keeps a state between executions, e.g. a random number generator. The state belongs to the engine that
// runs the step: a new engine begins with an empty state, and engines of one executable do not share it.
#pragma once

#include "simcore/graph/program.h"

#include <any>

namespace simcore::graph {

// The state of one step on one replica.
struct LastingState {
  std::any memory;         // after the previous execution; empty at the first
  std::uint64_t seed = 0;  // of the engine
  std::size_t replica = 0; // 0: the first, or the only one
};

struct LastingKernel {
  std::function<std::vector<numerics::HostTensor>(const std::vector<numerics::HostTensor>& inputs, LastingState& state)> kernel;
  std::vector<numerics::HostTensor> operator()(const std::vector<numerics::HostTensor>& inputs) const {
    LastingState none;
    return kernel(inputs, none);
  }
};

} // namespace simcore::graph
