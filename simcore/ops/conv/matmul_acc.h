// Products of matrices beyond the plain one, from poplin's interface.
#pragma once

#include "simcore/ops/conv/convolution.h"

namespace simcore::ops {

// c += scale * a x b, in place (poplin matMulAcc, and matMulGroupedAcc for batches of matrices). Throws Error(InvalidInput) if c
// does not have the shape of the product.
void matmulAcc(const OpBuilder& builder, const Tensor& c, float scale, const Tensor& a, const Tensor& b,
               const ConvOptions& options = {});

} // namespace simcore::ops
