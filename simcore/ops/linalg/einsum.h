// Einstein sums as products of matrices: dimensions are grouped into batch, rows, columns and summed ones.
#pragma once

#include "simcore/ops/conv/convolution.h"

namespace simcore::ops {

// Equations such as "ij,jk->ik", also with an ellipsis (numerics::einsum). Operands are joined one after another; labels in only
// one operand and not in the result are summed first. May return a view of the first operand.
Tensor einsum(const OpBuilder& builder, const std::string& equation, const std::vector<Tensor>& operands,
              const ConvOptions& options = {});

} // namespace simcore::ops
