// The distribution of a model over the IPUs of one replica, and the measures that make it fit: pipeline, cut, recomputation,
// off-chip storage, sharded optimiser state. Replicas run the same program on separate IPUs, each with its part of the data. They
// are identical, so only one is simulated, on a machine with only its IPUs. The machine knows the number of replicas: collectives
// count the traffic of all of them.
#pragma once

#include "simcore/model/training/training.h"
#include "simcore/placement/quarter_products.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simcore::model {

struct Parallelism {
  int stages = 0;                // of a pipeline; 0: no pipeline, the IPUs work one after another
  std::int64_t accumulation = 0; // micro-batches per update; 0: 4 for each stage of a pipeline, else 1
  std::string shard = "auto";    // "auto", "none", or a cut as described in written_cut.h
  Recompute recompute = Recompute::None;
  std::vector<std::string> checkpoints; // nodes or values, for Recompute::Checkpoints
  bool offloadWeights = false, offloadOptimiser = false, offloadActivations = false; // kept in remote buffers
  bool shardState = false;                                 // replicated tensor sharding of the optimiser's state
  bool halfSums = false;                                   // gradients are summed in the precision of the weights
  bool halfState = false;                                  // velocities and first moments have the precision of the weights
  double availableMemoryProportion = 0.6;                  // share of a tile's memory for temporaries of a convolution or product
  std::shared_ptr<const graph::MemoryShares> memoryShares; // for single operations that must use less (run/fit.h); null: none
  bool halfPartials = false;                  // partial sums of products and convolutions in fp16 are fp16 (partialsType)
  std::optional<QuarterProducts> quarter;     // with fp16: convolutions and products read 8-bit floats
  bool unitScaling = false;                   // for a training network (placement/unit_scaling.h)
  bool outline = true;                        // repeated layers are functions
  std::int64_t batchesPerStep = 1;            // updates, or batches of inference, in one run of the program
  OverlapIo overlapIo = OverlapIo::InnerLoop; // with I/O tiles (host_transfer.h)

  // Micro-batches per update.
  std::int64_t microBatches() const { return accumulation > 0 ? accumulation : stages > 0 ? kPerStage * stages : 1; }
  // The number of values that one run of the program takes from each input stream.
  std::int64_t microBatchesOfStep() const { return microBatches() * batchesPerStep; }
  static constexpr std::int64_t kPerStage = 4;
  // IPUs of a replica's pipeline: one for each stage, or fewer if the cut puts several stages on one IPU; 0: no pipeline.
  int ipusOfPipeline() const;
};

// Throws Error(InvalidInput) for an option that only training has.
void refuseTrainingOptions(const Parallelism& parallelism);

// Makes a workload for the IPUs of one replica from a model and the options of a run. `lowering` needs no placement:
// `parallelism` sets it. The workload is inference: on one IPU, sharded, or as a pipeline that takes parallelism.microBatches()
// values from every stream per run. Throws Error(InvalidInput) for options that only training has (recomputation, sharded state,
// accumulation without a pipeline).
graph::Workload inferenceWorkload(const Model& model, const arch::Machine& machine, LoweringOptions lowering,
                                  const Parallelism& parallelism);

// The same for a training step: gradients, cut, pipeline, recomputation, collectives. An update takes parallelism.microBatches()
// micro-batches.
graph::Workload trainingWorkload(Model model, const std::string& loss, TrainingOptions options, const arch::Machine& machine,
                                 TrainingLoweringOptions lowering, const Parallelism& parallelism);

// Adds off-chip storage: offloaded values are in remote buffers, are loaded right before a range of nodes that needs them, and
// are stored after they have changed. Loads and stores are nodes (RemoteLoad, RemoteStore), so that program tree, liveness and
// trace show them.
// Each IPU loads weights once for its forward nodes, once for its backward nodes, and once for the update. Optimiser state is
// loaded for the update, several parameters' state in one transfer, because every transfer needs code. State with less than a few
// elements per tile of an IPU (`tiles`) stays on the chip. Activations that the backward pass reads are stored after the node
// that makes them; in a pipeline their stashes are remote instead (StageRoutes).
// Call this after recomputation was added: recomputed values need no storage.
void addOffload(TrainingModel& training, const Parallelism& parallelism, std::int64_t tiles);

} // namespace simcore::model
