#include "analyser/memory/tile_details.h"

#include "analyser/memory/overlap.h"
#include "analyser/memory/verdict.h"
#include "reports/core/progress.h"
#include "reports/rows/placement_reason.h"
#include "reports/sqlite/reader.h"

#include <numeric>

namespace analyser::memory {

namespace {

Bytes valueAt(const TileSeries& s, TileId tile) { return tile.value() < s.values.size() ? s.values[tile.value()] : Bytes(); }

// The tiles in the columns: one tile each, or all tiles (of one IPU) in one column.
struct Columns {
  std::span<const TileId> tiles;
  std::optional<IpuId> ipu = {};
  int tilesPerIpu = 0;
  std::optional<IpuId> measuredBy = {}; // the IPU of the tiles, if it is one of several
  std::size_t count() const { return tiles.empty() ? 1 : tiles.size(); }
  // The tiles' values over which mean and median are taken.
  std::vector<Bytes> countedOf(const TileSeries& s) const {
    const std::optional<IpuId> of = ipu ? ipu : measuredBy;
    if (!of) return s.values;
    const auto first = std::min(s.values.size(), std::size_t(of->value()) * std::size_t(tilesPerIpu));
    const auto last = std::min(s.values.size(), first + std::size_t(tilesPerIpu));
    return {s.values.begin() + std::ptrdiff_t(first), s.values.begin() + std::ptrdiff_t(last)};
  }
};

// The IPU that contains all of `tiles`, if any: IPUs hold different stages, so mean and median are taken over this IPU.
std::optional<IpuId> onlyIpuOf(const Machine& machine, std::span<const TileId> tiles) {
  if (tiles.empty() || machine.ipus < 2) return {};
  const IpuId ipu = machine.ipuOf(tiles.front());
  const bool isOne = std::all_of(tiles.begin(), tiles.end(), [&](TileId tile) { return machine.ipuOf(tile) == ipu; });
  return isOne ? std::optional(ipu) : std::nullopt;
}

Bytes meanOf(const std::vector<Bytes>& values) {
  return values.empty() ? Bytes() : std::accumulate(values.begin(), values.end(), Bytes()) / int64_t(values.size());
}

TileMemory memoryOf(Session& session, const Columns& columns, Breakdown breakdown, const std::stop_token& stop) {
  return columns.ipu ? tileMemoryOf(session, *columns.ipu, breakdown, stop) : tileMemory(session, breakdown, stop);
}

// Makes a row of the tree from a curve.
DetailsRow rowOf(int depth, std::string title, const TileSeries& s, const Columns& columns) {
  DetailsRow row;
  row.depth = depth;
  row.title = std::move(title);
  const std::vector<Bytes> counted = columns.countedOf(s);
  row.mean = meanOf(counted);
  row.median = medianOf(counted);
  if (columns.tiles.empty()) row.values = {s.sum};
  for (const TileId tile : columns.tiles) row.values.push_back(valueAt(s, tile));
  return row;
}

DetailsRow sumRow(int depth, std::string title, const std::vector<DetailsRow>& rows, std::size_t columns) {
  DetailsRow sum;
  sum.depth = depth;
  sum.title = std::move(title);
  sum.values.resize(columns);
  for (const DetailsRow& row : rows)
    for (std::size_t c = 0; c < columns; ++c) sum.values[c] += row.values[c];
  return sum;
}

DetailsRow placeRow(const Machine& machine, std::span<const TileId> selection) {
  DetailsRow row;
  row.title = "Place on the die (IPU, column, row)";
  row.isText = true;
  for (const TileId tile : selection) {
    const std::size_t t = machine.tilesPerIpu > 0 ? tile.value() % static_cast<uint32_t>(machine.tilesPerIpu) : 0;
    row.texts.push_back(t < machine.tileColumn.size()
                            ? std::to_string(machine.ipuOf(tile).value()) + ", " + std::to_string(machine.tileColumn[t]) + ", " +
                                  std::to_string(machine.tileRow[t])
                            : std::to_string(machine.ipuOf(tile).value()) + ", unknown");
  }
  return row;
}

void appendBreakdown(Session& session, const Columns& columns, Breakdown breakdown, const std::string& title,
                     TileDetails& details, const std::stop_token& stop) {
  const TileMemory memory = memoryOf(session, columns, breakdown, stop);
  std::vector<DetailsRow> rows;
  for (const TileSeries& part : memory.parts) rows.push_back(rowOf(2, part.title, part, columns));
  details.rows.push_back(sumRow(1, title, rows, columns.count()));
  const std::vector<Bytes> counted = columns.countedOf(memory.total);
  details.rows.back().mean = meanOf(counted), details.rows.back().median = medianOf(counted);
  details.rows.insert(details.rows.end(), rows.begin(), rows.end());
}

// Reading the layout of every tile takes time. On larger machines, and after a click on more than one IPU, only the selected
// tiles are read: their rows have no mean and median.
constexpr std::size_t kMostWithOverlap = 256;
constexpr int kMostMeasured = 4 * 1472, kMostAtAClick = 1472; // tiles

// Values of a category on the tiles of the columns, and on all tiles if known.
DetailsRow overlapRow(int depth, std::string title, const std::vector<Bytes>& byTile, const Columns& columns) {
  TileSeries series;
  series.values = byTile;
  series.sum = std::accumulate(byTile.begin(), byTile.end(), Bytes());
  return rowOf(depth, std::move(title), series, columns);
}

DetailsRow rowWithoutMeans(int depth, std::string title, const std::vector<Bytes>& ofColumns) {
  DetailsRow row;
  row.depth = depth;
  row.title = std::move(title);
  row.values = ofColumns;
  row.isMeasured = false;
  return row;
}

// Bytes at unshared addresses and at shared addresses, by category. Categories without bytes are left out.
void appendOverlap(Session& session, const Columns& columns, TileDetails& details, const std::stop_token& stop) {
  const int tiles = session.machine().tiles();
  const bool ofAll = tiles <= (columns.tiles.empty() ? kMostMeasured : kMostAtAClick);
  if (!ofAll && (columns.tiles.empty() || columns.tiles.size() > kMostWithOverlap)) return;
  Overlaps overlaps(session, stop);
  std::vector<Overlap> known; // by tile, or by column
  const auto read = [&](TileId tile) {
    reports::throwIfStopped(stop);
    known.push_back(overlaps.of(tile));
  };
  for (int tile = 0; ofAll && tile < tiles; ++tile) {
    const bool isSeen = !columns.ipu || session.machine().ipuOf(TileId(std::size_t(tile))) == *columns.ipu;
    isSeen ? read(TileId(std::size_t(tile))) : void(known.emplace_back());
  }
  if (!ofAll)
    for (const TileId tile : columns.tiles) read(tile);
  const auto rowFor = [&](int depth, std::string title, auto bytesOf) {
    std::vector<Bytes> bytes;
    for (const Overlap& overlap : known) bytes.push_back(bytesOf(overlap));
    return ofAll ? overlapRow(depth, std::move(title), bytes, columns) : rowWithoutMeans(depth, std::move(title), bytes);
  };
  const auto sumOf = [](const BytesByCategory& bytes) { return std::accumulate(bytes.begin(), bytes.end(), Bytes()); };
  const bool isKnown =
      std::any_of(known.begin(), known.end(), [&](const Overlap& o) { return sumOf(o.alone) + sumOf(o.sharing) > Bytes(); });
  if (!isKnown) return; // imported reports do not have the addresses of variables
  details.rows.push_back(
      rowFor(1, "By sharing of addresses", [&](const Overlap& o) { return sumOf(o.alone) + sumOf(o.sharing); }));
  for (const auto& [title, part] : {std::pair{"Not overlapped", &Overlap::alone}, {"Overlapped", &Overlap::sharing}}) {
    details.rows.push_back(rowFor(2, title, [&, part = part](const Overlap& o) { return sumOf(o.*part); }));
    for (std::size_t c = 0; c < reports::kMemoryCategoryCount; ++c) {
      DetailsRow row = rowFor(3, std::string(reports::memoryCategoryTitle(reports::MemoryCategory(c))),
                              [&, part = part](const Overlap& o) { return (o.*part)[c]; });
      // A category gets a row if any known tile has it, so that, if all tiles are known, every selection has the same rows.
      const auto has = [&, part = part](const Overlap& o) { return (o.*part)[c] > Bytes(); };
      if (std::any_of(known.begin(), known.end(), has)) details.rows.push_back(std::move(row));
    }
  }
}

// State, edge pointers and descriptors of vertices, as sums over all tiles: the report does not have them by tile.
void appendVertexData(Session& session, TileDetails& details) {
  Bytes state, pointers, descriptors;
  session.reader().forEach<reports::ComputeSetVerticesRow>({}, {}, [&](const reports::ComputeSetVerticesRow& row) {
    state += Bytes(row.stateBytes - row.edgePointerBytes), pointers += Bytes(row.edgePointerBytes);
    descriptors += Bytes(row.descriptorBytes);
  });
  if (state + pointers + descriptors == Bytes()) return; // an imported report, or a program without vertices
  const auto add = [&](int depth, const char* title, Bytes bytes) {
    details.rows.push_back(rowWithoutMeans(depth, title, {bytes}));
  };
  add(1, "Vertex data by category", state + pointers + descriptors);
  add(2, "Internal vertex state", state);
  add(2, "Edge pointers", pointers);
  add(2, "Descriptors", descriptors);
}

bool isCategory(int64_t category) { return category >= 0 && category < reports::kMemoryCategoryCount; }

// Looks up the names and other facts of variables, one at a time.
class VariableNames {
public:
  explicit VariableNames(Session& session)
      : m_session(session),
        m_statement(session.reader().connection(),
                    "SELECT name_id, category, always_live, coalesce(demands_id, -1), alignment_bytes, live_interval_count, "
                    "live_intervals FROM variable WHERE id = ?") {}

  // Empty for an unknown variable.
  std::string nameOf(int64_t id) {
    if (id < 0 || !find(id)) return {};
    return text(0, "variable.name_id");
  }

  // Fills in name, category and whether it is always live; returns the graph's constraints on its address.
  std::string describe(int64_t id, PlacedVariable& p) {
    p.name = "?";
    if (!find(id)) return {};
    int64_t category = 0, alwaysLive = 0;
    p.name = text(0, "variable.name_id");
    m_statement.read(1, category, "variable.category");
    m_statement.read(2, alwaysLive, "variable.always_live");
    if (isCategory(category)) p.category = static_cast<reports::MemoryCategory>(category);
    p.alwaysLive = alwaysLive != 0;
    int64_t alignment = 0, count = 0;
    m_statement.read(4, alignment, "variable.alignment_bytes");
    m_statement.read(5, count, "variable.live_interval_count");
    p.alignment = Bytes(alignment);
    if (!p.alwaysLive && count > 0 && count < (int64_t(1) << 32)) {
      reports::Blob packed;
      m_statement.read(6, packed, "variable.live_intervals");
      const auto ends = reports::unpackDeltas(packed, static_cast<std::size_t>(count) * 2, "variable.live_intervals");
      for (std::size_t i = 0; i + 1 < ends.size(); i += 2) p.live.push_back({ends[i], ends[i + 1]});
    }
    return text(3, "variable.demands_id");
  }

private:
  bool find(int64_t id) {
    m_statement.reset();
    m_statement.bind(1, id);
    return m_statement.step();
  }
  std::string text(int column, const char* what) {
    int64_t id = -1;
    m_statement.read(column, id, what);
    return id < 0 ? std::string() : std::string(m_session.text(id));
  }

  Session& m_session;
  reports::Statement m_statement;
};

// A piece of unused memory, which is added to the layout's gaps.
PlacedVariable gapBetween(int64_t begin, int64_t end, TileLayout& layout) {
  PlacedVariable gap;
  gap.name = "gap";
  gap.isGap = true;
  gap.address = Bytes(begin);
  gap.size = Bytes(end - begin);
  gap.interleaved = gap.address >= layout.interleavedStart;
  layout.gaps += gap.size;
  return gap;
}

void appendMemory(Session& session, const Columns& columns, TileDetails& details, const std::stop_token& stop) {
  const TileMemory memory = memoryOf(session, columns, Breakdown::None, stop);
  details.rows.push_back(rowOf(0, "Memory including gaps", memory.totalWithGaps, columns));
  // An overflow on any tile adds the row, so that every selection has the same rows.
  const Bytes overflow = columns.ipu ? tileMemory(session, Breakdown::None, stop).overflow.max : memory.overflow.max;
  if (overflow > Bytes()) details.rows.push_back(rowOf(0, "Overflow", memory.overflow, columns));
  details.rows.push_back(rowOf(0, "Memory excluding gaps", memory.total, columns));
  appendBreakdown(session, columns, Breakdown::ByRegion, "By memory region", details, stop);
  appendBreakdown(session, columns, Breakdown::ByCategory, "By data type", details, stop);
  appendBreakdown(session, columns, Breakdown::ByLiveness, "By liveness", details, stop);
}

} // namespace

TileDetails tileDetails(Session& session, std::span<const TileId> selection, std::stop_token stop) {
  TileDetails details;
  if (selection.empty()) details.columns = {"All tiles"};
  for (const TileId tile : selection) details.columns.push_back("Tile " + std::to_string(tile.value()));
  details.ipu = onlyIpuOf(session.machine(), selection);
  const Columns columns{selection, {}, session.machine().tilesPerIpu, details.ipu};
  appendMemory(session, columns, details, stop);
  appendOverlap(session, columns, details, stop);
  // Last, so that the rows above keep their positions when the selection changes.
  if (selection.empty())
    appendVertexData(session, details);
  else
    details.rows.push_back(placeRow(session.machine(), selection));
  return details;
}

TileDetails ipuDetails(Session& session, IpuId ipu, std::stop_token stop) {
  TileDetails details;
  details.columns = {"IPU " + std::to_string(ipu.value())};
  details.ipu = ipu;
  const Columns columns{{}, ipu, session.machine().tilesPerIpu};
  appendMemory(session, columns, details, stop);
  appendOverlap(session, columns, details, stop);
  return details;
}

bool PlacedVariable::isLiveAt(int64_t step) const {
  return alwaysLive || std::any_of(live.begin(), live.end(), [&](const auto& interval) { return interval.contains(step); });
}

std::vector<std::vector<int>> sharedMemory(const TileLayout& layout) {
  std::vector<std::vector<int>> shared(layout.variables.size());
  std::vector<int> open; // variables that extend beyond the current address
  for (std::size_t i = 0; i < layout.variables.size(); ++i) {
    const PlacedVariable& v = layout.variables[i];
    if (v.isGap || v.size <= Bytes()) continue;
    std::erase_if(open, [&](int other) {
      const PlacedVariable& o = layout.variables[std::size_t(other)];
      return o.address + o.size <= v.address;
    });
    for (const int other : open) shared[i].push_back(other), shared[std::size_t(other)].push_back(int(i));
    open.push_back(int(i));
  }
  for (auto& others : shared) std::sort(others.begin(), others.end());
  return shared;
}

TileLayout tileLayout(Session& session, TileId tile) {
  TileLayout layout;
  layout.tile = tile;
  layout.capacity = session.machine().memoryPerTile;
  layout.interleavedStart = session.machine().interleavedStart;
  layout.elementSize = session.machine().elementSize;
  const auto row = session.reader().first<reports::TileVariablesRow>("tile = ?", {int64_t(tile.value())});
  if (!row) return layout;
  const auto n = static_cast<std::size_t>(row->lowered);
  const auto ids = reports::unpackDeltas(row->variables, n, "tile_variables.variables");
  const auto addresses = reports::unpackDeltas(row->addresses, n, "tile_variables.addresses");
  const auto sizes = reports::unpackVarints(row->sizes, n, "tile_variables.sizes");
  const auto own = reports::unpackVarints(row->ownBytes, n, "tile_variables.own_bytes");
  std::vector<int64_t> reasons, others;
  if (!row->reasons.empty()) {
    reasons = reports::unpackVarints(row->reasons, n, "tile_variables.reasons");
    others = reports::unpackVarints(row->reasonVariables, n, "tile_variables.reason_variables");
  }

  VariableNames names(session);
  int64_t covered = 0; // end of the memory seen so far
  for (std::size_t i = 0; i < n; ++i) {
    if (addresses[i] > covered) layout.variables.push_back(gapBetween(covered, addresses[i], layout));
    PlacedVariable p;
    p.variable = reports::VariableId(static_cast<std::size_t>(ids[i]));
    p.address = Bytes(addresses[i]);
    p.size = Bytes(sizes[i]);
    p.own = Bytes(own[i]);
    p.interleaved = p.address >= layout.interleavedStart;
    p.beyondMemory = p.address + p.size > layout.capacity;
    // Read before describe(), which reads another variable into `names`.
    const std::string other = reasons.empty() ? std::string() : names.nameOf(others[i] - 1);
    const std::string demands = names.describe(ids[i], p);
    if (!reasons.empty()) p.why = reports::placementText(reasons[i], other, demands);
    layout.used += p.own;
    covered = std::max(covered, addresses[i] + sizes[i]);
    layout.variables.push_back(std::move(p));
  }
  layout.usedWithGaps = Bytes(covered);
  return layout;
}

} // namespace analyser::memory
