// The tile-by-cycle image of execution_trace.h. Executions wider than a column are drawn tile by tile (a tile works for its own
// cycles from the start of the step, then waits). Narrower ones are first counted by profile within each column, because loops
// run the same few profiles millions of times.
#include "analyser/trace/execution_trace.h"

#include "reports/sqlite/reader.h"

#include <cmath>
#include <tuple>

namespace analyser::trace {

namespace {

constexpr int kActivities = 7; // activities that use tile time: all before idle
// Tiles of one row of the image with the same cycles.
struct RowRun {
  int row = 0;
  int64_t cycles = 0, tiles = 0;
};

class GridBuilder {
public:
  GridBuilder(TileGrid& grid, const Machine& machine)
      : m_grid(grid), m_machine(machine), m_column(double(grid.range.size()) / grid.columns),
        m_busy(std::size_t(grid.rows) * std::size_t(grid.columns) * kActivities) {}

  // Shows only these tiles, in this order from the top.
  void setOrder(std::span<const TileId> tiles) {
    m_places.assign(std::size_t(m_machine.tiles()), -1);
    for (std::size_t place = 0; place < tiles.size(); ++place)
      if (std::size_t(tiles[place].value()) < m_places.size()) m_places[tiles[place].value()] = int64_t(place);
  }

  // The inverse of "row r begins at position r * tiles / rows".
  int rowOfPlace(int64_t place) const { return static_cast<int>(((place + 1) * m_grid.rows - 1) / m_grid.tiles); }
  int rowOf(int64_t tile) const { return rowOfPlace(tile - int64_t(m_grid.firstTile.value())); }

  void addLane(ExecutionTrace& trace, const Track& track, int depth, const std::stop_token& stop) {
    const auto ipuTiles = shownOf(track);
    if (ipuTiles.empty()) return;
    m_rowRuns.clear();
    m_rowSums.clear();
    m_open = -1;
    m_executions.resize(static_cast<std::size_t>(trace.profileCount()));
    trace.slices().forEach(track.id, depth, m_grid.range, stop, [&](const Slice& s) {
      if (s.category >= kActivities || s.ref < 0 || s.ref >= trace.profileCount() || s.duration() <= 0) return;
      if (double(s.duration()) >= m_column)
        addWide(s, runsOf(trace, s.ref, ipuTiles));
      else
        addNarrow(trace, s, ipuTiles);
    });
    closeColumn(trace, ipuTiles);
  }

  // Spreads each sampled piece evenly over its time: repeated events are visible, single ones may be missed.
  void sketchLane(ExecutionTrace& trace, const Track& track, int depth, const std::stop_token& stop) {
    constexpr std::size_t kPieces = 400;
    const auto ipuTiles = shownOf(track);
    if (ipuTiles.empty()) return;
    m_rowRuns.clear();
    m_rowSums.clear();
    std::vector<float> busy(std::size_t(m_grid.rows) * kActivities); // tile-ticks of a piece
    trace.slices().forEachPiece(track.id, depth, m_grid.range, kPieces, stop, [&](const Slices::Piece& piece) {
      std::fill(busy.begin(), busy.end(), 0.0f);
      for (const Slice& s : piece.slices)
        if (s.category < kActivities && s.ref >= 0 && s.ref < trace.profileCount() && s.duration() > 0)
          for (const auto& [row, ticks] : rowSumsOf(trace, s.ref, ipuTiles))
            busy[std::size_t(row) * kActivities + s.category] += ticks * float(piece.weight);
      spread(busy, piece.ticks);
    });
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

  // The tiles of the track that are in the image.
  reports::Range<int64_t> shownOf(const Track& track) const {
    if (!m_places.empty()) return tilesOf(track, m_machine);
    const reports::Range<int64_t> shown{int64_t(m_grid.firstTile.value()), int64_t(m_grid.firstTile.value()) + m_grid.tiles};
    return shown.clippedTo(tilesOf(track, m_machine));
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
      if (!m_places.empty()) {
        for (int64_t t = tiles.begin; t < tiles.end; ++t)
          if (const int64_t place = m_places[std::size_t(t)]; place >= 0)
            it->second.push_back({rowOfPlace(place), run.cycles, 1});
        continue;
      }
      for (int64_t t = tiles.begin; t < tiles.end;) {
        const int row = rowOf(t);
        const int64_t rowEnd = int64_t(m_grid.firstTile.value()) + int64_t(row + 1) * m_grid.tiles / m_grid.rows;
        const int64_t end = std::max(t + 1, std::min(tiles.end, rowEnd));
        it->second.push_back({row, run.cycles, end - t});
        t = end;
      }
    }
    if (!m_places.empty()) sumEqual(it->second);
    return it->second;
  }

  // Merges tiles of one row with equal cycles into one run.
  static void sumEqual(std::vector<RowRun>& runs) {
    std::sort(runs.begin(), runs.end(),
              [](const RowRun& a, const RowRun& b) { return std::pair(a.row, a.cycles) < std::pair(b.row, b.cycles); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (kept > 0 && runs[kept - 1].row == runs[i].row && runs[kept - 1].cycles == runs[i].cycles)
        runs[kept - 1].tiles += runs[i].tiles;
      else
        runs[kept++] = runs[i];
    runs.resize(kept);
    runs.shrink_to_fit();
  }

  void addWide(const Slice& s, const std::vector<RowRun>& runs) {
    for (const RowRun& run : runs) {
      const auto busy = TickRange{s.ticks.begin, s.ticks.begin + std::min(run.cycles, s.duration())}.clippedTo(m_grid.range);
      if (!busy.empty()) addSpan(run.row, s.category, busy, float(run.tiles));
    }
  }

  // Adds the tile-ticks of [busy) to the columns it crosses.
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

  // Tile-ticks by row and activity, spread evenly over the columns that [ticks) crosses.
  void spread(const std::vector<float>& busy, TickRange ticks) {
    const double begin = double(ticks.begin - m_grid.range.begin) / m_column;
    const double end = double(ticks.end - m_grid.range.begin) / m_column;
    if (end <= begin) return;
    for (int column = std::max(0, int(begin)); column < std::min(double(m_grid.columns), end); ++column) {
      const auto part = float((std::min(end, column + 1.0) - std::max(begin, double(column))) / (end - begin));
      for (int row = 0; row < m_grid.rows; ++row)
        for (int a = 0; a < kActivities; ++a)
          cell(row, column)[a] += part * busy[std::size_t(row) * kActivities + std::size_t(a)];
    }
  }

  int columnOf(double ticks) const { return std::clamp(static_cast<int>(ticks / m_column), 0, m_grid.columns - 1); }

  // Counts the execution in its column; one that crosses an edge is counted in parts.
  void addNarrow(ExecutionTrace& trace, const Slice& s, reports::Range<int64_t> shown) {
    const auto visible = s.ticks.clippedTo(m_grid.range);
    const double begin = double(visible.begin - m_grid.range.begin), end = double(visible.end - m_grid.range.begin);
    const int first = columnOf(begin), last = columnOf(end);
    const double duration = double(s.duration());
    const double edge = first == last ? end : last * m_column;
    open(trace, first, shown);
    count(s, (edge - begin) / duration);
    if (edge >= end) return;
    open(trace, last, shown);
    count(s, (end - edge) / duration);
  }

  void open(ExecutionTrace& trace, int column, reports::Range<int64_t> shown) {
    if (column == m_open) return;
    closeColumn(trace, shown);
    m_open = column;
  }

  void count(const Slice& s, double executions) {
    auto& slot = m_executions[static_cast<std::size_t>(s.ref)];
    if (slot.executions == 0) m_touched.push_back(s.ref);
    slot.executions += executions;
    slot.activity = s.category; // a profile belongs to one step, so to one activity
  }

  void closeColumn(ExecutionTrace& trace, reports::Range<int64_t> shown) {
    for (const int64_t ref : m_touched) {
      auto& slot = m_executions[static_cast<std::size_t>(ref)];
      for (const auto& [row, busy] : rowSumsOf(trace, ref, shown))
        cell(row, m_open)[slot.activity] += static_cast<float>(slot.executions) * busy;
      slot.executions = 0;
    }
    m_touched.clear();
  }

  // Busy tile-ticks of one execution by row.
  const std::vector<std::pair<int, float>>& rowSumsOf(ExecutionTrace& trace, int64_t ref, reports::Range<int64_t> shown) {
    const auto [it, isNew] = m_rowSums.try_emplace(ref);
    if (!isNew) return it->second;
    for (const RowRun& run : runsOf(trace, ref, shown)) {
      if (it->second.empty() || it->second.back().first != run.row) it->second.emplace_back(run.row, 0.0f);
      it->second.back().second += float(run.cycles) * float(run.tiles);
    }
    return it->second;
  }

  struct Executions {
    double executions = 0;
    uint8_t activity = 0;
  };

  TileGrid& m_grid;
  const Machine& m_machine;
  std::vector<int64_t> m_places;                                             // by tile, -1: not shown; empty: numeric order
  double m_column;                                                           // ticks
  std::vector<float> m_busy;                                                 // tile-ticks by row, column, activity
  std::unordered_map<int64_t, std::vector<RowRun>> m_rowRuns;                // by profile, for the current lane
  std::unordered_map<int64_t, std::vector<std::pair<int, float>>> m_rowSums; // m_rowRuns summed by row
  int m_open = -1;                                                           // the column being counted
  std::vector<Executions> m_executions;                                      // executions in the open column, by profile
  std::vector<int64_t> m_touched;                                            // the profiles counted in the open column
};

} // namespace

TileGrid ExecutionTrace::tileGrid(TickRange range, TileId firstTile, int tiles, int rows, int columns, int64_t mostExact,
                                  std::stop_token stop, std::span<const TileId> order) {
  TileGrid grid;
  grid.range = range;
  const int64_t first = std::min<int64_t>(firstTile.value(), m_session.machine().tiles());
  grid.firstTile = TileId(static_cast<std::size_t>(first));
  grid.tiles = static_cast<int>(std::clamp<int64_t>(tiles, 0, m_session.machine().tiles() - first));
  grid.rows = std::clamp(rows, 0, grid.tiles);
  grid.columns = static_cast<int>(std::clamp<int64_t>(columns, 0, std::max<int64_t>(0, range.size())));
  if (grid.rows == 0 || grid.columns == 0) return grid;
  GridBuilder builder(grid, m_session.machine());
  if (!order.empty()) builder.setOrder(order);
  for (const Track& track : tracks())
    for (int depth = 0; depth < track.depths; ++depth)
      if (m_slices.countIn(track.id, depth, range) <= mostExact)
        builder.addLane(*this, track, depth, stop);
      else
        builder.sketchLane(*this, track, depth, stop), grid.isExact = false;
  builder.finish();
  return grid;
}

TileGrid ExecutionTrace::gridOf(std::span<const TileId> tiles, TickRange range, int rows, int columns, bool sketch,
                                std::stop_token stop) {
  return tileGrid(range, TileId(0), static_cast<int>(tiles.size()), rows, columns, sketch ? kSketched : INT64_MAX,
                  std::move(stop), tiles);
}

std::vector<TileId> ExecutionTrace::tilesByIdle(TickRange range, TileId first, int tiles, bool sketch, std::stop_token stop) {
  const TileGrid busy = tileGrid(range, first, tiles, tiles, 1, sketch ? kSketched : INT64_MAX, std::move(stop));
  std::vector<TileId> order;
  for (int i = 0; i < busy.tiles; ++i) order.emplace_back(std::size_t(busy.firstTile.value()) + std::size_t(i));
  const auto busyOf = [&](TileId tile) {
    return busy.cells.empty() ? 0 : busy.cells[std::size_t(tile.value() - busy.firstTile.value())].busy;
  };
  const Machine& machine = m_session.machine();
  std::stable_sort(order.begin(), order.end(), [&](TileId a, TileId b) {
    return std::tuple(machine.ipuOf(a), machine.isIo(a), busyOf(a)) < std::tuple(machine.ipuOf(b), machine.isIo(b), busyOf(b));
  });
  return order;
}

} // namespace analyser::trace
