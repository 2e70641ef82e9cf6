// Pipelines: stage s works on micro-batch m in cycle s + m, so that all IPUs are busy once the pipeline is full. A cycle is the
// host's values in, all stages, results out, then one exchange that hands every stage's results to the next; nothing in it but
// that exchange brings IPUs together, which is what lets stages overlap. Stages are functions: filling, main loop and flushing
// share their code. P stages and G micro-batches take G + P - 1 cycles.
#pragma once

#include "simcore/model/lowering.h"

namespace simcore::model {

struct PipelineStage {
  std::string name;
  graph::Sequence toDevice, main, toHost;
};

// `exchange` runs at the end of every cycle. Throws Error(InvalidInput) for fewer micro-batches than stages.
graph::Program pipelineProgram(graph::Graph& graph, const std::vector<PipelineStage>& stages, const graph::Sequence& exchange,
                               std::int64_t microBatches);

// An inference model as a pipeline: options.ipuOfNode gives the stages and must not fall. Every run takes `microBatches`
// values from each input stream and gives as many to each output stream. A value that a later stage than the next one reads
// goes there in steps of one stage, so that it arrives with its micro-batch.
graph::Workload lowerPipeline(const Model& model, const arch::Machine& machine, const LoweringOptions& options,
                              std::int64_t microBatches);

} // namespace simcore::model
