#include "simcore/graph/box_pairs.h"

#include "reports/core/units.h"

#include <algorithm>

namespace simcore::graph {

using reports::PairWriter;

namespace {

// Stretches of cells after which no more are looked at: a compile makes hundreds of exchanges and has no second for this.
constexpr int64_t kMostStretches = int64_t(1) << 16;

// The cells of a grid that boxes touch, in stretches of neighbours along the innermost dimension that a box crosses.
class TouchedCells {
public:
  TouchedCells(const Distribution& source, int64_t elementBytes, PairWriter& pairs)
      : m_source(source), m_elementBytes(elementBytes), m_pairs(pairs), m_dims(source.shape().size()) {
    int64_t apart = 1;
    for (std::size_t d = m_dims.size(); d-- > 0; apart *= source.splits()[d]) {
      m_dims[d].part = source.part(d);
      m_dims[d].apart = apart;
    }
  }

  void takeFrom(const Box& box) {
    m_inner = 0;
    for (std::size_t d = 0; d < m_dims.size(); ++d) {
      Dim& dim = m_dims[d];
      dim.box = box.dims[d];
      dim.first = dim.at = dim.box.begin / dim.part;
      dim.last = (dim.box.end - 1) / dim.part;
      if (dim.last > dim.first) m_inner = d;
    }
    do stretch();
    while (m_stretches < kMostStretches && next());
  }
  bool tooMany() const { return m_stretches >= kMostStretches; }

private:
  struct Dim {
    int64_t part = 1, apart = 1; // extent of a cell, and cells from one to the next
    reports::Range<int64_t> box;
    int64_t first = 0, last = 0, at = 0; // of the cells touched
    int64_t elements(int64_t cell) const { return std::min(box.end, (cell + 1) * part) - std::max(box.begin, cell * part); }
  };

  // The next place in all dimensions but the inner one.
  bool next() {
    for (std::size_t d = m_inner; d-- > 0;) {
      if (m_dims[d].at++ < m_dims[d].last) return true;
      m_dims[d].at = m_dims[d].first;
    }
    return false;
  }

  void stretch() {
    int64_t cell = 0, others = m_elementBytes; // bytes of a cell for each element along the inner dimension
    for (std::size_t d = 0; d < m_dims.size(); ++d) {
      if (d == m_inner && !m_dims.empty()) continue;
      cell += m_dims[d].at * m_dims[d].apart;
      others *= m_dims[d].elements(m_dims[d].at);
    }
    if (m_dims.empty()) return take(0, others, 1, 1);
    const Dim& inner = m_dims[m_inner];
    // The first and the last cell may be touched in part; those between are whole.
    take(cell + inner.first * inner.apart, others * inner.elements(inner.first), 1, inner.apart);
    take(cell + (inner.first + 1) * inner.apart, others * inner.part, inner.last - inner.first - 1, inner.apart);
    if (inner.last > inner.first) take(cell + inner.last * inner.apart, others * inner.elements(inner.last), 1, inner.apart);
  }

  // Cells wrap around at the last tile.
  void take(int64_t cell, int64_t bytes, int64_t count, int64_t apart) {
    ++m_stretches;
    for (const int64_t tiles = m_source.tiles().size(); count > 0;) {
      const int64_t here = std::min(count, reports::ceilDiv(tiles - (m_source.firstTile() + cell) % tiles, apart));
      m_pairs.take(m_source.tileOf(cell), bytes, here, apart);
      cell += here * apart;
      count -= here;
    }
  }

  const Distribution& m_source;
  const int64_t m_elementBytes;
  PairWriter& m_pairs;
  std::vector<Dim> m_dims;
  std::size_t m_inner = 0;
  int64_t m_stretches = 0;
};

} // namespace

Pairs pairsTo(const Distribution& source, const std::vector<Box>& boxes, int64_t firstTile, TileRange tiles,
              int64_t elementBytes) {
  PairWriter pairs(kKeptPairRuns);
  TouchedCells cells(source, elementBytes, pairs);
  const Box* before = nullptr;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].volume() == 0) continue;
    const int64_t tile = tiles.begin + (firstTile + int64_t(i)) % tiles.size();
    if (before && before->dims == boxes[i].dims && pairs.same(tile)) continue;
    pairs.receiver(tile);
    cells.takeFrom(boxes[i]);
    before = &boxes[i];
    if (pairs.full() || cells.tooMany()) return {};
  }
  return pairs.finish();
}

Pairs pairsFrom(int64_t sender, const PerTile& bytesIn) {
  PairWriter pairs(kKeptPairRuns);
  for (const auto& run : bytesIn.runs())
    for (int64_t tile = run.tiles.begin; tile < run.tiles.end; ++tile) {
      pairs.receiver(tile);
      pairs.take(sender, run.value);
    }
  return pairs.finish();
}

} // namespace simcore::graph
