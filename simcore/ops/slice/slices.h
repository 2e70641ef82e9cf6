// Rows of a table read or changed by indices known only at run time, planned like in popops. A look-up is cut three ways:
// indices, rows of the table and columns. If rows are cut, every tile scans all its indices and takes those in its range; a
// second stage takes each result from the tile that had it (programming-model 2.2, costs: ipu-reference 9.2).
#pragma once

#include "simcore/numerics/indexing.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

struct LookUpPlan : PlanEstimate {
  int64_t rowPart = 1, columnPart = 1;   // rows and columns of the table on one tile
  int64_t indexPart = 1, resultPart = 1; // indices per tile; results per tile (in the second stage, if used)
  int64_t rowCuts = 1, columnCuts = 1, indexCuts = 1;
  int64_t tiles() const { return rowCuts * columnCuts * indexCuts; }
  std::string text() const;
};
// The tiles that send this many rows and columns of the table to a tile; empty: one.
using LookUpSenders = std::function<int64_t(int64_t rows, int64_t columns)>;
LookUpPlan planLookUp(const arch::Machine& machine, ElementType type, int64_t rows, int64_t columns, int64_t indices,
                      double availableMemory = kAvailableMemoryProportion, const LookUpSenders& senders = {});

// Converts coordinates [.., d] to row numbers [..]. Coordinates are in the dimensions of a table from `batch` on; earlier
// dimensions are batches.
Tensor rowNumbers(const OpBuilder& builder, const Tensor& indices, const Shape& table, std::size_t batch);
// Positions, in the flattened table, of the elements that `indices` select along `axis`: an index element's own coordinates, but
// with its value as the coordinate of `axis`.
Tensor elementNumbers(const OpBuilder& builder, const Tensor& indices, const Shape& table, std::size_t axis);

// Looks up table [R, C] at indices [L] -> [L, C]; negative indices count from the end. An unmapped table is mapped for the plan.
Tensor multiSlice(const OpBuilder& builder, const Tensor& table, const Tensor& indices);
// Returns a copy of x [R, C] in which row indices[i] is replaced by, or combined with, row i of updates [L, C], in order of i.
// Each tile holds a box of x and scans all indices.
Tensor multiUpdate(const OpBuilder& builder, const Tensor& x, const Tensor& indices, const Tensor& updates,
                   numerics::ScatterReduction mode);

// A layout of x [T, n] in which a tile has all T rows of its columns, so that dynamic slices need no exchange.
Tensor sliceable(const OpBuilder& builder, const Tensor& x);
Tensor sliceableVariable(const OpBuilder& builder, ElementType type, int64_t slices, int64_t columns, const std::string& name);
// dynamicSlice() returns row `index` (one integer) of a tensor with this layout as [n]; dynamicUpdate() writes the row.
Tensor dynamicSlice(const OpBuilder& builder, const Tensor& x, const Tensor& index);
void dynamicUpdate(const OpBuilder& builder, const Tensor& x, const Tensor& row, const Tensor& index);

// The inverse of a movement: adds each element of dy to zeros of `shape`, at the position that it came from. `where` is the
// movement (as in cellwiseMove): its inputs are the positions in `shape` and `more`, and dy has the shape of its result. Costs
// are those of popops multiUpdateAdd.
Tensor moveBack(const OpBuilder& builder, const Tensor& dy, const std::vector<Tensor>& more, const Shape& shape,
                HostKernel where);

} // namespace simcore::ops
