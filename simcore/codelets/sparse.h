// Vertices of static and dynamic sparse times dense products, and the gather before them. Supervisor vertices: tile cycles.
// Non-zeros are stored in buckets; a tile reads every bucket it receives and processes the sub-groups that belong to it. Source:
// ipu-reference 9.8 (popsparse PerformanceEstimation).
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

using numerics::ElementType;

struct SparseBuckets {
  int64_t buckets = 1;   // B
  int64_t own = 1;       // buckets with data for this tile
  int64_t subGroups = 1; // g, average per bucket
};

struct SparseProduct {
  ElementType type = ElementType::Float;
  SparseBuckets buckets;
  int64_t rows = 0;           // X: rows with non-zeros, per worker (element-wise) or per tile (block)
  int64_t nonZerosPerRow = 0; // y: elements or blocks
  int64_t denseColumns = 0;   // Z: per tile (element-wise) or per worker (block)
};

VertexSpec sparseDenseElementsSpec(ElementType type);
VertexCost sparseDenseElements(const arch::TileArchitecture& tile, const SparseProduct& product);

// Blocks of `block` x `block`, 4, 8 or 16.
VertexSpec sparseDenseBlocksSpec(ElementType type, ElementType partials, int64_t block);
VertexCost sparseDenseBlocks(const arch::TileArchitecture& tile, const SparseProduct& product, ElementType partials,
                             int64_t block);

} // namespace simcore::codelets
