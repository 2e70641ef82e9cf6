// The largest elements of rows with their positions, by a bitonic network as in popops' topK (programming-model 2.2): runs of k'
// (k rounded up to a power of two) are sorted, then pairs of runs are merged and the worse half is dropped until one run is left.
// A step compares elements at a distance; if that distance crosses tiles, the elements are exchanged.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

struct TopKPlan : PlanEstimate {
  int64_t run = 1;     // k'
  int64_t padded = 1;  // elements of a row, a multiple of the run and a power of two
  int64_t rowCuts = 1; // rows are distributed over this many groups of tiles
  int64_t cuts = 1;    // each row is cut over this many tiles, a power of two
  int64_t localSteps = 0, exchangedSteps = 0;
};
TopKPlan planTopK(const arch::Machine& machine, ElementType type, int64_t rows, int64_t length, int64_t k);

struct TopKResult {
  Tensor values, indices; // indices are Int64
};
// The k largest or smallest elements along `axis`, best first, the lower index first on ties. If k is the dimension, this is a
// full sort. If not `sorted`, results are in the order of the indices (selection.h).
TopKResult topK(const OpBuilder& builder, const Tensor& x, int64_t k, std::size_t axis, bool largest, bool sorted = true);

// The position (Int64) of the largest or smallest element along `axis`, which is removed or stays with size 1. Each tile first finds its
// candidate of a row, then the candidates of the row's tiles are compared.
Tensor argReduce(const OpBuilder& builder, const Tensor& x, std::size_t axis, bool largest, bool keepDims, bool lastOnTies);

} // namespace simcore::ops
