// Sums of many PerTile values, for programs of thousands of steps. A sum stored as runs would soon have a run for every tile, and
// each further value would process all of them. This class stores the differences between neighbouring tiles, so that adding a
// value costs only its own runs.
#pragma once

#include "simcore/graph/per_tile.h"

#include <numeric>
#include <vector>

namespace simcore::graph {

class TileSums {
public:
  explicit TileSums(int64_t tiles) : m_steps(std::size_t(tiles) + 1, 0) {}

  void add(TileRange tiles, int64_t value) {
    if (tiles.empty()) return;
    m_steps[std::size_t(tiles.begin)] += value;
    m_steps[std::size_t(tiles.end)] -= value;
  }
  void add(const PerTile& values, int64_t factor = 1) {
    for (const PerTile::Run& r : values.runs()) add(r.tiles, r.value * factor);
  }

  std::vector<int64_t> dense() const {
    std::vector<int64_t> values(m_steps.size() - 1);
    std::partial_sum(m_steps.begin(), m_steps.end() - 1, values.begin());
    return values;
  }
  PerTile perTile() const { return PerTile::fromDense(dense()); }

private:
  std::vector<int64_t> m_steps; // difference to the previous tile; one entry more than tiles
};

} // namespace simcore::graph
