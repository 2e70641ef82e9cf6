// A sparse matrix of blocks times a dense one, following popsparse. Static: the pattern is known when the graph is made, and is
// cut so that all tiles have the same number of blocks. Dynamic: the pattern may change from run to run, but not the number of
// blocks. The matrix is cut evenly, each tile has a bucket with spare space, blocks that do not fit move to other buckets, and
// after the first product the buckets are passed around until every tile has seen all of its blocks.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

struct SparseMatmulParams {
  int64_t m = 1, k = 1, n = 1;
  int64_t block = 1;  // blocks of block x block: 1, 4, 8 or 16
  int64_t blocks = 1; // number of blocks that are not zero
  bool dynamic = false;
  ElementType type = ElementType::Float;
};

// popsparse's option metaInfoBucketOversizeProportion.
inline constexpr double kSparseOversize = 0.3;

// The sparse operand is cut by rows and columns into `rows` x `inner` parts, the dense one by columns into `columns` parts.
struct SparsePlan : PlanEstimate {
  int64_t rows = 1, inner = 1, columns = 1;
  int64_t propagateCycles = 0; // cycles for passing the buckets around
  int64_t tiles() const { return rows * inner * columns; }
  int64_t cycles() const { return PlanEstimate::cycles() + propagateCycles; }
  PlanCost cost() const { return {cycles()}; }
  std::string text() const;
};
SparsePlan planSparseMatmul(const arch::Machine& machine, const SparseMatmulParams& params);

// Positions of the blocks, as numbers in row-major order of blocks, each once; called only if numbers are computed.
using SparsePattern = std::function<std::vector<int64_t>()>;
// values [blocks, block, block] and dense [k, n] -> [m, n]. Parts of blocks beyond m or k count as zero.
Tensor sparseMatmul(const OpBuilder& builder, const Tensor& values, const Tensor& dense, const SparseMatmulParams& params,
                    const SparsePattern& pattern);

} // namespace simcore::ops
