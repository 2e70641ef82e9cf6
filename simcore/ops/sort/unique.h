// The distinct rows of a matrix: a stable sort of the rows, a mark for each row that differs from the previous one, running sums
// of marks as group numbers, then updates and look-ups by group number. Rows of several elements are sorted by one column after
// another, the first column last, in a loop. The number of distinct rows must be known, because shapes are static on the machine.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

struct UniqueParams {
  int64_t distinct = 1; // number of different rows; may be too large if only the inverse is needed
  bool sorted = true;   // in lexicographic order, else in order of first occurrence
  // Results to compute.
  bool values = true, first = true, inverse = true, counts = true;
};
struct UniqueResult {
  Tensor values;  // [distinct, columns]
  Tensor first;   // Int64 [distinct]: index of the first occurrence
  Tensor inverse; // Int64 [rows]: index of the row in `values`
  Tensor counts;  // Int64 [distinct]: number of occurrences
};
// Finds the distinct rows of x [rows, columns]. Results that were not requested are invalid.
UniqueResult unique(const OpBuilder& builder, const Tensor& x, const UniqueParams& params);

} // namespace simcore::ops
