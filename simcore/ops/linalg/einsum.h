// Einstein sums as products of matrices: dimensions are grouped into batch, rows, columns and those that are summed over.
#pragma once

#include "simcore/ops/conv/convolution.h"

namespace simcore::ops {

// "ij,jk->ik" and the like, an ellipsis included (numerics::einsum). Operands are joined one after the other; what only one has and
// nobody needs is summed first. May be a view of the first operand.
Tensor einsum(const OpBuilder& builder, const std::string& equation, const std::vector<Tensor>& operands,
              const ConvOptions& options = {});

} // namespace simcore::ops
