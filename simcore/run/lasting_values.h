// Values that persist on a machine between runs: the variables and remote buffers of a workload.
#pragma once

#include "simcore/graph/workload.h"
#include "simcore/run/engine.h"

#include <map>
#include <string>

namespace simcore::run {

// Writes the first contents of remote buffers; other initial values are part of the program.
void fillRemoteBuffers(const graph::Workload& workload, Engine& engine);
// The values of Workload::variables and remoteVariables, and with `withState` of Workload::state.
std::map<std::string, numerics::HostTensor> lastingValues(const graph::Workload& workload, const Engine& engine, bool withState);
// Writes one of these values. Throws Error(NotFound) for any other name.
void writeLastingValue(const graph::Workload& workload, Engine& engine, const std::string& name,
                       const numerics::HostTensor& value);

} // namespace simcore::run
