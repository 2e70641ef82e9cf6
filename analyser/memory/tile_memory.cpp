#include "analyser/memory/tile_memory.h"

#include "analyser/memory/verdict.h"
#include "reports/core/amounts.h"
#include "reports/sqlite/reader.h"

#include <charconv>
#include <numeric>

namespace analyser::memory {

namespace {

constexpr std::string_view kCategoryPrefix = "memory.category.";

struct SeriesTitle {
  std::string_view name, title;
};
constexpr SeriesTitle kTitles[] = {
    {"memory.total", "Memory (excluding gaps)"},
    {"memory.total_with_gaps", "Memory (including gaps)"},
    {"memory.overflow", "Overflow"},
    {"memory.always_live", "Always live"},
    {"memory.peak_not_always_live", "Peak of not always live"},
    {"memory.region.non_interleaved", "Non-interleaved"},
    {"memory.region.interleaved", "Interleaved"},
    {"cycles.compute", "Compute cycles"},
    {"cycles.exchange", "Exchange cycles"},
    {"exchange.bytes_in", "Bytes received"},
    {"exchange.bytes_out", "Bytes sent"},
};

TileSeries finished(TileSeries s) {
  s.sum = std::accumulate(s.values.begin(), s.values.end(), Bytes());
  const auto top = std::max_element(s.values.begin(), s.values.end());
  if (top == s.values.end()) return s;
  s.max = *top;
  s.maxTile = TileId(static_cast<std::size_t>(top - s.values.begin()));
  return s;
}

TileSeries fromRow(const reports::TileSeriesRow& row, const Machine& machine) {
  TileSeries s;
  s.name = s.title = row.name;
  for (const auto& [name, title] : kTitles)
    if (name == row.name) s.title = title;
  if (row.name.starts_with(kCategoryPrefix)) {
    s.category = reports::memoryCategoryFromName(std::string_view(row.name).substr(kCategoryPrefix.size()));
    if (s.category) s.title = reports::memoryCategoryTitle(*s.category);
  }
  for (const int64_t v : reports::unpackAmounts(row.byTile, static_cast<std::size_t>(row.tiles), "tile_series.by_tile"))
    s.values.emplace_back(v);
  s.values.resize(static_cast<std::size_t>(machine.tiles())); // a report may leave out tiles that hold nothing
  s = finished(std::move(s));
  if (s.sum != Bytes(row.sum) || s.max != Bytes(row.max))
    throw reports::Error(reports::ErrorCode::Damaged,
                         "the values of the tiles do not sum to the row's total, or exceed its maximum",
                         "table tile_series, row " + row.name, "the report was made by a faulty program or is damaged");
  return s;
}

TileSeries emptySeries(std::string name, std::string title, const Machine& machine) {
  TileSeries s;
  s.name = std::move(name);
  s.title = std::move(title);
  s.values.resize(static_cast<std::size_t>(machine.tiles()));
  return finished(std::move(s));
}

TileSeries seriesOrEmpty(Session& session, const std::string& name, const std::string& title) {
  auto s = tileSeries(session, name);
  return s ? std::move(*s) : emptySeries(name, title, session.machine());
}

// The total minus `parts`, so that a stack always reaches the total curve.
TileSeries remainder(const TileSeries& total, const std::vector<TileSeries>& parts, std::string name, std::string title) {
  TileSeries rest;
  rest.name = std::move(name);
  rest.title = std::move(title);
  rest.values = total.values;
  for (const TileSeries& part : parts)
    for (std::size_t t = 0; t < rest.values.size(); ++t) rest.values[t] -= part.values[t];
  return finished(std::move(rest));
}

std::vector<TileSeries> partsOf(Session& session, const TileSeries& total, Breakdown breakdown, const std::stop_token& stop) {
  std::vector<TileSeries> parts;
  std::string restName = "memory.other", restTitle = "Other";
  switch (breakdown) {
  case Breakdown::None: return parts;
  case Breakdown::ByRegion:
    parts.push_back(seriesOrEmpty(session, "memory.region.non_interleaved", "Non-interleaved"));
    parts.push_back(seriesOrEmpty(session, "memory.region.interleaved", "Interleaved"));
    restName = kOverflowed;
    restTitle = "Overflowed";
    break;
  case Breakdown::ByCategory:
    session.reader().forEach<reports::TileSeriesRow>(
        "name LIKE 'memory.category.%'", {},
        [&](const reports::TileSeriesRow& row) { parts.push_back(fromRow(row, session.machine())); }, stop);
    break;
  case Breakdown::ByLiveness:
    parts.push_back(seriesOrEmpty(session, std::string(kAlwaysLive), "Always live"));
    restName = kNotAlwaysLive;
    restTitle = "Not always live";
    break;
  }
  TileSeries rest = remainder(total, parts, restName, restTitle);
  parts.push_back(std::move(rest));
  std::erase_if(parts, [](const TileSeries& s) {
    return std::all_of(s.values.begin(), s.values.end(), [](Bytes b) { return b == Bytes(); });
  });
  std::stable_sort(parts.begin(), parts.end(), [](const TileSeries& a, const TileSeries& b) { return a.sum > b.sum; });
  return parts;
}

} // namespace

std::optional<TileSeries> tileSeries(Session& session, const std::string& name) {
  const auto row = session.reader().first<reports::TileSeriesRow>("name = ?", {name});
  if (!row) return std::nullopt;
  return fromRow(*row, session.machine());
}

namespace {

// Only the tiles of the IPU keep their bytes.
TileSeries onIpu(TileSeries s, const Machine& machine, IpuId ipu) {
  for (std::size_t t = 0; t < s.values.size(); ++t)
    if (machine.ipuOf(TileId(t)) != ipu) s.values[t] = Bytes();
  s = finished(std::move(s));
  if (s.max == Bytes()) s.maxTile = TileId(std::size_t(ipu.value()) * std::size_t(std::max(0, machine.tilesPerIpu)));
  return s;
}

} // namespace

std::vector<TileId> tilesOfIpu(const Machine& machine, IpuId ipu) {
  std::vector<TileId> tiles;
  if (int64_t(ipu.value()) >= machine.ipus) return tiles;
  const auto first = std::size_t(ipu.value()) * std::size_t(machine.tilesPerIpu);
  for (std::size_t t = 0; t < std::size_t(machine.tilesPerIpu); ++t) tiles.emplace_back(first + t);
  return tiles;
}

TileMemory tileMemoryOf(Session& session, IpuId ipu, Breakdown breakdown, std::stop_token stop) {
  TileMemory memory = tileMemory(session, breakdown, stop);
  const Machine& machine = session.machine();
  memory.ipu = ipu;
  for (TileSeries* s : {&memory.total, &memory.totalWithGaps, &memory.overflow}) *s = onIpu(std::move(*s), machine, ipu);
  for (TileSeries& part : memory.parts) part = onIpu(std::move(part), machine, ipu);
  std::erase_if(memory.parts, [](const TileSeries& s) { return s.sum == Bytes() && s.max == Bytes(); });
  std::stable_sort(memory.parts.begin(), memory.parts.end(),
                   [](const TileSeries& a, const TileSeries& b) { return a.sum > b.sum; });
  memory.overflowTiles =
      std::count_if(memory.overflow.values.begin(), memory.overflow.values.end(), [](Bytes b) { return b > Bytes(); });
  std::vector<Bytes> own;
  for (const TileId tile : tilesOfIpu(machine, ipu)) own.push_back(memory.total.values[tile.value()]);
  memory.median = medianOf(std::move(own));
  memory.fits = memory.overflowTiles == 0;
  memory.verdict = fitVerdict(session, memory, stop);
  return memory;
}

TileId fullestTile(const TileMemory& memory) {
  return memory.overflowTiles > 0 ? memory.totalWithGaps.maxTile : memory.total.maxTile;
}

Bytes medianOf(std::vector<Bytes> values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

TileMemory tileMemory(Session& session, Breakdown breakdown, std::stop_token stop) {
  TileMemory memory;
  const Machine& machine = session.machine();
  memory.capacity = machine.memoryPerTile;
  memory.tilesPerIpu = machine.tilesPerIpu;
  memory.ipus = machine.ipus;
  memory.total = seriesOrEmpty(session, "memory.total", "Memory (excluding gaps)");
  memory.totalWithGaps = seriesOrEmpty(session, "memory.total_with_gaps", "Memory (including gaps)");
  if (memory.totalWithGaps.max < memory.total.max) memory.totalWithGaps.values = memory.total.values; // no gaps recorded
  memory.totalWithGaps = finished(std::move(memory.totalWithGaps));
  memory.overflow = seriesOrEmpty(session, "memory.overflow", "Overflow");
  memory.overflowTiles =
      std::count_if(memory.overflow.values.begin(), memory.overflow.values.end(), [](Bytes b) { return b > Bytes(); });
  memory.median = medianOf(memory.total.values);
  memory.breakdown = breakdown;
  memory.parts = partsOf(session, memory.total, breakdown, stop);
  memory.fits = !session.identity().outOfMemory;
  memory.verdict = fitVerdict(session, memory, stop);
  return memory;
}

TileSeries variableSeries(Session& session, reports::VariableId variable, std::stop_token stop) {
  TileSeries s = emptySeries("variable." + std::to_string(variable.value()), "Variable", session.machine());
  if (const auto row = session.reader().first<reports::VariableRow>("id = ?", {int64_t(variable.value())})) {
    s.title = session.text(row->nameId);
    if (row->category >= 0 && row->category < reports::kMemoryCategoryCount)
      s.category = static_cast<reports::MemoryCategory>(row->category);
  }
  session.reader().forEach<reports::TileVariablesRow>(
      {}, {},
      [&](const reports::TileVariablesRow& row) {
        const auto n = static_cast<std::size_t>(row.lowered);
        if (row.tile < 0 || static_cast<std::size_t>(row.tile) >= s.values.size()) return;
        const auto ids = reports::unpackDeltas(row.variables, n, "tile_variables.variables");
        if (std::find(ids.begin(), ids.end(), int64_t(variable.value())) == ids.end()) return;
        const auto sizes = reports::unpackVarints(row.sizes, n, "tile_variables.sizes");
        for (std::size_t i = 0; i < n; ++i)
          if (ids[i] == int64_t(variable.value())) s.values[static_cast<std::size_t>(row.tile)] += Bytes(sizes[i]);
      },
      stop);
  return finished(std::move(s));
}

std::vector<TileId> physicalOrder(const Machine& machine) {
  std::vector<TileId> order;
  order.reserve(static_cast<std::size_t>(machine.tiles()));
  for (int t = 0; t < machine.tiles(); ++t) order.emplace_back(static_cast<std::size_t>(t));
  if (machine.tileColumn.empty()) return order;
  const auto place = [&](TileId tile) {
    const std::size_t t = tile.value() % static_cast<uint32_t>(machine.tilesPerIpu);
    return std::tuple(machine.ipuOf(tile).value(), machine.tileColumn[t], machine.tileRow[t], tile.value());
  };
  std::sort(order.begin(), order.end(), [&](TileId a, TileId b) { return place(a) < place(b); });
  return order;
}

std::vector<TileId> parseTileSelection(const Machine& machine, const std::string& text) {
  std::vector<TileId> tiles;
  const auto fail = [&](std::string_view part) {
    throw reports::Error(reports::ErrorCode::InvalidInput, "'" + std::string(part) + "' is not a tile or a range of tiles",
                         "tile selection", "give ids from 0 to " + std::to_string(machine.tiles() - 1) + ", e.g. 0, 5, 10-20");
  };
  const auto number = [&](std::string_view s, std::string_view part) {
    int64_t v = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
    if (error != std::errc() || end != s.data() + s.size() || v < 0 || v >= machine.tiles()) fail(part);
    return v;
  };
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto comma = rest.find_first_of(",;");
    std::string_view part = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (part.empty()) continue;
    const auto dash = part.find('-', 1);
    const int64_t first = number(part.substr(0, dash), part);
    const int64_t last = dash == std::string_view::npos ? first : number(part.substr(dash + 1), part);
    if (last < first) fail(part);
    for (int64_t t = first; t <= last; ++t) tiles.emplace_back(static_cast<std::size_t>(t));
  }
  std::sort(tiles.begin(), tiles.end());
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  return tiles;
}

} // namespace analyser::memory
