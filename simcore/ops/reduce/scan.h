// Running sums along a dimension. Rows are distributed over tiles. With fewer rows than tiles, rows are cut: each tile sums
// its piece, the totals of pieces are exchanged, and each tile adds the totals before its own.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// `exclusive` leaves the element itself out, `reverse` starts at the end.
Tensor cumulativeSum(const OpBuilder& builder, const Tensor& x, std::size_t axis, bool exclusive, bool reverse);

} // namespace simcore::ops
