// Assigns the nodes of a model to IPUs. The nodes are cut in order into one part for each IPU, also in order, so that values only
// move to later IPUs; or there is one additional last part on an earlier IPU. The automatic cut balances the cycles of the IPUs:
// those of a trial lowering of every node on one IPU, of host streams, and of traffic on the links. It keeps every IPU within its
// memory if possible (ops/plan/cut_search.h).
#pragma once

#include "simcore/model/graph/graph.h"
#include "simcore/placement/parallelism.h"

#include <string>
#include <vector>

namespace simcore::model {

struct Sharding {
  std::vector<int> ipuOfNode;            // for LoweringOptions
  std::vector<int> stageOfNode;          // pipeline stages; empty: every IPU has one stage
  std::vector<std::int64_t> cycles;      // by IPU, from the trial, including host streams and recomputation
  std::vector<std::int64_t> weightBytes; // by IPU, including sums and state
};

// Throws Error(InvalidInput) if the model has fewer nodes than there are IPUs.
Sharding shard(const Model& model, const arch::Machine& machine, int ipus, const LoweringOptions& options,
               const Parallelism& parallelism = {});
// The same for a training step: gradients are on the IPU of their forward node. `ipuOfNode` is for the forward nodes (for
// TrainingOptions); the bytes of weights include their sums and optimiser state.
Sharding shardTraining(const TrainingModel& training, const arch::Machine& machine, int ipus, const LoweringOptions& options,
                       const Parallelism& parallelism = {});
// Begins a new IPU at each of these nodes, given by the node's name or that of an output. Throws Error(InvalidInput) for an
// unknown name, and if the names are not in the order of the model.
Sharding shardAt(const Model& model, const std::vector<std::string>& firstNodes);

} // namespace simcore::model
