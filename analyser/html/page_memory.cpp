#include "analyser/html/page_json.h"
#include "analyser/liveness/liveness_columns.h"
#include "analyser/memory/memory_columns.h"
#include "analyser/summary/summary.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>

namespace analyser::html {

namespace {

constexpr std::size_t kMostPlaces = 16'384; // points of the curve over tiles; if there are more tiles, they are grouped
constexpr std::size_t kMostVariables = 5000, kMostAlive = 500, kMostExchanges = 2000, kMostSteps = 200'000;

// Merges categories of the same colour, because a colour has one meaning on the page.
std::vector<std::pair<memory::TileSeries, Colour>> partsOf(const memory::TileMemory& tiles) {
  std::vector<std::pair<memory::TileSeries, Colour>> parts;
  for (const memory::TileSeries& series : tiles.parts) {
    const Colour colour = series.category ? memoryColour(*series.category) : restColour();
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.second.light == colour.light; });
    if (same == parts.end()) {
      parts.emplace_back(series, colour);
      continue;
    }
    memory::TileSeries& sum = same->first;
    sum.title += ", " + series.title;
    sum.sum += series.sum;
    for (std::size_t t = 0; t < sum.values.size() && t < series.values.size(); ++t) sum.values[t] += series.values[t];
  }
  return parts;
}

// The fullest tile of each group of neighbouring tiles.
std::vector<std::size_t> placesOf(const memory::TileMemory& tiles, std::size_t group) {
  std::vector<std::size_t> places;
  const auto& total = tiles.total.values;
  for (std::size_t begin = 0; begin < total.size(); begin += group)
    places.push_back(std::size_t(std::max_element(total.begin() + std::ptrdiff_t(begin),
                                                  total.begin() + std::ptrdiff_t(std::min(total.size(), begin + group))) -
                                 total.begin()));
  return places;
}

PageJson gridOf(const Machine& m) {
  int columns = m.gridColumns;
  if (m.tileColumn.empty())
    for (columns = 1; columns * columns < m.tilesPerIpu; ++columns) {
    }
  return {{"columns", std::max(1, columns)},
          {"rows", m.tileColumn.empty() ? (m.tilesPerIpu + columns - 1) / columns : m.gridRows},
          {"x", m.tileColumn},
          {"y", m.tileRow}};
}

PageJson categoriesTable(const memory::TileMemory& tiles) {
  return pageTable("categories", "Categories", "memory",
                   columns::tableOf(memory::partColumns(tiles.total.sum), memory::partsWithBytes(tiles), "bytes"));
}

} // namespace

PageJson memoryPart(const PagePart& page) {
  const Machine& m = page.session.machine();
  const memory::TileMemory tiles = memory::tileMemory(page.session, memory::Breakdown::ByCategory, page.stop);
  if (m.tiles() == 0 || tiles.total.max == Bytes()) return nullptr;
  PageJson json = {{"verdict", tiles.verdict.text()}, {"capacity", tiles.capacity.value()}};
  const std::size_t all = tiles.total.values.size(), group = (all + kMostPlaces - 1) / kMostPlaces;
  const std::vector<std::size_t> places = placesOf(tiles, group);
  json["group"] = group, json["count"] = all;
  if (group > 1) {
    json["tiles"] = places;
    page.cuts.push_back("Memory per tile: the fullest of every " + std::to_string(group) +
                        " neighbouring tiles; the floor plan has all.");
  }
  json["parts"] = PageJson::array();
  const auto parts = partsOf(tiles);
  for (const auto& [part, colour] : parts) {
    std::vector<Bytes> values;
    for (const std::size_t tile : places) values.push_back(tile < part.values.size() ? part.values[tile] : Bytes());
    json["parts"].push_back(
        {{"name", part.title}, {"paint", paint(colour)}, {"sum", part.sum.value()}, {"runs", runsOf(values)}});
  }
  json["metrics"] = PageJson::array();
  const auto metric = [&](const std::string& name, const char* unit, const std::vector<Bytes>& values) {
    json["metrics"].push_back({{"name", name}, {"unit", unit}, {"runs", runsOf(values)}});
  };
  metric("Memory without gaps", "bytes", tiles.total.values);
  metric("Memory with gaps", "bytes", tiles.totalWithGaps.values);
  for (const auto& [name, title, unit] : {std::tuple{"cycles.compute", "Compute cycles", "cycles"},
                                          {"cycles.exchange", "Exchange cycles", "cycles"},
                                          {"exchange.bytes_in", "Bytes received", "bytes"},
                                          {"exchange.bytes_out", "Bytes sent", "bytes"}})
    if (const auto series = memory::tileSeries(page.session, name)) metric(title, unit, series->values);
  if (group == 1)
    for (const auto& [part, colour] : parts) metric(part.title, "bytes", part.values);
  json["grid"] = gridOf(m);
  json["tables"] = PageJson::array({categoriesTable(tiles)});
  return json;
}

PageJson livenessPart(const PagePart& page) {
  const liveness::Liveness l = liveness::liveness(page.session, "all", page.stop);
  if (l.curve.notAlwaysLive.empty()) return nullptr;
  PageJson json = {{"verdict", l.verdict.text()},
                   {"always", l.curve.alwaysLive.value()},
                   {"capacity", l.curve.capacity.value()},
                   {"peak", l.curve.peakStep},
                   {"paint", PageJson::array({paint(seriesColour(0)), paint(seriesColour(1))})}};
  const std::size_t kept = std::min(l.curve.notAlwaysLive.size(), kMostSteps);
  page.cut("Steps of liveness, the first", kept, l.curve.notAlwaysLive.size());
  json["runs"] = runsOf(std::span(l.curve.notAlwaysLive).first(kept));
  std::map<std::string, std::size_t> ids; // names may repeat, e.g. in loops and layers
  PageJson names = PageJson::array(), steps = PageJson::array();
  for (const liveness::Step& step : std::span(l.steps).first(std::min(kept, l.steps.size()))) {
    const auto [at, isNew] = ids.try_emplace(step.kind + " " + step.name, ids.size());
    if (isNew) names.push_back(printable(at->first));
    steps.push_back(at->second);
  }
  json["names"] = std::move(names);
  json["steps"] = runsOf(steps.get<std::vector<int64_t>>());
  return json;
}

PageJson variablesTable(const PagePart& page) {
  const auto all = memory::topVariables(page.session, SIZE_MAX, {}, page.stop);
  const std::size_t kept = std::min(all.size(), kMostVariables);
  page.cut("Variables and constants, the largest", kept, all.size());
  return pageTable("variables", "Variables and constants", "memory",
                   columns::tableOf(memory::variableColumns(), std::span(all).first(kept), "bytes"));
}

PageJson peakTable(const PagePart& page) {
  std::vector<liveness::LiveVariable> alive;
  if (const liveness::Curve curve = liveness::curve(page.session, "all"); !curve.notAlwaysLive.empty())
    alive = liveness::liveAt(page.session, curve.peakStep, page.stop).notAlwaysLive;
  const std::size_t kept = std::min(alive.size(), kMostAlive);
  page.cut("Variables alive at the peak, the largest", kept, alive.size());
  std::vector<liveness::LiveRow> rows;
  for (const liveness::LiveVariable& v : std::span(alive).first(kept)) rows.push_back({&v});
  return pageTable("peak", "Alive at the peak", "liveness",
                   columns::tableOf(columns::without(liveness::liveColumns(), {"share", "saves"}), rows, "bytes"));
}

PageJson verticesTable(const PagePart& page) {
  return pageTable("vertices", "Vertices", "program",
                   columns::tableOf(columns::without(memory::vertexColumns(), {"tiles"}),
                                    memory::verticesByType(page.session, {}, page.stop), "vertices"));
}

PageJson exchangesTable(const PagePart& page) {
  const auto all = memory::exchangesOn(page.session, {}, page.stop).uses;
  const std::size_t kept = std::min(all.size(), kMostExchanges);
  page.cut("Exchanges, those with most code", kept, all.size());
  const auto shown =
      columns::without(memory::exchangeColumns(false), {"codeOnAll", "receivedInAll", "sent", "busiest", "executions"});
  return pageTable("exchanges", "Exchanges", "program", columns::tableOf(shown, std::span(all).first(kept), "code"));
}

} // namespace analyser::html
