// Sender/receiver pairs of the partials of a reduction.
#pragma once

#include "simcore/graph/planned_pairs.h"

namespace simcore::ops {

// Tiles of the partials of a tensor with `layout`, reduced over `axes`: a tile with elements of an output has one partial of it.
class PartialPlaces {
public:
  PartialPlaces(const graph::Distribution& layout, const graph::Shape& shape, const std::vector<std::size_t>& axes);
  bool isKnown() const { return m_isKnown; }
  // Pairs of an exchange with these bytes: the tiles of `out` receive the partials of their outputs. With `parts` > 1, `out` has
  // `parts` elements per output, each of which receives the next `group` partials.
  graph::SharedPairs pairsTo(const graph::Distribution& out, int64_t parts, int64_t group, const graph::PerTile& bytesIn) const;

private:
  void take(graph::PlannedPairs& pairs, reports::Range<int64_t> outputs) const;
  void takePart(graph::PlannedPairs& pairs, int64_t output, reports::Range<int64_t> partials) const;

  graph::Distribution m_source; // as a grid: along reduced axes a cell has one element
  graph::Shape m_kept, m_reduced;
  std::vector<int64_t> m_apart;        // stride along each dimension, in cells
  std::vector<int64_t> m_reducedCells; // distance of each partial of an output from the first, in cells
  std::vector<std::size_t> m_keptDims, m_reducedDims;
  int64_t m_outputs = 1, m_partials = 1;
  bool m_isGrid = false, m_isKnown = false, m_outputsInnermost = false;
};

} // namespace simcore::ops
