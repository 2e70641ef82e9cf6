// On-tile copies and transposes. Copies belong to the runtime, so their code is on every tile. A compiled program calls them
// through copy vertices that use all six workers (tile cycles). Sources: ipu-reference 9.7 and 9.9, programming-model 2.1 for
// generic rearrangement.
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

using numerics::ElementType;

// `alignment`: the largest of 8, 4, 2, 1 that divides both addresses and the length. It is also the number of bytes per cycle.
VertexSpec memcpySpec(int64_t alignment);
VertexCost memcpyCycles(const arch::TileArchitecture& tile, int64_t bytes, int64_t alignment);
// Rows of a matrix, each contiguous on both sides.
VertexSpec copy2DSpec(int64_t alignment, int64_t rows);
VertexCost copy2D(const arch::TileArchitecture& tile, int64_t rows, int64_t bytesPerRow, int64_t alignment);
// Single elements at a constant stride on at least one side.
VertexSpec stridedCopySpec(ElementType type);
VertexCost stridedCopy(const arch::TileArchitecture& tile, ElementType type, int64_t elements);

// `transposes` matrices of rows x columns. The grain form requires whole grains on both sides (4 for 2-byte, 2 for 4-byte
// elements); else elements are moved one by one.
bool hasFastTranspose(ElementType type, int64_t rows, int64_t columns);
VertexSpec transposeSpec(ElementType type, bool fast);
VertexCost transpose(const arch::TileArchitecture& tile, ElementType type, int64_t rows, int64_t columns, int64_t transposes = 1);

// A generic layout change on one tile before or after a convolution, with bytes moved in atoms of 2, 4 and 8 bytes: 587 + 5.15 b2
// + 3.13 b4 + 0.44 b8 tile cycles. For planners; lowering counts the actual copies.
Cycles rearrangementCycles(int64_t bytes2, int64_t bytes4, int64_t bytes8);

} // namespace simcore::codelets
