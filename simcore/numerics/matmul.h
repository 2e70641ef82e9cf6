// Matrix products. Float uses oneDNN (float accumulation); Half and BFloat16 are widened to float; double and integers use plain
// loops.
#pragma once

#include "simcore/numerics/host_tensor.h"

namespace simcore::numerics {

// Shape of numpy's matmul: [..., m, k] x [..., k, n] with broadcast batch dimensions; rank 1 operands act as a row or a column
// that is removed afterwards. Throws reports::Error(InvalidInput) if the shapes do not multiply.
Shape matmulShape(const Shape& a, const Shape& b);
HostTensor matmul(const HostTensor& a, const HostTensor& b);

// alpha op(a) op(b) + beta c: a is [m, k] ([k, m] if transposed), c broadcasts to [m, n] and may be null.
HostTensor gemm(const HostTensor& a, const HostTensor& b, const HostTensor* c, double alpha, double beta, bool transposeA,
                bool transposeB);

} // namespace simcore::numerics
