// Determinants by elimination with pivots, in float for every type. Matrices are distributed over tiles and their workers; a few
// large matrices are cut by rows over the tiles of a group. The pivot row is known only at run time, but exchanges are compiled.
// So every tile of a group sends its candidate in pieces, each to the tile that chooses that piece, and the chosen pieces are
// sent to all tiles. Rows do not move; only their positions in the elimination are exchanged.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

struct DeterminantPlan : PlanEstimate {
  int64_t groups = 1;  // groups of tiles, each with its own matrices
  int64_t rowCuts = 1; // tiles of a group
  bool whole = true;   // a worker processes a whole matrix; else rows are distributed over workers and tiles, step by step
};
DeterminantPlan planDeterminant(const arch::Machine& machine, ElementType type, int64_t matrices, int64_t size,
                                double availableMemory = kAvailableMemoryProportion);

// x [.., n, n] -> [..], of a floating type.
Tensor determinant(const OpBuilder& builder, const Tensor& x);

} // namespace simcore::ops
