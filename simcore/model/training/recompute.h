// Recomputation: forward nodes are cloned into the backward pass, right before the first node that reads their values, so that
// what they made need not be kept. The clones are nodes like any other (path bwd/recompute), which is why liveness and trace
// show them without knowing of recomputation.
#pragma once

#include "simcore/model/parallel/parallelism.h"
#include "simcore/model/training/training.h"

namespace simcore::model {

// Standard keeps what is alive at the thinnest places of about 0.75 (sqrt(2 N) - 1) stretches of the N forward nodes of an
// IPU, which get shorter towards its end (programming-model 3.8). What comes after the last kept value before the loss is not
// computed again. Values from other IPUs are always kept. `checkpoints` are names of nodes or values; throws
// Error(InvalidInput) for one the model does not have, and for Pipeline without `pipeline`.
void addRecomputation(TrainingModel& training, Recompute kind, const std::vector<std::string>& checkpoints, bool pipeline);

} // namespace simcore::model
