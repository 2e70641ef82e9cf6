// Non-maximum suppression like popnn's: a loop takes the best remaining score of every class, and all classes at once remove
// boxes that overlap their winner too much. Boxes stay on the tiles of their scores; only winners are exchanged.
#pragma once

#include "simcore/numerics/detection.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// Returns Int64 [chosen, 3] for boxes [batch, n, 4] and scores [batch, classes, n], like numerics::nonMaxSuppression. `chosen`,
// the total number of remaining boxes, must be known and not 0. Scores of minus infinity count as removed.
Tensor nonMaxSuppression(const OpBuilder& builder, const Tensor& boxes, const Tensor& scores,
                         const numerics::SuppressionParameters& parameters, int64_t chosen);

} // namespace simcore::ops
