// Pooling vertices: MultiVertices that loop over output rows and, for each, over kernel rows. All channels of a position are
// processed in vectors. Source: ipu-reference 9.5 (popnn popnnCycleEstimators): 3 cycles per vector forward, 5 for the backward
// pass of a maximum, about 30 per row.
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

using numerics::ElementType;

enum class PoolKind { Max, Average, Sum };
enum class PoolPass { Forward, Backward };

struct PoolShape {
  int64_t rows = 1, rowLength = 1; // output rows (batch and outer field) and positions in each
  int64_t channels = 1;            // of one position, contiguous
  int64_t kernelRows = 1, kernelColumns = 1;
};
VertexSpec poolingSpec(PoolKind kind, PoolPass pass, ElementType type, const PoolShape& shape);
VertexCost pooling(const arch::TileArchitecture& tile, PoolKind kind, PoolPass pass, ElementType type, const PoolShape& shape);

} // namespace simcore::codelets
