// Kernel of a step with a state between executions, e.g. a random number generator. The state belongs to the engine: a new engine
// starts with an empty state, and engines of one executable do not share it.
#pragma once

#include "simcore/graph/program.h"

#include <any>

namespace simcore::graph {

// The state of one step on one replica.
struct LastingState {
  std::any memory;         // after the previous execution; empty before the first
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
