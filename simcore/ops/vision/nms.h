// Non-maximum suppression like popnn's: a loop takes the best remaining score of every class, and all classes at once remove
// boxes that overlap their winner too much. Boxes stay on the tiles of their scores; only winners are exchanged.
#pragma once

#include "simcore/numerics/detection.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// boxes [batch, n, 4], scores [batch, classes, n] -> Int64 [chosen, 3], the result of numerics::nonMaxSuppression. `chosen`, the
// total number of remaining boxes, must be known and not 0; scores of minus infinity count as removed.
Tensor nonMaxSuppression(const OpBuilder& builder, const Tensor& boxes, const Tensor& scores,
                         const numerics::SuppressionParameters& parameters, int64_t chosen);

} // namespace simcore::ops
