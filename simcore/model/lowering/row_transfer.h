// Large tensors from and to the host in rows: a loop moves a row at a time through a small variable, because the code of a host
// transfer grows with its bytes (a third of them on the way up) and would outgrow what is transferred.
#pragma once

#include "simcore/ops/op_builder.h"

#include <functional>

namespace simcore::model {

struct Rows {
  std::int64_t elements = 0, count = 1; // of a row; rows
};
// A row holds 1 KiB a tile.
Rows rowsOf(const ops::OpBuilder& builder, std::int64_t elements, numerics::ElementType type);

// Program that moves one row between the host and `staging`; `row` is its number, not valid if there is only one.
using RowProgram = std::function<graph::Program(const graph::Tensor& staging, const graph::Tensor& row)>;
// Append to the builder's program. `tensor` lies as it likes.
void rowsFromHost(const ops::OpBuilder& builder, const Rows& rows, const graph::Tensor& tensor, const RowProgram& move);
void rowsToHost(const ops::OpBuilder& builder, const Rows& rows, const graph::Tensor& tensor, const RowProgram& move);

} // namespace simcore::model
