// Programs in which transfers and the work of several stages overlap. In a pipeline, stage s processes micro-batch m in cycle s +
// m, so all IPUs are busy once it is full. A cycle is: values from the host, all stages, results to the host, then one exchange
// that passes the results of every stage to the next. Only that exchange synchronises IPUs, so stages overlap. Stages are
// functions: filling, main loop and flushing share their code. P stages and G micro-batches take G + P - 1 cycles.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

using graph::Program;

struct PipelineStage {
  std::string name;
  Sequence toDevice, main, toHost;
  // Transfers between the host and the I/O tiles, if the machine has them: `load` runs before toDevice, `store` after toHost.
  Sequence load, store;
};

// `exchange` runs at the end of every cycle. Throws Error(InvalidInput) for fewer micro-batches than stages.
Program pipelineProgram(graph::Graph& graph, const std::vector<PipelineStage>& stages, const Sequence& exchange,
                        int64_t microBatches);

// A pipeline whose transfers overlap the work (PopART's OverlapInnerLoop): while a stage processes a micro-batch, the I/O tiles
// load its next one and store the results of the previous one. Of G loads all except the first overlap, of G stores all except
// the last. A single stage that is not named after its IPU may be a whole model: a loop of micro-batches.
Program overlappedProgram(graph::Graph& graph, const std::vector<PipelineStage>& stages, const Sequence& exchange,
                          int64_t microBatches);

// A whole model that runs `batches` in sequence: overlapped if `overlap` is set and the machine has I/O tiles, else a plain loop.
Program batchLoop(graph::Graph& graph, const PipelineStage& batch, int64_t batches, bool overlap, const std::string& name,
                  reports::DebugContextId context);

// Two loops, over `batches` and over the micro-batches of each, with `start` before and `end` after the micro-batches of a batch.
// Transfers overlap both loops (PopART's OverlapLoops). Needs at least two batches and two micro-batches.
Program overlappedLoops(graph::Graph& graph, const PipelineStage& microBatch, int64_t microBatches, int64_t batches,
                        const Sequence& start, const Sequence& end);

} // namespace simcore::ops
