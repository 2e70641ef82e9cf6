// Views with elements of their own: popops pad and poputil duplicate.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// x with `before` and `after` further elements of this value along each dimension: a view of x and constants, which no element is
// copied for. Negative numbers cut. Throws Error(InvalidInput) for lists that are not one number a dimension.
Tensor pad(const OpBuilder& builder, const Tensor& x, const std::vector<int64_t>& before, const std::vector<int64_t>& after,
           double value = 0);
// A copy of x where x lies.
Tensor duplicate(const OpBuilder& builder, const Tensor& x, const std::string& name = "duplicate");

} // namespace simcore::ops
