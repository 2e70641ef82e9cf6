// The cells of a grid that overlap boxes, as ranges of cells along the innermost dimension in which a box spans several cells.
#pragma once

#include "reports/core/units.h"
#include "simcore/graph/distribution.h"

#include <algorithm>

namespace simcore::graph {

// Limit of ranges of cells: a compile makes hundreds of exchanges and must not spend a second on each.
inline constexpr int64_t kMostStretches = int64_t(1) << 20;

class TouchedCells {
public:
  explicit TouchedCells(const Distribution& source) : m_source(source), m_dims(source.shape().size()) {
    int64_t apart = 1;
    for (std::size_t d = m_dims.size(); d-- > 0; apart *= source.splits()[d]) {
      m_dims[d].part = source.part(d);
      m_dims[d].apart = apart;
    }
  }

  // Calls f(sender, elements, senders, stride) for `senders` tiles, `stride` apart, that each hold `elements` elements of the
  // box.
  template<class F> void forEachStretch(const Box& box, F f) {
    m_inner = 0;
    for (std::size_t d = 0; d < m_dims.size(); ++d) {
      Dim& dim = m_dims[d];
      dim.box = box.dims[d];
      dim.first = dim.at = dim.box.begin / dim.part;
      dim.last = (dim.box.end - 1) / dim.part;
      if (dim.last > dim.first) m_inner = d;
    }
    do stretch(f);
    while (m_stretches < kMostStretches && next());
  }
  bool tooMany() const { return m_stretches >= kMostStretches; }

private:
  struct Dim {
    int64_t part = 1, apart = 1; // extent of a cell, and distance between neighbouring cells
    reports::Range<int64_t> box;
    int64_t first = 0, last = 0, at = 0; // cells that overlap the box, and the current one
    int64_t elements(int64_t cell) const { return std::min(box.end, (cell + 1) * part) - std::max(box.begin, cell * part); }
  };

  // Moves to the next cell in all dimensions except the inner one; false after the last.
  bool next() {
    for (std::size_t d = m_inner; d-- > 0;) {
      if (m_dims[d].at++ < m_dims[d].last) return true;
      m_dims[d].at = m_dims[d].first;
    }
    return false;
  }

  template<class F> void stretch(F f) {
    int64_t cell = 0, others = 1; // elements of a cell per element along the inner dimension
    for (std::size_t d = 0; d < m_dims.size(); ++d) {
      if (d == m_inner && !m_dims.empty()) continue;
      cell += m_dims[d].at * m_dims[d].apart;
      others *= m_dims[d].elements(m_dims[d].at);
    }
    if (m_dims.empty()) return take(0, others, 1, 1, f);
    const Dim& inner = m_dims[m_inner];
    // The first and the last cell may overlap in part, the others completely.
    take(cell + inner.first * inner.apart, others * inner.elements(inner.first), 1, inner.apart, f);
    take(cell + (inner.first + 1) * inner.apart, others * inner.part, inner.last - inner.first - 1, inner.apart, f);
    if (inner.last > inner.first) take(cell + inner.last * inner.apart, others * inner.elements(inner.last), 1, inner.apart, f);
  }

  // Cells wrap around after the last tile.
  template<class F> void take(int64_t cell, int64_t elements, int64_t count, int64_t apart, F f) {
    ++m_stretches;
    for (const int64_t tiles = m_source.tiles().size(); count > 0;) {
      const int64_t here = std::min(count, reports::ceilDiv(tiles - (m_source.firstTile() + cell) % tiles, apart));
      f(m_source.tileOf(cell), elements, here, apart);
      cell += here * apart;
      count -= here;
    }
  }

  const Distribution& m_source;
  std::vector<Dim> m_dims;
  std::size_t m_inner = 0;
  int64_t m_stretches = 0;
};

} // namespace simcore::graph
