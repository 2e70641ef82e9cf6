// The numbers of what averages over replicas. One replica is simulated in time; where their data differs, an engine computes the
// numbers of all and asks a step for this kernel to find out that its values meet there.
#pragma once

#include "simcore/graph/program.h"

namespace simcore::graph {

// As many outputs as inputs: each is the mean over all replicas of that input. Called for one replica it gives what that has,
// which is the mean of replicas that are alike.
struct ReplicaMean {
  std::vector<numerics::HostTensor> operator()(const std::vector<numerics::HostTensor>& inputs) const { return inputs; }
};

} // namespace simcore::graph
