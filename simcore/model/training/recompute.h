// Recomputation: forward nodes are cloned into the backward pass, right before the first node that reads their values, so that
// what they made need not be kept. The clones are nodes like any other (path bwd/recompute), which is why liveness and trace
// show them without knowing of recomputation.
#pragma once

#include "simcore/model/training/training.h"

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

// Standard keeps what is alive at the thinnest places of about 0.75 (sqrt(2 N) - 1) stretches of the N forward nodes of a
// stage, which get shorter towards its end (programming-model 3.8). Values between the last kept value and the loss are not
// computed again. Values from other stages are always kept. `checkpoints` are names of nodes or values; throws
// Error(InvalidInput) for one the model does not have, and for Pipeline without `pipeline`.
void addRecomputation(TrainingModel& training, Recompute kind, const std::vector<std::string>& checkpoints, bool pipeline);

} // namespace simcore::model
