#include "reports/exchange/pvti_tables.h"

#include "reports/core/join.h"
#include "reports/core/text.h"
#include "reports/sqlite/statement.h"

#include <algorithm>

namespace reports::exchange {

namespace {

constexpr std::size_t kMostTables = 200;

// Letters and digits in lower case: "Channel_ID" is "channelid".
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c))) out += char(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

struct ColumnNames {
  PvtiColumn column;
  std::vector<std::string_view> names; // preferred name first
};
const std::vector<ColumnNames>& columnNames() {
  static const std::vector<ColumnNames> names{
      {PvtiColumn::Id, {"id", "rowid", "index", "key"}},
      {PvtiColumn::Name, {"name", "label", "labelid", "nameid", "title", "text", "string", "value", "stringid", "eventname"}},
      {PvtiColumn::Process, {"processid", "pid", "process"}},
      {PvtiColumn::Thread, {"threadid", "tid", "thread"}},
      {PvtiColumn::Channel, {"channelid", "channel", "category", "categoryid"}},
      {PvtiColumn::Time, {"timestamp", "timestampus", "time", "ts", "start", "starttime", "begin", "begintime"}},
      {PvtiColumn::Duration, {"duration", "durationus", "dur"}},
      {PvtiColumn::End, {"end", "endtime", "endtimestamp", "stop"}},
      {PvtiColumn::Kind, {"type", "eventtype", "kind", "phase", "ph"}},
      {PvtiColumn::Json, {"metadata", "json", "args", "data", "details"}},
      {PvtiColumn::Unit, {"unit", "units"}},
      {PvtiColumn::Graph, {"graphid", "graph", "linegraphid"}},
      {PvtiColumn::Series, {"seriesid", "series"}},
      {PvtiColumn::Value, {"value", "y", "quantity"}},
      {PvtiColumn::Heatmap, {"heatmapid", "heatmap"}},
      {PvtiColumn::Edges, {"edges", "binedges", "bins"}},
      {PvtiColumn::Counts, {"binquantities", "counts", "quantities", "bincounts"}},
      {PvtiColumn::TimeNs, {"timestampns", "timens", "startns"}},
      {PvtiColumn::DurationNs, {"durationns", "durns"}},
  };
  return names;
}

PvtiLayout::Table tableOf(const std::string& name, const std::vector<std::string>& columns) {
  PvtiLayout::Table table;
  table.name = name;
  for (const ColumnNames& known : columnNames())
    for (const std::string_view wanted : known.names) {
      const auto found = std::find_if(columns.begin(), columns.end(), [&](const std::string& c) { return plain(c) == wanted; });
      if (found == columns.end()) continue;
      table.columns[std::size_t(known.column)] = *found;
      break;
    }
  return table;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::optional<PvtiTable> kindOf(const PvtiLayout::Table& t) {
  const std::string name = plain(t.name);
  const bool timed = t.has(PvtiColumn::Time) || t.has(PvtiColumn::TimeNs);
  if (holds(name, "heatmap")) {
    if (t.has(PvtiColumn::Counts)) return PvtiTable::HeatmapSamples;
    return t.has(PvtiColumn::Edges) ? std::optional(PvtiTable::Heatmaps) : std::nullopt;
  }
  if (timed && t.has(PvtiColumn::Series) && t.has(PvtiColumn::Value)) return PvtiTable::Points;
  if (timed && t.has(PvtiColumn::Name) &&
      (holds(name, "event") || holds(name, "trace") || holds(name, "slice") || holds(name, "span")))
    return PvtiTable::Events;
  if (!t.has(PvtiColumn::Name)) return std::nullopt;
  if (holds(name, "series")) return PvtiTable::Series;
  if (holds(name, "graph")) return PvtiTable::Graphs;
  if (holds(name, "channel")) return PvtiTable::Channels;
  if (holds(name, "thread")) return PvtiTable::Threads;
  if (holds(name, "process")) return PvtiTable::Processes;
  if (holds(name, "string") || holds(name, "label") || holds(name, "name")) return PvtiTable::Strings;
  return std::nullopt;
}

} // namespace

std::string quotedSql(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

PvtiLayout discoverPvti(Connection& connection) {
  PvtiLayout layout;
  std::vector<std::string> names;
  Statement list(connection, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
  while (list.step() && names.size() < kMostTables) list.read(0, names.emplace_back(), "sqlite_master.name");
  for (const std::string& name : names) {
    const Statement columns(connection, "SELECT * FROM " + quotedSql(name) + " LIMIT 0");
    std::vector<std::string> has;
    for (int i = 0; i < columns.columns(); ++i) has.push_back(columns.columnName(i));
    PvtiLayout::Table table = tableOf(name, has);
    const auto kind = kindOf(table);
    if (kind && !layout.tables[std::size_t(*kind)])
      layout.tables[std::size_t(*kind)] = std::move(table);
    else if (Statement(connection, "SELECT 1 FROM " + quotedSql(name) + " LIMIT 1").step())
      layout.unknown.push_back(name);
  }
  if (layout[PvtiTable::Events] || layout[PvtiTable::Points] || layout[PvtiTable::HeatmapSamples]) return layout;
  const std::string all = joined(names, [](const std::string& name) { return displayText(name, 40); });
  throw Error(ErrorCode::InvalidInput, "this SQLite file holds no table of trace events", connection.name(),
              all.empty() ? "it has no tables at all" : "its tables are " + displayText(all, 400));
}

} // namespace reports::exchange
