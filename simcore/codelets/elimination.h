// Gaussian elimination with pivots, for determinants. One vertex eliminates a whole matrix. If the rows of a matrix are spread
// over tiles, each elimination step has three vertices: the pivot candidate of each tile, the choice among the candidates, and
// the update of the rows. Poplibs publishes no figures for such vertices, so costs are counted from the instructions of their
// loops; the update is like a scaled add in fp32, 3 for two elements (ipu-reference 9.1). All are Workers, in float.
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"

namespace simcore::codelets {

// Eliminates a matrix [n, n] in place and computes its determinant.
VertexSpec determinantSpec();
VertexCost determinant(const arch::TileArchitecture& tile, int64_t n);

// Finds the largest magnitude in a column among `rows` rows that were not pivots yet; copies `columns` elements of that row.
VertexSpec pivotSearchSpec();
VertexCost pivotSearch(const arch::TileArchitecture& tile, int64_t rows, int64_t columns);

// Chooses the best of `candidates` with their positions; copies `columns` elements of its row.
VertexSpec pivotChoiceSpec();
VertexCost pivotChoice(const arch::TileArchitecture& tile, int64_t candidates, int64_t columns);

// Subtracts multiples of the pivot's row from `rows` rows, `columns` elements each.
VertexSpec eliminateRowsSpec();
VertexCost eliminateRows(const arch::TileArchitecture& tile, int64_t rows, int64_t columns);

} // namespace simcore::codelets
