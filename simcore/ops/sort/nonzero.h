// Collects the positions of non-zero elements by a partial sort in which positions of zeros come last. The number of non-zero
// elements must be known, because shapes are static on the machine.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// The positions (Int64 [count], ascending, in the flattened tensor) of the first `count` non-zero elements of x. With fewer
// non-zero elements, the remaining entries are the number of elements.
Tensor placesOfNonZero(const OpBuilder& builder, const Tensor& x, int64_t count);
// The same positions as coordinates: Int64 [rank of x, count].
Tensor nonZero(const OpBuilder& builder, const Tensor& x, int64_t count);

// Computes (x / divisor) % modulus of whole numbers in one codelet; a modulus of 0 returns the quotient.
Tensor digitOf(const OpBuilder& builder, const Tensor& x, int64_t divisor, int64_t modulus);

} // namespace simcore::ops
