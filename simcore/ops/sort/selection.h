// The k largest elements of each row, in the order of their positions, without a sort. In each round the tiles count the keys
// that are at least some limits, which gives a few more bits of the k-th key. Then each worker lists its keys that reach the last
// limit, and the lists of a tile and of a row are joined. For long rows this is much less work than a network (sort.h). popops
// has no such function; cycles are counted from the loops.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

struct SelectionPlan : PlanEstimate {
  int64_t rowCuts = 1;  // rows are distributed over this many groups of tiles
  int64_t cuts = 1;     // each row is cut over this many tiles
  int64_t bits = 1;     // of the k-th key that a round finds
  int64_t rounds = 1;   // number of rounds that find all bits
  int64_t splits = 1;   // workers that share the keys of a tile; the others count for other limits
  int64_t share = 1;    // keys of a row on a tile
  int64_t tileRows = 1; // rows of a tile

  int64_t limits() const { return (int64_t(1) << bits) - 1; }
};
SelectionPlan planSelection(const arch::Machine& machine, ElementType type, int64_t rows, int64_t length, int64_t k);

// Writes the k best elements of each row of `rows` into values and indices [rows, k], lowest position first. Of equal elements
// the ones at the lowest positions win.
void selectBest(const OpBuilder& builder, const Tensor& rows, int64_t k, bool largest, const Tensor& values,
                const Tensor& indices);

} // namespace simcore::ops
