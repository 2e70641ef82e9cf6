// Kernel of a step that keeps a state between executions, e.g. a random number generator. The state belongs to the engine that
// runs the step: a new engine begins with an empty state, and engines of one executable do not share it.
#pragma once

#include "simcore/graph/program.h"

#include <any>

namespace simcore::graph {

struct LastingKernel {
  // `memory` is the state after the previous execution; empty at the first.
  std::function<std::vector<numerics::HostTensor>(const std::vector<numerics::HostTensor>& inputs, std::any& memory)> kernel;
  std::vector<numerics::HostTensor> operator()(const std::vector<numerics::HostTensor>& inputs) const {
    std::any none;
    return kernel(inputs, none);
  }
};

} // namespace simcore::graph
