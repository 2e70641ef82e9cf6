#include "analyser/html/report_page.h"

#include "analyser/insights/insights.h"
#include "analyser/liveness/liveness.h"
#include "analyser/memory/tile_details.h"
#include "analyser/operations/operations.h"
#include "analyser/session/format.h"
#include "analyser/summary/summary.h"

#include <nlohmann/json.hpp>

namespace analyser::html {

extern const char *const kPage, *const kStyle, *const kScript;

namespace {

using PageJson = nlohmann::ordered_json;

constexpr std::size_t kMostVariables = 2000;

// The hues of the window for memory (ui/theme/tokens), in order of size: the page knows no theme.
constexpr const char* kLight[] = {"#d55e00", "#0072b2", "#009e73", "#b07aa1", "#b8860b",
                                  "#56a0d3", "#7f7f7f", "#8c564b", "#6b8e23"};
constexpr const char* kDark[] = {"#e8833a", "#56b4e9", "#2fc295", "#cc9ec4", "#e6b84d",
                                 "#8cc7ee", "#a0a0a0", "#b98a80", "#9bbf55"};

template<class Values> PageJson runsOf(const Values& values) {
  PageJson runs = PageJson::array();
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i + 1;
    while (end < values.size() && values[end] == values[i]) ++end;
    runs.push_back(end - i);
    runs.push_back(values[i].value());
    i = end;
  }
  return runs;
}

std::string savingOf(const insights::Insight& i) {
  if (!i.savesMemory()) return formatCycles(i.cycles);
  return formatBytes(i.bytes) + (i.onOneTile ? " a tile" : "");
}

PageJson insightsJson(Session& session, const std::stop_token& stop, PageJson& verdicts) {
  const insights::Insights all = insights::insights(session, stop);
  verdicts.push_back(all.verdict.text());
  PageJson list = PageJson::array();
  for (const insights::Insight& i : all.list)
    list.push_back({{"title", i.title},
                    {"what", i.what.text()},
                    {"saves", savingOf(i)},
                    {"share", i.share},
                    {"confidence", insights::confidenceName(i.confidence)},
                    {"try", i.advice}});
  return list;
}

PageJson memoryJson(Session& session, const std::stop_token& stop) {
  const Machine& m = session.machine();
  const memory::TileMemory tiles = memory::tileMemory(session, memory::Breakdown::ByCategory, stop);
  if (m.tiles() == 0 || tiles.total.max == Bytes()) return nullptr;
  PageJson json = PageJson::object();
  json["capacity"] = tiles.capacity.value();
  json["parts"] = PageJson::array();
  for (std::size_t p = 0; p < tiles.parts.size(); ++p)
    json["parts"].push_back({{"name", tiles.parts[p].title},
                             {"light", kLight[p % std::size(kLight)]},
                             {"dark", kDark[p % std::size(kDark)]},
                             {"runs", runsOf(tiles.parts[p].values)}});
  json["metrics"] = PageJson::array();
  json["metrics"].push_back({{"name", "Memory without gaps"}, {"unit", "bytes"}, {"runs", runsOf(tiles.total.values)}});
  for (const auto& [name, title, unit] : {std::tuple{"cycles.compute", "Compute cycles", "cycles"},
                                          {"cycles.exchange", "Exchange cycles", "cycles"},
                                          {"exchange.bytes_in", "Bytes received", "bytes"},
                                          {"exchange.bytes_out", "Bytes sent", "bytes"}})
    if (const auto series = memory::tileSeries(session, name))
      json["metrics"].push_back({{"name", title}, {"unit", unit}, {"runs", runsOf(series->values)}});
  for (const memory::TileSeries& part : tiles.parts)
    json["metrics"].push_back({{"name", part.title}, {"unit", "bytes"}, {"runs", runsOf(part.values)}});
  int columns = m.gridColumns;
  if (m.tileColumn.empty())
    for (columns = 1; columns * columns < m.tilesPerIpu; ++columns) {
    }
  json["grid"] = {{"columns", std::max(1, columns)},
                  {"rows", m.tileColumn.empty() ? (m.tilesPerIpu + columns - 1) / columns : m.gridRows},
                  {"x", m.tileColumn},
                  {"y", m.tileRow}};
  return json;
}

PageJson livenessJson(Session& session, const std::stop_token& stop) {
  const liveness::Liveness l = liveness::liveness(session, "all", stop);
  if (l.curve.notAlwaysLive.empty()) return nullptr;
  PageJson json = PageJson::object();
  json["always"] = l.curve.alwaysLive.value();
  json["capacity"] = l.curve.capacity.value();
  json["runs"] = runsOf(l.curve.notAlwaysLive);
  std::map<std::string, std::size_t> ids; // names repeat: loops and layers
  PageJson names = PageJson::array(), steps = PageJson::array();
  for (const liveness::Step& step : l.steps) {
    const auto [at, isNew] = ids.try_emplace(step.kind + " " + step.name, ids.size());
    if (isNew) names.push_back(printable(at->first));
    steps.push_back(at->second);
  }
  json["names"] = std::move(names);
  json["steps"] = std::move(steps);
  return json;
}

PageJson column(const char* title, const char* kind, const char* tip = "") {
  return {{"title", title}, {"kind", kind}, {"tip", tip}};
}

PageJson operationsTable(Session& session, const std::stop_token& stop) {
  const operations::Operations all = operations::operations(session, stop);
  PageJson table = {{"id", "operations"}, {"title", "Operations"}, {"sort", 2}};
  table["columns"] = {column("Operation", "name"),
                      column("Kind", "text"),
                      column("Cycles", "cycles", "Compute, exchange, sync and host"),
                      column("Share", "percent"),
                      column("Compute", "cycles"),
                      column("Exchange", "cycles"),
                      column("Sync", "cycles"),
                      column("Wasted tile-cycles", "cycles", "tiles × cycles − busy"),
                      column("Mostly by", "text"),
                      column("Busy", "percent"),
                      column("Tiles used", "count"),
                      column("Balance over active tiles", "percent"),
                      column("FLOPs", "cycles"),
                      column("FLOP use", "percent"),
                      column("Memory", "bytes")};
  table["rows"] = PageJson::array();
  for (const operations::Operation& o : all.rows) {
    const auto& cost = o.tileCycles;
    table["rows"].push_back({printable(o.name), printable(o.kind), o.total.value(), o.share, o.compute.value(),
                             o.exchange.value(), o.sync.value(), cost.wasted(),
                             cost.wasted() > 0 ? PageJson(trace::tileTimeTitle(cost.largestWaste())) : PageJson(),
                             cost.total() > 0 ? PageJson(cost.share(trace::TileTime::Busy)) : PageJson(),
                             o.tiles > 0 ? PageJson(o.tiles) : PageJson(), o.balance ? PageJson(*o.balance) : PageJson(),
                             o.flops.value(), o.flopUtilisation, o.variableBytes.value()});
  }
  return table;
}

PageJson variablesTable(Session& session, const std::stop_token& stop) {
  PageJson table = {{"id", "variables"}, {"title", "Largest variables"}, {"sort", 1}};
  table["columns"] = {column("Variable", "name"), column("Bytes", "bytes"), column("Most on a tile", "bytes"),
                      column("Tiles", "count"),   column("Type", "text"),   column("Shape", "text"),
                      column("Category", "text"), column("Live", "text"),   column("Operation", "name")};
  table["rows"] = PageJson::array();
  for (const memory::VariableUse& v : memory::topVariables(session, kMostVariables, {}, stop))
    table["rows"].push_back({printable(v.name), v.total.value(), v.maxTile.value(), v.tiles, printable(v.elementType),
                             printable(v.shape), reports::memoryCategoryTitle(v.category), v.alwaysLive ? "always" : "not always",
                             printable(v.operation)});
  return table;
}

// JSON inside a script element: no "</script>" and no comment can begin in it.
std::string embedded(const PageJson& json) {
  std::string text = json.dump(-1, ' ', true, PageJson::error_handler_t::replace), safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else if (c == '>')
      safe += "\\u003e";
    else if (c == '&')
      safe += "\\u0026";
    else
      safe += c;
  }
  return safe;
}

void insertPart(std::string& page, std::string_view place, std::string_view part) {
  const auto at = page.find(place);
  if (at != std::string::npos) page.replace(at, place.size(), part);
}

} // namespace

std::string reportPage(Session& session, std::stop_token stop) {
  const summary::Summary s = summary::summarise(session, stop);
  PageJson json = PageJson::object();
  json["title"] = printable(s.identity.title);
  json["machine"] = printable(s.identity.machine);
  json["created"] = printable(s.identity.createdUtc);
  json["provenance"] = printable(s.identity.provenance);
  json["ipus"] = s.machine.ipus;
  json["tilesPerIpu"] = s.machine.tilesPerIpu;
  PageJson verdicts = PageJson::array({s.verdict.text(), s.timeVerdict});
  if (const Sentence waste = summary::wasteVerdict(s); !waste.empty()) verdicts.push_back(waste.text() + ".");
  json["insights"] = insightsJson(session, stop, verdicts);
  json["verdicts"] = std::move(verdicts);
  json["memory"] = memoryJson(session, stop);
  json["liveness"] = livenessJson(session, stop);
  json["tables"] = PageJson::array({operationsTable(session, stop), variablesTable(session, stop)});
  json["facts"] = PageJson::array();
  for (const auto& [key, value] : s.metadata) json["facts"].push_back({printable(key), printable(value)});
  for (const auto& option : s.options)
    if (!option.isDefault) json["facts"].push_back({printable(option.key), printable(option.value)});
  std::string page = kPage;
  insertPart(page, "%CSS%", kStyle);
  insertPart(page, "%JS%", kScript); // before the data, which may hold any text
  insertPart(page, "%DATA%", embedded(json));
  return page;
}

} // namespace analyser::html
