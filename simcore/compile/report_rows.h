// Writes the static half of a report: machine, names, program tree, compute sets, exchanges, variables, addresses, liveness.
#pragma once

#include "reports/rows/report_sink.h"
#include "reports/rows/string_pool.h"
#include "simcore/compile/compiler.h"

#include <map>

namespace simcore::compile {

// A series of one number per tile, with sum and maximum.
reports::TileSeriesRow tileSeries(const std::string& name, const std::string& unit, const std::vector<int64_t>& values);

void writeMachine(const arch::Machine& machine, reports::ReportSink& sink);
// Cycles of a compute set whose vertices were counted while they ran.
struct CountedSet {
  int64_t executions = 0;
  int64_t maxCycles = 0;                    // cycles of the slowest tile in the longest execution
  int64_t activeTiles = 0;                  // number in the execution with the most active tiles
  int64_t tileCycles = 0, workerCycles = 0; // over all executions
  std::map<uint32_t, int64_t> ofTypes;      // worker cycles by vertex type, over all executions
  int64_t mean(int64_t sum) const { return executions > 0 ? (sum + executions / 2) / executions : 0; }
};
using CountedSets = std::map<int64_t, CountedSet>; // by compute set

// Writes everything except vertex types and compute sets.
void writeExecutable(const Executable& executable, reports::StringPool& strings, reports::ReportSink& sink);
void writeComputeSets(const Executable& executable, const CountedSets& counted, reports::StringPool& strings,
                      reports::ReportSink& sink);

} // namespace simcore::compile
