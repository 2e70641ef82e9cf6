// A sparse product computed as its plan deals it to tiles: from the blocks of a tile's bucket and the rows of the dense operand
// those need. For computing vertex by vertex.
#pragma once

#include "simcore/ops/sparse/sparse_matmul.h"

namespace simcore::ops {

numerics::HostTensor multiplyByBuckets(const SparseMatmulParams& params, const SparsePlan& plan,
                                       const std::vector<int64_t>& pattern, const numerics::HostTensor& values,
                                       const numerics::HostTensor& dense);

} // namespace simcore::ops
