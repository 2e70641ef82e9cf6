// Converts boxes and ranges of a tensor's elements, counted row by row, to the cells of its layout.
#pragma once

#include "simcore/graph/row_boxes.h"

namespace simcore::graph {

// Whether every cell is a contiguous range of elements, in the order of cells. A flattened layout is judged by its original grid.
bool liesInRows(const Distribution& layout);
// Whether the elements of each tile are known. True if the layout is certain. Also true for a flattened layout if its elements
// per tile differ from the original grid's by at most 10 % of all elements in total; the cells of the grid then give the
// elements. False for estimates and for weights laid out by a plan.
bool hasKnownElements(const Distribution& layout);

class CellOrder {
public:
  explicit CellOrder(const Distribution& layout)
      : m_cells(layout.grid() ? *layout.grid() : layout), m_isInRows(graph::liesInRows(layout)) {
    if (layout.gridMatrices() == 0) return;
    m_matrices = layout.gridMatrices();
    m_columns = m_cells.shape()[1] / m_matrices;
    m_shape = {m_matrices, m_cells.shape()[2], m_columns};
  }
  bool liesInRows() const { return m_isInRows; }
  const Distribution& cells() const { return m_cells; } // the grid
  // Whether both orders convert the same ranges to the same boxes.
  bool isLike(const CellOrder& other) const { return m_cells.shape() == other.m_cells.shape() && m_matrices == other.m_matrices; }

  bool hasMatrices() const { return m_matrices > 0; }
  // Whether a tensor of this shape consists of the matrices of the product whose grid this is. A single matrix may lack the
  // dimension of the matrices.
  bool isOfMatrices(const Shape& shape) const {
    return m_matrices > 0 && (shape == m_shape || (m_matrices == 1 && shape == Shape(m_shape.begin() + 1, m_shape.end())));
  }
  // Calls f(box) with the boxes of the grid for a box of a tensor of matrices.
  template<class F> void forEachGridBox(const Box& box, F f) const {
    const bool isOne = box.dims.size() == 2;
    const auto &rows = box.dims[isOne ? 0 : 1], &columns = box.dims[isOne ? 1 : 2];
    for (int64_t g = isOne ? 0 : box.dims[0].begin; g < (isOne ? 1 : box.dims[0].end); ++g)
      f(Box{{{0, 1}, {g * m_columns + columns.begin, g * m_columns + columns.end}, rows, {0, 1}}});
  }

  // Calls f(box) with the boxes of the grid for a range of elements.
  template<class F> void forEachBox(reports::Range<int64_t> elements, F f) const {
    forEachRowBox(elements, m_matrices ? m_shape : m_cells.shape(), [&](const Box& box) {
      if (m_matrices == 0) return f(box);
      // If the box spans several matrices, it spans all of their columns.
      const auto &matrices = box.dims[0], &columns = box.dims[2];
      f(Box{{{0, 1},
             {matrices.begin * m_columns + columns.begin, (matrices.end - 1) * m_columns + columns.end},
             box.dims[1],
             {0, 1}}});
    });
  }

  // Calls f(elements) for the contiguous ranges of a box of the grid, until f returns false.
  template<class F> void forEachStretch(const Box& box, F f) const {
    if (m_matrices == 0) return forEachRowStretch(m_cells.shape(), box, f);
    const auto& columns = box.dims[1];
    for (int64_t g = columns.begin / m_columns; g * m_columns < columns.end; ++g) {
      const Box of{{{g, g + 1},
                    box.dims[2],
                    {std::max<int64_t>(0, columns.begin - g * m_columns), std::min(m_columns, columns.end - g * m_columns)}}};
      bool wantsMore = true;
      forEachRowStretch(m_shape, of, [&](reports::Range<int64_t> elements) { return wantsMore = f(elements); });
      if (!wantsMore) return;
    }
  }

private:
  const Distribution& m_cells;
  const bool m_isInRows;
  int64_t m_matrices = 0, m_columns = 1; // of a product; 0: no product
  Shape m_shape;                         // [matrices, rows, columns] of a product
};

} // namespace simcore::graph
