// A model as a workload for the IPUs of one replica (`machine`, see replication.h): the whole way from the options of a run.
// `lowering` needs no places: `parallelism` gives them.
#pragma once

#include "simcore/model/parallel/parallelism.h"
#include "simcore/model/training/training.h"

namespace simcore::model {

// Inference: on one IPU, sharded, or a pipeline that takes parallelism.microBatches() values from every stream in a run.
// Throws Error(InvalidInput) for what only training has (recomputation, sharded state, accumulation without a pipeline).
graph::Workload inferenceWorkload(const Model& model, const arch::Machine& machine, LoweringOptions lowering,
                                  const Parallelism& parallelism);

// A training step: gradients, cut, pipeline, recomputation, collectives. The number of micro-batches of an update is
// parallelism.microBatches().
graph::Workload trainingWorkload(Model model, const std::string& loss, TrainingOptions options, const arch::Machine& machine,
                                 TrainingLoweringOptions lowering, const Parallelism& parallelism);

} // namespace simcore::model
