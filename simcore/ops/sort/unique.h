// The different rows of a matrix: a stable sort of the rows, a mark where a row differs from the one before, running sums of
// marks as numbers of groups, then updates and look-ups by those. Rows of several elements are sorted by one column after
// another, the first last, in a loop. How many rows differ must be known: shapes are static on the machine.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

struct UniqueParams {
  int64_t distinct = 1; // rows that differ; may be too many if only the inverse is asked for
  bool sorted = true;   // in lexicographic order, else in the order in which they first occur
  // The results that are asked for.
  bool values = true, first = true, inverse = true, counts = true;
};
struct UniqueResult {
  Tensor values;  // [distinct, columns]
  Tensor first;   // Int64 [distinct]: index of the first occurrence
  Tensor inverse; // Int64 [rows]: index of the row in `values`
  Tensor counts;  // Int64 [distinct]: how often it occurs
};
// x [rows, columns]. Results that are not asked for are not valid.
UniqueResult unique(const OpBuilder& builder, const Tensor& x, const UniqueParams& params);

} // namespace simcore::ops
