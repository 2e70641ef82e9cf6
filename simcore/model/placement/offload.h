// Off-chip storage: what is offloaded lives in remote buffers, is loaded right before a stretch of nodes needs it and stored
// when it has changed. Loads and stores are nodes (RemoteLoad, RemoteStore), so that program tree, liveness and trace show them.
#pragma once

#include "simcore/model/placement/parallelism.h"
#include "simcore/model/training/training.h"

namespace simcore::model {

// Weights are loaded once for the forward and once for the backward nodes of each IPU, and for the update; optimiser state for the
// update, that of several parameters in one transfer, because every transfer has code of its own. State of less than a few
// elements for each of the `tiles` of an IPU stays where it is. Activations that the backward pass reads are stored behind the node that makes them; in a pipeline their stashes are
// remote instead (StageRoutes). After recomputation has been added: what is computed again needs no storage.
void addOffload(TrainingModel& training, const Parallelism& parallelism, std::int64_t tiles);

} // namespace simcore::model
