// Determinants by elimination with pivots, in float whatever the type. Matrices are dealt to tiles and their workers; matrices
// that are few and large are cut by rows over the tiles of a group. Which row is the pivot is only known while running, and an
// exchange is compiled: every tile of a group sends its candidate, piece by piece to the tile that is to choose that piece, and
// the chosen pieces go to all. Rows stay where they are; what moves is which place a row stands for.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

struct DeterminantPlan : PlanEstimate {
  int64_t groups = 1;  // of tiles, each with its matrices
  int64_t rowCuts = 1; // tiles of a group
  bool whole = true;   // a worker makes a whole matrix; else rows are dealt to workers and tiles, step by step
};
DeterminantPlan planDeterminant(const arch::Machine& machine, ElementType type, int64_t matrices, int64_t size,
                                double availableMemory = kAvailableMemoryProportion);

// x [.., n, n] -> [..], of a floating type.
Tensor determinant(const OpBuilder& builder, const Tensor& x);

} // namespace simcore::ops
