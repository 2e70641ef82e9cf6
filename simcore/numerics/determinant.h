// Determinants of square matrices.
#pragma once

#include "simcore/numerics/host_tensor.h"

namespace simcore::numerics {

// x [.., n, n] -> [..], by an LU decomposition with the largest pivot of each column, in double. Throws reports::Error(InvalidInput)
// if the last two dimensions differ.
HostTensor determinant(const HostTensor& x);

} // namespace simcore::numerics
