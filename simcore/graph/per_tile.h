// One number per tile, stored as runs: 94,208 tiles with equal values are one run. Builders add ranges in any order.
#pragma once

#include "reports/core/range.h"

#include <cstdint>
#include <span>
#include <vector>

namespace simcore::graph {

using TileRange = reports::Range<int64_t>; // tiles over all IPUs, half-open

class PerTile {
public:
  struct Run {
    TileRange tiles;
    int64_t value;
    bool operator==(const Run&) const = default;
  };

  PerTile() = default;
  static PerTile uniform(TileRange tiles, int64_t value);
  static PerTile fromDense(std::span<const int64_t> values, int64_t firstTile = 0);

  // Adds `value` to every tile of the range. Cheap if ranges come in ascending order.
  void add(TileRange tiles, int64_t value);
  void add(const PerTile& other, int64_t factor = 1);
  // Sets each tile's value to the larger one.
  void maxWith(const PerTile& other);

  int64_t at(int64_t tile) const;
  int64_t sum() const;
  int64_t max() const;         // 0 if empty
  int64_t activeTiles() const; // tiles with a value other than 0
  bool empty() const { return m_runs.empty(); }
  // Runs are ascending, disjoint and not zero, and neighbouring runs differ. A temporary returns its runs by value, so `for (… :
  // f().runs())` is safe.
  const std::vector<Run>& runs() const& { return m_runs; }
  std::vector<Run> runs() && { return std::move(m_runs); }
  std::vector<int64_t> dense(int64_t tiles) const;
  // The values inside `tiles`, with unchanged tile numbers.
  PerTile within(TileRange tiles) const;
  bool operator==(const PerTile&) const = default;

private:
  template<class F> void combine(const PerTile& other, F f);
  std::vector<Run> m_runs;
};

} // namespace simcore::graph
