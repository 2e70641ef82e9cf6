// Numbers that are made of the values of all replicas: means of gradients, collectives between replicas. The time of one
// replica is simulated; where their data differ, an engine computes the numbers of all and asks a step for this kernel to find
// out that their values meet there.
#pragma once

#include "simcore/graph/program.h"

namespace simcore::graph {

struct AcrossReplicas {
  using PerReplica = std::vector<std::vector<numerics::HostTensor>>; // by replica, then by input or output
  // As many as are given; one of them stands for all that are like it.
  std::function<PerReplica(const PerReplica& inputs)> kernel;
  std::vector<numerics::HostTensor> operator()(const std::vector<numerics::HostTensor>& inputs) const {
    return kernel({inputs}).front();
  }
};

// As many outputs as inputs: each is the mean over all replicas of that input.
AcrossReplicas meanOverReplicas();

} // namespace simcore::graph
