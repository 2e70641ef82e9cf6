// Converts expressions of popops to expressions of the ops.
#pragma once

#include "popops/Expr.hpp"
#include "simcore/ops/elementwise/expression.h"

#include <vector>

namespace simcore::poplar {

// A constant takes the type of the other operand; without a tensor operand it takes `result`, if given. Throws poplibs_error for an operation
// that the simulator does not have, and for a fractional constant beside an integer operand.
ops::Expression expressionOf(const ::popops::expr::Expr& e, const std::vector<graph::Tensor>& operands,
                             std::optional<numerics::ElementType> result = {});

} // namespace simcore::poplar
