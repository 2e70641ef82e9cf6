#include "simcore/codelets/sparse.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>

namespace simcore::codelets {

using reports::ceilDiv;

namespace {

VertexState sparseState() {
  VertexState state;
  state.onePtr().onePtr().vectorList(1).onePtr();
  for (int i = 0; i < 6; ++i) state.scalar(2);
  return state;
}

// Cycles for walking over the sub-groups of buckets without data for this tile, and of its own buckets ((g-1)/2 + 1 on average
// before a hit).
int64_t bucketWalk(const SparseBuckets& b, int64_t miss, int64_t hit, int64_t fixed) {
  const int64_t own = std::clamp<int64_t>(b.own, 0, atLeastZero(b.buckets)), g = std::max<int64_t>(b.subGroups, 1);
  return miss * (atLeastZero(b.buckets) - own) * g + own * (((g - 1) / 2 + 1) * hit + fixed);
}

struct ElementLoop {
  int64_t once, perRow, inner; // o, xo, and the loop over the y non-zeros of a row
};

ElementLoop halfLoop(int64_t z, int64_t y) {
  if (z == 8) return {28, 15, 3 * y};
  if (z == 4) return {30, 11, 2 * y};
  int64_t inner = 16 + z / 8 * 3 * y;
  if (z & 4) inner += 13 + 2 * y;
  if (z % 4 != 0) inner += 11 + 2 * y * (z % 4);
  return {33, 12, inner};
}

ElementLoop floatLoop(int64_t z, int64_t y) {
  if (z == 4) return {25, 13, 3 * y};
  if (z == 2) return {27, 11, 2 * y};
  int64_t inner = 12 + z / 4 * 3 * y;
  if (z & 2) inner += 8 + 2 * y;
  if (z & 1) inner += 8 + 2 * y;
  return {30, 13, inner + 1}; // "+ 1..3" of the reference
}

} // namespace

VertexSpec sparseDenseElementsSpec(ElementType type) {
  return makeSpec(std::string("popsparse::SparseDenseMatMulElementWise<") + codeletTypeName(type) + ">", VertexKind::Supervisor,
                  VertexFamily::Sparse, codeBytes(CodeClass::SparseSupervisor), sparseState());
}

// sup = 30 + 32 (B - B_own) g + B_own (((g-1)/2 + 1) x 47 + 46); total = sup + W x (o + X x (xo + inner)).
VertexCost sparseDenseElements(const arch::TileArchitecture& tile, const SparseProduct& product) {
  const int64_t rows = atLeastZero(product.rows), y = atLeastZero(product.nonZerosPerRow), z = atLeastZero(product.denseColumns);
  const ElementLoop loop = isHalf(product.type) ? halfLoop(z, y) : floatLoop(z, y);
  const int64_t supervisor = 30 + bucketWalk(product.buckets, 32, 47, 46);
  const int64_t worker = loop.once + rows * (loop.perRow + loop.inner);
  return {Cycles(supervisor + tile.workers * worker), Flops(2 * tile.workers * rows * y * z)};
}

VertexSpec sparseDenseBlocksSpec(ElementType type, ElementType partials, int64_t block) {
  return makeSpec(std::string("popsparse::SparseDenseMatMulBlock<") + codeletTypeName(type) + "," + codeletTypeName(partials) +
                      "," + std::to_string(block) + ">",
                  VertexKind::Supervisor, VertexFamily::Sparse, codeBytes(CodeClass::ConvSupervisor), sparseState());
}

namespace {

struct BlockLoop {
  int64_t perColumn, once, head; // c, o, h
};

BlockLoop blockLoop(bool half, bool halfPartials, int64_t block, int64_t units) {
  if (block <= 4) return half ? BlockLoop{2, 26, halfPartials ? 16 : 18} : BlockLoop{4, 26, 14};
  if (block <= 8) return half ? BlockLoop{4, 23, halfPartials ? 19 : 22} : BlockLoop{8, 23, 22};
  return half && halfPartials && units >= 16 ? BlockLoop{4, 22, 22} : BlockLoop{4, 23, 24};
}

} // namespace

// sup = 40 + 33 (B - B_own) g + B_own (((g-1)/2 + 1) x 46 + 56) + X x y x (R C / 4 (fp16 | 2 fp32) + 3 + 12 k) + 2; worker = o +
// X x y x k x (h + Z c - 3 if inputs are retained); k = 2 if 16 rows use 8 units. Weights are only kept for the first row, so
// nothing is retained here.
VertexCost sparseDenseBlocks(const arch::TileArchitecture& tile, const SparseProduct& product, ElementType partials,
                             int64_t block) {
  const bool half = isHalf(product.type);
  const int64_t units = half ? tile.convUnitsHalf : tile.convUnitsFloat;
  const int64_t r = std::max<int64_t>(block, 1), k = r >= 16 && units <= 8 ? 2 : 1;
  const int64_t blocks = atLeastZero(product.rows) * atLeastZero(product.nonZerosPerRow), z = atLeastZero(product.denseColumns);
  const BlockLoop loop = blockLoop(half, isHalf(partials), r, units);
  const int64_t load = r * r / (half ? 4 : 2) + 3 + 12 * k;
  const int64_t supervisor = 40 + bucketWalk(product.buckets, 33, 46, 56) + blocks * load + 2;
  const int64_t worker = loop.once + blocks * k * (loop.head + z * loop.perColumn);
  return {Cycles(supervisor + tile.workers * worker), Flops(2 * tile.workers * blocks * r * r * z)};
}

} // namespace simcore::codelets
