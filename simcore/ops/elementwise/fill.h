// Writes values into a tensor on its own tiles, without operands (popops fill and iota).
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// Sets every element to `value`.
void fill(const OpBuilder& builder, const Tensor& x, double value);
// Sets element i to first + i * step, in row-major order.
void iota(const OpBuilder& builder, const Tensor& x, double first, double step = 1);

} // namespace simcore::ops
