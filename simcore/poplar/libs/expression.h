// Converts expressions of popops to expressions of the ops.
#pragma once

#include "popops/Expr.hpp"
#include "simcore/ops/elementwise/expression.h"

#include <vector>

namespace simcore::poplar {

// A constant takes the type of the other operand, or `result` (if given) if no operand is a tensor. Throws poplibs_error for an
// operation that the simulator does not have, and for a fractional constant with an integer operand.
ops::Expression expressionOf(const ::popops::expr::Expr& e, const std::vector<graph::Tensor>& operands,
                             std::optional<numerics::ElementType> result = {});

// Throws poplar::unknown_vertex_type if the expression is one operation for which popops has no vertex of the operands' type.
void requireOperandTypes(const ::popops::expr::Expr& e, const std::vector<graph::Tensor>& operands);

} // namespace simcore::poplar
