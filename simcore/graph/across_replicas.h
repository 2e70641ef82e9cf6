// Kernels that combine the values of all replicas: means of gradients, collectives. Only the time of one replica is simulated. If
// the data of replicas differ, an engine computes the numbers of all replicas; this type marks the steps that combine them.
#pragma once

#include "simcore/graph/program.h"

namespace simcore::graph {

struct AcrossReplicas {
  using PerReplica = std::vector<std::vector<numerics::HostTensor>>; // by replica, then by input or output
  // Returns results for as many replicas as there are inputs; one input represents all equal replicas.
  std::function<PerReplica(const PerReplica& inputs)> kernel;
  std::vector<numerics::HostTensor> operator()(const std::vector<numerics::HostTensor>& inputs) const {
    return kernel({inputs}).front();
  }
};

// A kernel whose output i is the mean of input i over all replicas.
AcrossReplicas meanOverReplicas();

} // namespace simcore::graph
