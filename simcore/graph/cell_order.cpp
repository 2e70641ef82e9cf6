#include "simcore/graph/cell_order.h"

#include <algorithm>
#include <cstdlib>

namespace simcore::graph {

namespace {
bool cellsAreRows(const Distribution& grid) {
  std::size_t last = grid.shape().size(); // after the last split dimension
  while (last > 0 && grid.splits()[last - 1] <= 1) --last;
  for (std::size_t d = 0; d + 1 < last; ++d)
    if (grid.shape()[d] > 1 && grid.part(d) != 1) return false;
  return true;
}
} // namespace

bool liesInRows(const Distribution& layout) {
  if (layout.cells() == 1) return true;
  const int64_t matrices = layout.gridMatrices();
  if (matrices == 0) return cellsAreRows(layout.grid() ? *layout.grid() : layout);
  // A grid [1, matrices x columns, rows, 1] whose cells are whole matrices, or whole rows of one matrix.
  const Distribution& grid = *layout.grid();
  const int64_t columns = grid.shape()[1] / matrices;
  return grid.part(1) % columns == 0 && (grid.splits()[2] == 1 || grid.part(1) == columns);
}

bool hasKnownElements(const Distribution& layout) {
  if (layout.isCertain()) return true;
  const auto* grid = layout.grid();
  if (!grid || layout.isEstimate() || layout.laidFor() || layout.cells() > layout.tiles().size() ||
      grid->cells() > grid->tiles().size())
    return false;
  constexpr int64_t kMostApart = 10; // at most 1/10 of the elements may be on other tiles
  const int64_t tiles = std::max(layout.tiles().end, grid->tiles().end);
  const std::vector<int64_t> flat = layout.elementsByTile().dense(tiles), cells = grid->elementsByTile().dense(tiles);
  int64_t apart = 0;
  for (std::size_t t = 0; t < flat.size(); ++t) apart += std::abs(flat[t] - cells[t]);
  return apart * kMostApart <= numerics::elementCount(grid->shape());
}

} // namespace simcore::graph
