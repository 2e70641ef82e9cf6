// A pipeline over several IPUs, derived from its trace: the durations of fill, main and flush, the time of each stage, and the
// bubble as a share of the IPUs' time. The phases are the scopes `fill`, `main` and `flush` of a pipelined program.
#pragma once

#include "analyser/session/sentence.h"
#include "analyser/trace/execution_trace.h"

#include <unordered_map>

namespace analyser::trace {

struct PipelineStage {
  IpuId ipu;
  Cycles busy;          // in the phases
  Cycles waiting;       // for other stages, in the phases
  Cycles perMicroBatch; // busy / micro-batches
  double bubble = 0;    // waiting / phases, 0 to 1
};

struct Pipeline {
  int64_t microBatches = 0;          // per pass: fill, main and flush; 0 if unknown
  int64_t passes = 1;                // updates of all runs; cycles are the sums over all passes
  Cycles fill, main, flush;          // over all runs
  Cycles outside;                    // rest of the runs: weight update, transfers before and after
  TickRange phases;                  // of the first run
  std::vector<PipelineStage> stages; // by IPU
  int slowest = -1;                  // index of the stage with most time per micro-batch
  double bubble = 0;                 // waiting time of all stages / (phases x stages), 0 to 1
  // true: the report does not store all slices, so the figures of stages cover the whole runs, not only the phases.
  bool isOfRuns = false;
  int64_t slowStages() const;  // the slowest and those nearly as slow
  double bubbleOfRuns() const; // `bubble` as a share of all time, including outside the phases
  Cycles meanBusy() const;     // of the stages
  Sentence verdict;            // without a full stop
};
// Whether the trace has every execution. It lacks some if it was cut, or if a report before schema version 8 folds loop
// iterations.
bool storesAllExecutions(Session& session, std::stop_token stop = {});
// By step profile: the executions per slice; profiles with 1 are left out.
std::unordered_map<int64_t, int64_t> executionsOfFolded(Session& session, std::stop_token stop = {});
// None if the report has no pipeline.
std::optional<Pipeline> pipeline(ExecutionTrace& trace, std::stop_token stop = {});

} // namespace analyser::trace
