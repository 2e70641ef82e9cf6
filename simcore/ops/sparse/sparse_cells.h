// A sparse product computed as distributed by its plan: from the blocks of a tile's bucket and the rows of the dense operand that
// they need. For vertex-by-vertex computation.
#pragma once

#include "simcore/ops/sparse/sparse_matmul.h"

namespace simcore::ops {

numerics::HostTensor multiplyByBuckets(const SparseMatmulParams& params, const SparsePlan& plan,
                                       const std::vector<int64_t>& pattern, const numerics::HostTensor& values,
                                       const numerics::HostTensor& dense);

} // namespace simcore::ops
