// How a model is spread over the IPUs of one replica and what is done to make it fit: pipeline, cut, recomputation, off-chip
// storage, sharded optimiser state. The machine that goes with it is that of one replica (replication.h): its `replicas` is
// the number of twins that take part in collectives.
#pragma once

#include "simcore/model/lowering/lowering.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simcore::model {

// Which forward values are computed again for the backward pass instead of being kept (programming-model 3.8).
enum class Recompute {
  None,
  Standard,    // kept where least is alive, in stretches that get shorter towards the loss
  NormOnly,    // only outputs of norms (and of activations right behind them) are computed again
  Checkpoints, // everything but Parallelism::checkpoints and what comes after the last of them
  Pipeline     // everything but what enters a stage; the last stage keeps all
};
// "none", "standard", "norm-only", "checkpoints", "pipeline"; throws reports::Error(InvalidInput) listing them.
Recompute recomputeKind(const std::string& name);
const char* recomputeName(Recompute kind);

struct Parallelism {
  int stages = 0;                // of a pipeline, one IPU each; 0: none, the IPUs work one after the other
  std::int64_t accumulation = 0; // micro-batches of an update; 0: 4 for each stage of a pipeline, else 1
  std::string shard = "auto";    // "auto", "none", or the first node of every IPU but the first, with commas
  Recompute recompute = Recompute::None;
  std::vector<std::string> checkpoints; // nodes or values, for Recompute::Checkpoints
  bool offloadWeights = false, offloadOptimiser = false, offloadActivations = false; // kept in remote buffers
  bool shardState = false;                    // replicated tensor sharding of the optimiser's state
  bool halfSums = false;                      // gradients are summed up in the precision of the weights
  double availableMemoryProportion = 0.6;     // of a tile's memory, for temporaries of a convolution or product
  bool outline = true;                        // repeated layers are functions
  std::int64_t batchesPerStep = 1;            // updates, or batches of inference, in one run of the program
  OverlapIo overlapIo = OverlapIo::InnerLoop; // with I/O tiles (io_tiles.h)

  // Micro-batches of an update.
  std::int64_t microBatches() const { return accumulation > 0 ? accumulation : stages > 0 ? kPerStage * stages : 1; }
  // Of a run of the program: values it takes from each input stream.
  std::int64_t microBatchesOfStep() const { return microBatches() * batchesPerStep; }
  static constexpr std::int64_t kPerStage = 4;
};

} // namespace simcore::model
