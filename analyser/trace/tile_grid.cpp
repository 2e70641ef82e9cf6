// The tile-by-cycle picture of execution_trace.h. Executions wider than a column are drawn tile by tile (a tile works from
// the start of the step for as long as its own cycles say, then waits); narrower ones are first counted by (column, profile),
// because loops run the same few profiles millions of times.
#include "analyser/trace/execution_trace.h"

#include "reports/sqlite/reader.h"

#include <cmath>

namespace analyser::trace {

namespace {

constexpr int kActivities = 7; // those that take tile time: all before idle
// Above this many slices of one track, every k-th narrow one is looked at.
constexpr int64_t kMaxSlices = 8'000'000;

// Tiles of one row of the picture that take the same cycles.
struct RowRun {
  int row = 0;
  int64_t cycles = 0, tiles = 0;
};

class GridBuilder {
public:
  GridBuilder(TileGrid& grid, const Machine& machine)
      : m_grid(grid), m_machine(machine), m_column(double(grid.range.size()) / grid.columns),
        m_busy(std::size_t(grid.rows) * std::size_t(grid.columns) * kActivities) {}

  int rowOf(int64_t tile) const {
    // The inverse of "row r begins at tile r * tiles / rows".
    const int64_t t = tile - int64_t(m_grid.firstTile.value());
    return static_cast<int>(((t + 1) * m_grid.rows - 1) / m_grid.tiles);
  }

  void addLane(ExecutionTrace& trace, const Track& track, int depth, const std::stop_token& stop) {
    const auto ipuTiles = tilesOf(track);
    if (ipuTiles.empty()) return;
    const int64_t every = 1 + track.slices / kMaxSlices;
    m_grid.sampled = m_grid.sampled || every > 1;
    m_narrow.clear();
    m_rowRuns.clear();
    int64_t number = 0;
    trace.slices().forEach(track.id, depth, m_grid.range, stop, [&](const Slice& s) {
      if (s.category >= kActivities || s.ref < 0 || s.duration() <= 0) return;
      if (double(s.duration()) >= m_column) addWide(s, runsOf(trace, s.ref, ipuTiles));
      else if (number++ % every == 0) addNarrow(s, double(every));
    });
    for (const auto& [key, weight] : m_narrow) spread(trace, key, weight, ipuTiles);
  }

  void finish() {
    for (int row = 0; row < m_grid.rows; ++row) {
      const int64_t begin = int64_t(row) * m_grid.tiles / m_grid.rows, end = int64_t(row + 1) * m_grid.tiles / m_grid.rows;
      const double whole = double(end - begin) * m_column;
      for (int column = 0; column < m_grid.columns; ++column) {
        const float* busy = cell(row, column);
        const float* most = std::max_element(busy, busy + kActivities);
        double sum = 0;
        for (int a = 0; a < kActivities; ++a) sum += double(busy[a]);
        GridCell c;
        if (*most > 0) c.activity = static_cast<reports::Activity>(most - busy);
        c.busy = whole > 0 ? static_cast<float>(std::min(1.0, sum / whole)) : 0;
        m_grid.cells.push_back(c);
      }
    }
  }

private:
  float* cell(int row, int column) {
    return m_busy.data() + (std::size_t(row) * std::size_t(m_grid.columns) + std::size_t(column)) * kActivities;
  }

  // The tiles of the track's IPU that are in the picture.
  reports::Range<int64_t> tilesOf(const Track& track) const {
    reports::Range<int64_t> shown{int64_t(m_grid.firstTile.value()), int64_t(m_grid.firstTile.value()) + m_grid.tiles};
    if (!track.ipu) return shown;
    const int64_t first = int64_t(track.ipu->value()) * m_machine.tilesPerIpu;
    return shown.clippedTo({first, first + m_machine.tilesPerIpu});
  }

  const std::vector<RowRun>& runsOf(ExecutionTrace& trace, int64_t ref, reports::Range<int64_t> shown) {
    const auto [it, isNew] = m_rowRuns.try_emplace(ref);
    if (!isNew) return it->second;
    const Profile* p = trace.profile(ref);
    if (!p) return it->second;
    int64_t tile = p->firstTile;
    for (const auto& run : p->runs) {
      const auto tiles = reports::Range<int64_t>{tile, tile + run.tiles}.clippedTo(shown);
      tile += run.tiles;
      if (run.cycles <= 0) continue;
      for (int64_t t = tiles.begin; t < tiles.end;) {
        const int row = rowOf(t);
        const int64_t rowEnd = int64_t(m_grid.firstTile.value()) + int64_t(row + 1) * m_grid.tiles / m_grid.rows;
        const int64_t end = std::max(t + 1, std::min(tiles.end, rowEnd));
        it->second.push_back({row, run.cycles, end - t});
        t = end;
      }
    }
    return it->second;
  }

  void addWide(const Slice& s, const std::vector<RowRun>& runs) {
    for (const RowRun& run : runs) {
      const auto busy = TickRange{s.ticks.begin, s.ticks.begin + std::min(run.cycles, s.duration())}.clippedTo(m_grid.range);
      if (!busy.empty()) addSpan(run.row, s.category, busy, float(run.tiles));
    }
  }

  // Tile-ticks of [busy) to the columns it crosses.
  void addSpan(int row, uint8_t activity, TickRange busy, float tiles) {
    const double begin = double(busy.begin - m_grid.range.begin) / m_column;
    const double end = double(busy.end - m_grid.range.begin) / m_column;
    const int first = std::clamp(static_cast<int>(begin), 0, m_grid.columns - 1);
    const int last = std::clamp(static_cast<int>(std::ceil(end)) - 1, first, m_grid.columns - 1);
    for (int column = first; column <= last; ++column) {
      const double part = std::min(end, column + 1.0) - std::max(begin, double(column));
      cell(row, column)[activity] += tiles * static_cast<float>(std::max(0.0, part) * m_column);
    }
  }

  struct NarrowKey {
    int64_t ref;
    int column;
    uint8_t activity;
    bool operator==(const NarrowKey&) const = default;
  };
  struct NarrowHash {
    std::size_t operator()(const NarrowKey& k) const {
      return (std::size_t(k.ref) * 1'000'003 + std::size_t(k.column)) * 31 + k.activity;
    }
  };

  // Executions in a column, cut ones by their part.
  void addNarrow(const Slice& s, double weight) {
    const auto shown = s.ticks.clippedTo(m_grid.range);
    const auto columnOf = [&](double ticks) {
      return std::clamp(static_cast<int>(ticks / m_column), 0, m_grid.columns - 1);
    };
    const double begin = double(shown.begin - m_grid.range.begin), end = double(shown.end - m_grid.range.begin);
    const int first = columnOf(begin), last = columnOf(end);
    const double duration = double(s.duration());
    if (first == last) {
      m_narrow[{s.ref, first, s.category}] += weight * (end - begin) / duration;
      return;
    }
    const double edge = last * m_column;
    m_narrow[{s.ref, first, s.category}] += weight * (edge - begin) / duration;
    m_narrow[{s.ref, last, s.category}] += weight * (end - edge) / duration;
  }

  void spread(ExecutionTrace& trace, const NarrowKey& key, double executions, reports::Range<int64_t> shown) {
    for (const RowRun& run : runsOf(trace, key.ref, shown))
      cell(run.row, key.column)[key.activity] += static_cast<float>(executions * double(run.cycles) * double(run.tiles));
  }

  TileGrid& m_grid;
  const Machine& m_machine;
  double m_column; // ticks
  std::vector<float> m_busy; // tile-ticks by row, column, activity
  std::unordered_map<NarrowKey, double, NarrowHash> m_narrow;
  std::unordered_map<int64_t, std::vector<RowRun>> m_rowRuns;
};

} // namespace

TileGrid ExecutionTrace::tileGrid(TickRange range, TileId firstTile, int tiles, int rows, int columns, std::stop_token stop) {
  TileGrid grid;
  grid.range = range;
  const int64_t first = std::min<int64_t>(firstTile.value(), m_session.machine().tiles());
  grid.firstTile = TileId(static_cast<std::size_t>(first));
  grid.tiles = static_cast<int>(std::clamp<int64_t>(tiles, 0, m_session.machine().tiles() - first));
  grid.rows = std::clamp(rows, 0, grid.tiles);
  grid.columns = static_cast<int>(std::clamp<int64_t>(columns, 0, std::max<int64_t>(0, range.size())));
  if (grid.rows == 0 || grid.columns == 0) return grid;
  GridBuilder builder(grid, m_session.machine());
  for (const Track& track : tracks())
    for (int depth = 0; depth < track.depths; ++depth) builder.addLane(*this, track, depth, stop);
  builder.finish();
  return grid;
}

} // namespace analyser::trace
