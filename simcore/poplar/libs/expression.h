// Expressions of popops as those of the ops.
#pragma once

#include "popops/Expr.hpp"
#include "simcore/ops/elementwise/expression.h"

#include <vector>

namespace simcore::poplar {

// Constants take the type of what they meet; `result`, if given, is what one that meets no tensor takes. Throws poplibs_error for an operation
// that the simulator does not have, and a constant that is not a whole number and meets whole numbers.
ops::Expression expressionOf(const ::popops::expr::Expr& e, const std::vector<graph::Tensor>& operands,
                             std::optional<numerics::ElementType> result = {});

} // namespace simcore::poplar
