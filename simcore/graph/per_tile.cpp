#include "simcore/graph/per_tile.h"

#include <algorithm>

namespace simcore::graph {

namespace {
void append(std::vector<PerTile::Run>& runs, TileRange tiles, int64_t value) {
  if (tiles.empty() || value == 0) return;
  if (!runs.empty() && runs.back().tiles.end == tiles.begin && runs.back().value == value)
    runs.back().tiles.end = tiles.end;
  else
    runs.push_back({tiles, value});
}
} // namespace

PerTile PerTile::uniform(TileRange tiles, int64_t value) {
  PerTile p;
  append(p.m_runs, tiles, value);
  return p;
}

PerTile PerTile::fromDense(std::span<const int64_t> values, int64_t firstTile) {
  PerTile p;
  // Takes whole runs of equal values: nearly all values in the column of a single vertex are zero, and a program has one column
  // per step.
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i + 1;
    while (end < values.size() && values[end] == values[i]) ++end;
    if (values[i] != 0) p.m_runs.push_back({{firstTile + int64_t(i), firstTile + int64_t(end)}, values[i]});
    i = end;
  }
  return p;
}

// Merges both run lists in one pass. The value of each range is f(a, b), where at least one of them is not 0.
template<class F> void PerTile::combine(const PerTile& other, F f) {
  std::vector<Run> out;
  out.reserve(m_runs.size() + other.m_runs.size());
  std::size_t i = 0, j = 0;
  int64_t at = INT64_MIN;
  while (i < m_runs.size() || j < other.m_runs.size()) {
    const TileRange a = i < m_runs.size() ? m_runs[i].tiles : TileRange{INT64_MAX, INT64_MAX};
    const TileRange b = j < other.m_runs.size() ? other.m_runs[j].tiles : TileRange{INT64_MAX, INT64_MAX};
    at = std::max(at, std::min(a.begin, b.begin));
    const bool inA = a.begin <= at && at < a.end, inB = b.begin <= at && at < b.end;
    const int64_t end = std::min(inA ? a.end : a.begin, inB ? b.end : b.begin);
    append(out, {at, end}, f(inA ? m_runs[i].value : 0, inB ? other.m_runs[j].value : 0));
    at = end;
    if (i < m_runs.size() && a.end <= at) ++i;
    if (j < other.m_runs.size() && b.end <= at) ++j;
  }
  m_runs = std::move(out);
}

void PerTile::add(TileRange tiles, int64_t value) {
  if (tiles.empty() || value == 0) return;
  if (m_runs.empty() || m_runs.back().tiles.end <= tiles.begin) {
    append(m_runs, tiles, value);
    return;
  }
  combine(uniform(tiles, value), [](int64_t a, int64_t b) { return a + b; });
}

void PerTile::add(const PerTile& other, int64_t factor) {
  combine(other, [factor](int64_t a, int64_t b) { return a + b * factor; });
}

void PerTile::maxWith(const PerTile& other) {
  combine(other, [](int64_t a, int64_t b) { return std::max(a, b); });
}

int64_t PerTile::at(int64_t tile) const {
  auto it = std::upper_bound(m_runs.begin(), m_runs.end(), tile, [](int64_t t, const Run& r) { return t < r.tiles.end; });
  return it != m_runs.end() && it->tiles.contains(tile) ? it->value : 0;
}

int64_t PerTile::sum() const {
  int64_t total = 0;
  for (const Run& r : m_runs) total += r.value * r.tiles.size();
  return total;
}

int64_t PerTile::max() const {
  int64_t most = 0;
  for (const Run& r : m_runs) most = std::max(most, r.value);
  return most;
}

int64_t PerTile::activeTiles() const {
  int64_t n = 0;
  for (const Run& r : m_runs) n += r.tiles.size();
  return n;
}

std::vector<int64_t> PerTile::dense(int64_t tiles) const {
  std::vector<int64_t> values(std::size_t(tiles), 0);
  for (const Run& r : m_runs)
    for (int64_t t = std::max<int64_t>(0, r.tiles.begin); t < std::min(tiles, r.tiles.end); ++t) values[std::size_t(t)] = r.value;
  return values;
}

PerTile PerTile::within(TileRange tiles) const {
  PerTile p;
  for (const Run& r : m_runs) append(p.m_runs, r.tiles.clippedTo(tiles), r.value);
  return p;
}

} // namespace simcore::graph
