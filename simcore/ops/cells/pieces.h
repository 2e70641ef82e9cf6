// A tensor distributed over tiles: one piece per cell of its layout. Ops that are computed vertex by vertex read values from
// pieces and write results to pieces, so that a layout with a gap, an overlap or a wrong owner cannot give the right numbers.
#pragma once

#include "simcore/ops/cells/cellwise.h"

namespace simcore::ops {

class Pieces {
public:
  // Cuts `whole` into the pieces that tiles have with `layout`. The layout has the tensor's shape, or another shape with the same
  // element count.
  Pieces(const numerics::HostTensor& whole, const Distribution& layout);
  // Begins without values: put() must be called for every cell.
  Pieces(ElementType type, const Distribution& layout);

  int64_t cells() const { return m_layout.cells(); }
  graph::Box box(int64_t cell) const { return m_layout.cell(cell); }
  const Shape& shape() const { return m_layout.shape(); } // shape of the layout's grid
  const numerics::HostTensor& piece(int64_t cell) const { return m_pieces[std::size_t(cell)]; }
  // The numbers of a cell, in the row-major order of its box. Throws Error(Internal) for a wrong count or a second put.
  void put(int64_t cell, const numerics::HostTensor& value);

  // An element of the flattened tensor, read from the piece that has it.
  double at(int64_t element) const;
  // Copies element `from` to element `to` of `target`, for any type.
  void copyElement(int64_t from, numerics::HostTensor& target, int64_t to) const;
  // The elements in a box of the grid, gathered from every piece that it overlaps.
  numerics::HostTensor fetch(const graph::Box& box) const;
  // Joins all pieces. Throws Error(Internal) if one was never put, or if the pieces do not cover the tensor.
  numerics::HostTensor assemble(const Shape& shape) const;

private:
  std::pair<std::size_t, int64_t> place(int64_t element) const; // piece and position in it

  Distribution m_layout;
  ElementType m_type;
  std::vector<int64_t> m_parts; // extent of a full part along each dimension
  std::vector<numerics::HostTensor> m_pieces;
  std::vector<bool> m_present;
};

// An element-wise kernel for a whole tensor, run on each cell of `layout` separately. Inputs of another size are passed unchanged.
HostKernel onEachCell(HostKernel whole, Distribution layout);

} // namespace simcore::ops
