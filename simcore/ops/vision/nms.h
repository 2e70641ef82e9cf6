// Non-maximum suppression as popnn does it: a loop takes the best score that is left of every class, and all classes at once take
// away what overlaps their winner too much. Boxes stay on the tiles of their scores; only winners travel.
#pragma once

#include "simcore/numerics/detection.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// boxes [batch, n, 4], scores [batch, classes, n] -> Int64 [chosen, 3] as numerics::nonMaxSuppression gives them. `chosen`, how
// many remain in all, must be known and not be 0; scores that are minus infinity count as taken away.
Tensor nonMaxSuppression(const OpBuilder& builder, const Tensor& boxes, const Tensor& scores,
                         const numerics::SuppressionParameters& parameters, int64_t chosen);

} // namespace simcore::ops
