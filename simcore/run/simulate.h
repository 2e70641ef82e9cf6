// Compiles, runs and writes the rows of a report in one call. Used by the command line and tests.
#pragma once

#include "simcore/run/reported_engine.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace simcore::run {

struct SimulateResult {
  bool fits = true;
  int plans = 1; // number of plans compiled: more than one if tiles overflowed and SimulateOptions::replanning has a function
  int64_t cycles = 0;
  double seconds = 0;
  int idleIpus = 0;                                                 // without a vertex
  std::map<std::string, std::vector<numerics::HostTensor>> outputs; // of the last run, by stream
  std::map<std::string, numerics::HostTensor> variables;            // Workload::variables at the end; empty without numbers
  std::map<std::string, std::vector<double>> history;               // streams of one value: the values of all runs
  std::vector<std::string>
      notFinite; // "output loss: NaN or infinite in 3 of 10 values, first in value 8": also issues of the report
};

// The number of samples that `iterations` runs of a workload process, over all replicas; nullopt if the batch is not known.
std::optional<int64_t> samplesOfRun(const Workload& workload, int64_t iterations = 1);

// A workload that does not fit is compiled and reported (state out_of_memory, an issue per kind of overflow) but its numbers are
// not computed; its time is still simulated. With debug.allowOutOfMemory off it throws Error(OutOfMemory) instead.
SimulateResult simulate(const Workload& workload, const SimulateOptions& options, reports::ReportSink& sink,
                        HostTimeline& timeline, std::stop_token stop, reports::Progress& progress);
// The same, but takes ownership of the inputs, so that each value is freed after its delivery.
SimulateResult simulate(Workload&& workload, const SimulateOptions& options, reports::ReportSink& sink, HostTimeline& timeline,
                        std::stop_token stop, reports::Progress& progress);

// Runs the programs of a workload: those before the iterations, program 0 `iterations` times, and those after. Adds the delivered
// values, the cycles and the seconds to `result`. For callers with a ReportedEngine of their own.
void runPrograms(const Workload& workload, int64_t iterations, Engine& engine, const std::stop_token& stop,
                 reports::Progress& progress, SimulateResult& result);

} // namespace simcore::run
