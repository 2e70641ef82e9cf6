#include "simcore/run/host_call.h"

#include <algorithm>
#include <cmath>

namespace simcore::run {

int64_t hostCallCycles(const arch::Machine& machine) {
  return std::llround(kHostCallSecondsPerIpu * std::min(kIpusPerHost, machine.ipus * machine.replicas) * machine.clockHz);
}

} // namespace simcore::run
