// Pipelines: stage s works on micro-batch m in cycle s + m, so that all IPUs are busy once the pipeline is full. A cycle is the
// host's values in, all stages, results out, then one exchange that hands every stage's results to the next; nothing in it but
// that exchange brings IPUs together, which is what lets stages overlap. Stages are functions: filling, main loop and flushing
// share their code. P stages and G micro-batches take G + P - 1 cycles.
#pragma once

#include "simcore/model/lowering/lowering.h"

namespace simcore::model {

struct PipelineStage {
  std::string name;
  graph::Sequence toDevice, main, toHost;
  // Between the host and the I/O tiles, where there are any: before toDevice brings it to the other tiles, behind toHost.
  graph::Sequence load, store;
};

// `exchange` runs at the end of every cycle. Throws Error(InvalidInput) for fewer micro-batches than stages.
graph::Program pipelineProgram(graph::Graph& graph, const std::vector<PipelineStage>& stages, const graph::Sequence& exchange,
                               std::int64_t microBatches);

// The same with transfers beside the work (PopART's OverlapInnerLoop): while a stage works on a micro-batch, the I/O tiles load
// its next one and store the results of the one before. Of G loads all but the first, of G stores all but the last are beside
// work. One stage that is not named after its IPU may stand for a whole model: a loop of micro-batches.
graph::Program overlappedProgram(graph::Graph& graph, const std::vector<PipelineStage>& stages, const graph::Sequence& exchange,
                                 std::int64_t microBatches);

// A whole model that does `batches` one after the other: overlapped if that is wanted and there are I/O tiles, else a plain loop.
graph::Program batchLoop(graph::Graph& graph, const PipelineStage& batch, std::int64_t batches, OverlapIo overlap,
                         const std::string& name, reports::DebugContextId context);

// Two loops, of `batches` and of the micro-batches of each, `start` before and `end` behind those of a batch: transfers run beside
// all of it (PopART's OverlapLoops). At least two of both.
graph::Program overlappedLoops(graph::Graph& graph, const PipelineStage& microBatch, std::int64_t microBatches,
                               std::int64_t batches, const graph::Sequence& start, const graph::Sequence& end);

// An inference model as a pipeline: options.ipuOfNode gives the stages and must not fall. Every run takes `microBatches`
// values from each input stream and gives as many to each output stream. A value that a later stage than the next one reads
// goes there in steps of one stage, so that it arrives with its micro-batch.
graph::Workload lowerPipeline(const Model& model, const arch::Machine& machine, const LoweringOptions& options,
                              std::int64_t microBatches);

} // namespace simcore::model
