// Vertices of dynamic slices, embedding look-ups and their updates. All are MultiVertices (tile cycles) except Slice2D (Worker).
// A look-up vertex holds some rows of the table and scans all indices: an index in range costs a copy, any other index a
// comparison. Source: ipu-reference 9.2 (poplibs PerformanceEstimation, DynamicSlice).
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

using numerics::ElementType;

enum class SliceDirection { Slice, Update };

// One region: `subElements` sub-regions of `regionElements` elements each are copied.
VertexSpec dynamicSlice1DSpec(SliceDirection direction, ElementType type);
VertexCost dynamicSlice1D(const arch::TileArchitecture& tile, SliceDirection direction, ElementType type, int64_t regionElements,
                          int64_t subElements);

struct LookUp {
  ElementType type = ElementType::Float;
  int64_t offsets = 0;        // indices that the vertex checks
  double inRangeFraction = 1; // share of indices in range: rows on this tile / rows of the table
  int64_t rowElements = 0;    // elements of a row on this tile
  bool sorted = false;        // sorted indices are found by binary search
  int64_t repeated = 0;       // repeated indices, only in the sorted form
};
VertexSpec multiSliceSpec(const LookUp& lookUp);
VertexCost multiSlice(const arch::TileArchitecture& tile, const LookUp& lookUp);
// Writes rows (copy).
VertexSpec multiUpdateSpec(const LookUp& lookUp);
VertexCost multiUpdate(const arch::TileArchitecture& tile, const LookUp& lookUp);
enum class UpdateOp { Add, Max, Multiply };
// Combines rows with an operation, optionally scaled. `wideScale`: a float scale for half rows.
VertexSpec multiUpdateOpSpec(const LookUp& lookUp, UpdateOp op, bool scaled, bool wideScale = false);
VertexCost multiUpdateOp(const arch::TileArchitecture& tile, const LookUp& lookUp, UpdateOp op, bool scaled,
                         bool wideScale = false);

} // namespace simcore::codelets
