// Runs a sample as the command line does by default: its own stages and replicas, time only unless its loop depends on data.
#pragma once

#include "simcore/placement/parallelism.h"
#include "simcore/run/simulate.h"
#include "simcore/samples/baseline.h"
#include "simcore/samples/sample.h"
#include "tests/support/row_collector.h"

#include <sstream>

namespace tests {

inline constexpr const char* kBaselineMachine = "gc200"; // the command line's default

using Settings = std::map<std::string, std::string>;

struct SampleRun {
  simcore::run::SimulateResult result;
  RowCollector rows;
};

struct RunOptions {
  std::string machine = kBaselineMachine;
  bool numbers = false, half = false;
  int iterations = 1, replicas = 0; // 0: the sample's
  simcore::model::Parallelism parallel = {};
  int ioTiles = 0;
};

inline simcore::graph::Workload buildSample(const std::string& name, const Settings& settings, const RunOptions& run = {}) {
  const auto& sample = simcore::samples::findSample(name);
  simcore::samples::BuildOptions options;
  options.parallel = run.parallel;
  if (options.parallel.stages == 0) options.parallel.stages = sample.stages;
  const int replicas = run.replicas ? run.replicas : sample.replicas;
  const int ipus = options.parallel.ipusOfPipeline();
  options.machine = simcore::arch::findMachine(run.machine, replicas * std::max(1, ipus));
  options.machine = simcore::arch::replicaOf(options.machine, replicas, ipus);
  options.machine = simcore::arch::withIoTiles(options.machine, run.ioTiles);
  options.iterations = run.iterations;
  if (run.half) options.type = simcore::numerics::ElementType::Half;
  return sample.build(simcore::samples::Parameters(name, sample.parameters, settings), options);
}

inline std::unique_ptr<SampleRun> runSample(const std::string& name, const Settings& settings, RunOptions run = {}) {
  const auto workload = buildSample(name, settings, run);
  simcore::run::SimulateOptions options;
  options.engine.numbers = run.numbers || name == "sparse-bfs"; // how often its loop runs is data
  std::ostringstream printed;
  options.engine.printStream = &printed;
  options.iterations = run.iterations;
  simcore::run::HostTimeline timeline("test");
  reports::NoProgress quiet;
  auto done = std::make_unique<SampleRun>();
  done->result = simcore::run::simulate(workload, options, done->rows, timeline, {}, quiet);
  return done;
}

inline simcore::samples::Figures figuresOf(const std::unique_ptr<SampleRun>& run) {
  simcore::samples::Figures f;
  for (const auto& row : run->rows.rows<reports::RunRow>()) {
    f["cycles"] += row.cycles;
    f["compute_cycles"] += row.computeCycles;
    f["exchange_cycles"] += row.exchangeCycles;
    f["sync_cycles"] += row.syncCycles;
    f["host_cycles"] += row.hostCycles;
    f["idle_cycles"] += row.idleCycles;
    f["flops"] += row.flops;
  }
  for (const auto& row : run->rows.rows<reports::TileSeriesRow>()) {
    if (row.name == "memory.total") {
      f["total_bytes"] = row.sum;
      f["max_tile_bytes"] = row.max;
    }
    if (row.name == "memory.always_live") f["always_live_bytes"] = row.sum;
  }
  return f;
}

} // namespace tests
