#include "simcore/graph/across_replicas.h"

namespace simcore::graph {

using numerics::HostTensor;

AcrossReplicas meanOverReplicas() {
  return {[](const AcrossReplicas::PerReplica& in) {
    if (in.size() == 1) return in; // one entry represents replicas that are all equal, so it is their mean
    std::vector<HostTensor> means;
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      std::vector<double> sum = in[0][i].toDoubles();
      for (std::size_t r = 1; r < in.size(); ++r) {
        const std::vector<double> more = in[r][i].toDoubles();
        for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += more[e];
      }
      for (double& v : sum) v *= 1.0 / double(in.size());
      means.push_back(HostTensor::of(in[0][i].shape(), sum).cast(in[0][i].type()));
    }
    return AcrossReplicas::PerReplica(in.size(), means);
  }};
}

} // namespace simcore::graph
