// Durations of the Blocks that a tile of each IPU timed (engine options profiler.*): spread and drift over their executions, and
// the executions that the tile's buffer lost. Lost executions are counted; no other figure includes them.
#pragma once

#include "analyser/session/sentence.h"
#include "analyser/session/session.h"

#include "reports/core/range.h"

namespace analyser::trace {

struct DurationBar {
  Cycles begin, end; // half-open
  int64_t executions = 0;
};

// A Block, or a program or scope that was timed like a Block, on one IPU.
struct BlockTimes {
  std::string name; // its whole path
  IpuId ipu;
  TileId tile;                    // the tile that timed it
  reports::ProgramStepId step;    // invalid for a scope of debug contexts
  bool isBlock = true;            // false: a program or scope named in profiler.programs.filter
  int64_t recorded = 0, lost = 0; // executions
  Cycles total;
  double shareOfRuns = 0; // total / cycles of all runs, 0 to 1
  // Percentiles by nearest rank.
  Cycles min, median, p95, max;
  double mean = 0, deviation = 0;     // cycles; deviation: standard deviation of all executions
  std::optional<double> drift;        // mean of the last tenth / mean of the first tenth - 1; none below ten executions
  reports::Range<int64_t> first;      // cycles from the begin to the end of the first execution
  std::vector<int64_t> durations;     // cycles of the executions in order; equal iterations of a folded loop are one
  std::vector<DurationBar> histogram; // equal intervals over all durations, 24 at most

  int64_t executions() const { return recorded + lost; }
};

struct BlockProfile {
  std::vector<BlockTimes> blocks; // largest total first
  int64_t recorded = 0, lost = 0; // executions
  int64_t flushes = 0;            // transfers of full buffers to the host, over all IPUs
  Cycles flushCycles;
  int64_t bufferBytes = 0; // 0: unknown
  Sentence verdict;        // without a full stop; names the losses and how to avoid them

  bool empty() const { return blocks.empty(); }
};

// Empty without Block records; the verdict then names a filter without a match. Throws Error(Damaged) and Cancelled.
BlockProfile blockProfile(Session& session, std::stop_token stop = {});
// Whether the report has Block records, without reading them.
bool hasBlockRecords(Session& session);

} // namespace analyser::trace
