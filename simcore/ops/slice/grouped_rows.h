// Tables whose groups of rows are read and whose single rows are written at positions known only at run time, such as the cached
// keys and values of attention. Each group (a head of a sequence) has its own tiles, and each tile holds all rows of some
// columns. So picking rows exchanges only the indices (popops::groupedMultiSlice).
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// The layout of such a table [groups, rows, columns]: groups over the tiles, then columns over the tiles of a group.
Distribution groupedLayout(const OpBuilder& builder, ElementType type, const Shape& table);
// x [G, R, C] at indices [G, K] -> [G, K, C]. An unmapped x is laid out for it; another layout is exchanged first.
Tensor groupedRows(const OpBuilder& builder, const Tensor& x, const Tensor& indices);

// The numbers of groupedRows(): x [G, R, C] at indices [G, K].
numerics::HostTensor rowsOfGroups(const numerics::HostTensor& x, const numerics::HostTensor& indices);

// Writes `part` into x in place, from `position` (one integer) on along `axis`; the other dimensions are equal. Any tile may hold the
// position, so each gets the columns it could need.
void writeAt(const OpBuilder& builder, const Tensor& x, const Tensor& part, const Tensor& position, std::size_t axis);

// The numbers of writeAt(). Throws Error(InvalidInput) for a position outside x.
numerics::HostTensor writtenAt(const numerics::HostTensor& x, const numerics::HostTensor& part, int64_t position,
                               std::size_t axis);

} // namespace simcore::ops
