// The cost for a host to start a program once: it fills and empties the buffers of every replica, sets the optimiser's values and
// starts the engines. A program that is called for every weight update pays it every time, a program with its loop on the device
// rarely. A workload says which it is (its fact "loop"), and the option tilescope.hostCalls says otherwise.
#pragma once

#include "simcore/graph/workload.h"
#include "simcore/run/engine_options.h"

#include <cstdint>

namespace simcore::run {

// Calibrated on two runs of one program, MLPerf Training v2.0, BERT-large in PopART on a Bow Pod64 (96 micro-batches, 0.637 s a step
// in the logs) and a Bow Pod256 (36, 0.356 s): the step takes 0.124 s and 0.115 s longer than this machine does without the host. A
// Pod256 has a host for every 64 IPUs; an IPU costs its host the mean over 64.
inline constexpr double kHostCallSecondsPerIpu = 1.87e-3;
inline constexpr int kIpusPerHost = 64;
inline constexpr const char* kHostCalls = "tilescope.hostCalls";

int64_t hostCallCycles(const arch::Machine& machine);
// Whether the host is called for every run.
bool callsHost(const graph::Workload& workload, const EngineOptionSet& options);

} // namespace simcore::run
