#include "simcore/run/host_call.h"

#include <algorithm>
#include <cmath>

namespace simcore::run {

int64_t hostCallCycles(const arch::Machine& machine) {
  return std::llround(kHostCallSecondsPerIpu * std::min(kIpusPerHost, machine.ipus * machine.replicas) * machine.clockHz);
}

bool callsHost(const graph::Workload& workload, const EngineOptionSet& options) {
  if (options.isSet(kHostCalls)) return options.flag(kHostCalls);
  const auto loop = workload.facts.find("loop");
  return loop != workload.facts.end() && loop->second == "host";
}

} // namespace simcore::run
