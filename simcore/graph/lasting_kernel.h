// Numbers of a step that remembers something from one execution to the next, as generators of random numbers do. The state that it
// remembers belongs to the engine that runs it: a new engine begins anew, and engines of one executable do not meet.
#pragma once

#include "simcore/graph/program.h"

#include <any>

namespace simcore::graph {

struct LastingKernel {
  // `memory` is what the execution before left there, empty at the first.
  std::function<std::vector<numerics::HostTensor>(const std::vector<numerics::HostTensor>& inputs, std::any& memory)> kernel;
  std::vector<numerics::HostTensor> operator()(const std::vector<numerics::HostTensor>& inputs) const {
    std::any none;
    return kernel(inputs, none);
  }
};

} // namespace simcore::graph
