// Which IPU runs which node of a model: the nodes in their order are cut into one stretch per IPU, so that values only ever
// go to later IPUs. The automatic cut balances the cycles that a trial lowering of every node on one IPU costs, together with
// the time of host streams and of what crosses the links (equal nodes are lowered once), and keeps the weights of an IPU within its memory where that is possible.
#pragma once

#include "simcore/model/graph/graph.h"
#include "simcore/model/training/training.h"

#include <string>
#include <vector>

namespace simcore::model {

struct Sharding {
  std::vector<int> ipuOfNode;            // for LoweringOptions
  std::vector<int> stageOfNode;          // the same; empty: every IPU has one stage
  std::vector<std::int64_t> cycles;      // by IPU, of the trial and its host streams
  std::vector<std::int64_t> weightBytes; // by IPU
};

// Throws Error(InvalidInput) if the model has fewer nodes than there are IPUs.
Sharding shard(const Model& model, const arch::Machine& machine, int ipus, const LoweringOptions& options);
// The same for a training step, whose stretches of forward nodes take their gradients along. `ipuOfNode` is of the forward nodes
// (for TrainingOptions); weights count with their sums and optimiser state.
Sharding shardTraining(const TrainingModel& training, const arch::Machine& machine, int ipus, const LoweringOptions& options);
// A new IPU begins at each of these nodes, in the order of the model, named by their own name or that of an output. Throws Error(InvalidInput) for a
// name that no node has, or names that are not in the order of the model.
Sharding shardAt(const Model& model, const std::vector<std::string>& firstNodes);

} // namespace simcore::model
