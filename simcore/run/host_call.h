// The cost for a host to start a program once: it fills and empties the buffers of every replica, sets the optimiser's values and
// starts the engines. A program that is called for every weight update pays it each time; a program with its loop on the device
// pays it rarely. The workload's fact "loop" says which it is; the option tilescope.hostCalls overrides this.
#pragma once

#include "simcore/graph/workload.h"
#include "simcore/run/engine_options.h"

#include <cstdint>

namespace simcore::run {

// Calibrated on two runs of one program, MLPerf Training v2.0, BERT-large in PopART on a Bow Pod64 (96 micro-batches, 0.637 s per
// step in the logs) and a Bow Pod256 (36, 0.356 s). Without the host, the simulated steps are 0.124 s and 0.115 s shorter. A
// Pod256 has one host per 64 IPUs; each IPU costs its host 1/64 of the difference on average.
inline constexpr double kHostCallSecondsPerIpu = 1.87e-3;
inline constexpr int kIpusPerHost = 64;
inline constexpr const char* kHostCalls = "tilescope.hostCalls";

int64_t hostCallCycles(const arch::Machine& machine);
// Whether the host is called for every run.
bool callsHost(const graph::Workload& workload, const EngineOptionSet& options);

} // namespace simcore::run
