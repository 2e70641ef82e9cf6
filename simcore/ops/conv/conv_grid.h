// The cells of a planned convolution and the tiles on which they lie. All convolutions begin at the first tile, so that operands of equal
// plans are on the same tiles (poplibs ConvOptions.hpp: enableConvDithering is off by default).
#pragma once

#include "simcore/ops/conv/conv_cells.h"

#include <vector>

namespace simcore::ops {

class ConvGrid {
public:
  struct Cell {
    ConvPart part;
    ConvCell spans;
    graph::Box input; // of [N, C, H, W]
  };

  // `params`: the whole problem.
  ConvGrid(const OpBuilder& b, const ConvParams& params, const ConvPlan& plan);

  const ConvParams whole, slice; // the whole problem, and one serial slice
  const ConvPlan& plan;
  ConvForm form;

  // In the order batch, channels (groups, then out), rows, columns, input channels: the last split is the reduction. A product has output
  // channels last. Either way a pair of cells begins on an even tile, i.e. one exchange bus.
  const std::vector<Cell>& cells() const { return m_cells; }
  int64_t count() const { return int64_t(m_cells.size()); }
  int64_t tileOf(std::size_t cell) const { return m_b.tileRange().begin + int64_t(cell) % m_b.tiles(); }
  int64_t cellOn(int64_t tile) const { return (tile - m_b.tileRange().begin + m_b.tiles()) % m_b.tiles(); }
  int64_t ways() const { return plan.partialSums(); }

  PerTile bytes(int64_t PartBytes::*which) const;
  // The same number of elements on every tile with work.
  PerTile evenly(int64_t elements) const { return evenly(elements, elementBytes(slice.type)); }
  PerTile evenly(int64_t elements, int64_t size) const;

  graph::Distribution outputLayout(const Shape& shape) const;
  graph::Distribution weightLayout(int64_t elements, int64_t size) const;
  uint64_t planKey() const;
  std::vector<int64_t> key() const; // of a cache: the whole problem, one serial slice, the plan and its form

private:
  void split();
  void addCell(int64_t n, int64_t g, int64_t o, int64_t h, int64_t w, int64_t i, int64_t k);
  void spreadShares(const std::array<int64_t, 4>& extents, std::vector<int64_t>& splits) const;

  const OpBuilder& m_b;
  std::vector<Cell> m_cells;
};

} // namespace simcore::ops
