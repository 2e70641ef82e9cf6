// Table `run`: One Engine::run: a control program executed once.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct RunRow {
  int64_t id = 0;
  std::string name;
  int64_t programStepId = 0;
  int64_t startCycle = 0;
  int64_t cycles = 0;
  std::string provenance;
  int64_t computeCycles = 0;
  int64_t exchangeCycles = 0;
  int64_t syncCycles = 0;
  int64_t hostCycles = 0;
  int64_t hiddenHostCycles = 0;
  int64_t idleCycles = 0;
  int64_t flops = 0;
  int64_t foldedIterations = 0;

  static constexpr std::string_view kTable = "run";
  static constexpr std::string_view kMeaning = "One Engine::run: a control program executed once.";
  template<class Row = RunRow> static constexpr auto columns() {
    return std::make_tuple(
        column("id", &Row::id, "run number, from 0", "PRIMARY KEY"), column("name", &Row::name, "name of the program"),
        column("program_step_id", &Row::programStepId, "root of the program that ran"),
        column("start_cycle", &Row::startCycle, "cycle counter when it began"), column("cycles", &Row::cycles, "cycles it took"),
        column("provenance", &Row::provenance, "simulated"),
        column("compute_cycles", &Row::computeCycles, "cycles of the critical IPU in compute (including on-tile copies)"),
        column("exchange_cycles", &Row::exchangeCycles, "in internal and global exchange"),
        column("sync_cycles", &Row::syncCycles, "in sync"),
        column("host_cycles", &Row::hostCycles, "in stream copies, or waiting for those of its I/O tiles"),
        column("hidden_host_cycles", &Row::hiddenHostCycles,
               "cycles of stream copies of its I/O tiles while the other tiles worked; not included in `cycles`"),
        column("idle_cycles", &Row::idleCycles, "waiting for other IPUs and control"),
        column("flops", &Row::flops, "floating-point operations executed"),
        column("folded_iterations", &Row::foldedIterations,
               "loop iterations that were simulated once and multiplied; their slices are not stored one by one"));
  }
};

} // namespace reports
