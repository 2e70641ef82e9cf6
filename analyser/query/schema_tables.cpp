// The schema browser and the example queries of query.h.
#include "analyser/query/query.h"
#include "reports/sqlite/schema.h"
#include "reports/sqlite/sql_tables.h"

#include <sstream>

namespace analyser::query {

namespace {

// A line of SCHEMA.md: - `slice` (track_id INTEGER*, name TEXT): Slices one by one.
std::optional<SchemaTable> decodingTable(const std::string& line) {
  const auto nameEnd = line.find("` ("), columnsEnd = line.find("): ");
  if (!line.starts_with("- `") || nameEnd == std::string::npos || columnsEnd == std::string::npos) return std::nullopt;
  SchemaTable table;
  table.decodes = true;
  table.name = line.substr(3, nameEnd - 3);
  table.meaning = line.substr(columnsEnd + 3);
  std::istringstream columns(line.substr(nameEnd + 3, columnsEnd - nameEnd - 3));
  for (std::string column; std::getline(columns, column, ',');) {
    std::istringstream words(column);
    SchemaColumn c;
    words >> c.name >> c.type;
    c.narrows = c.type.ends_with('*');
    if (c.narrows) c.type.pop_back();
    table.columns.push_back(std::move(c));
  }
  return table;
}

} // namespace

std::vector<SchemaTable> schemaTables() {
  std::vector<SchemaTable> tables;
  std::istringstream lines(reports::sqlTablesMarkdown());
  for (std::string line; std::getline(lines, line);)
    if (auto table = decodingTable(line)) tables.push_back(std::move(*table));
  for (const auto& stored : reports::allTableTexts()) {
    SchemaTable table{stored.name, stored.meaning, false, {}};
    for (const auto& column : stored.columns) table.columns.push_back({column.name, column.type, column.meaning, false});
    tables.push_back(std::move(table));
  }
  return tables;
}

std::vector<SavedQuery> exampleQueries() {
  return {
      {"Fullest tiles", "SELECT tile, value AS bytes FROM tile_value WHERE series = 'memory.total' ORDER BY value DESC LIMIT 20"},
      {"Variables on tile 0",
       "SELECT name, category, address, size_bytes, own_bytes, why FROM lowered_variable WHERE tile = 0 ORDER BY address"},
      {"Cycles by kind of step",
       "SELECT kind, count(*) AS executions, sum(cycles) AS cycles FROM execution_step GROUP BY kind ORDER BY 3 DESC"},
      {"Costliest operations", "SELECT name, kind, compute_cycles + exchange_cycles + sync_cycles + host_cycles AS cycles, "
                               "flops, balance\nFROM operation ORDER BY cycles "
                               "DESC LIMIT 50"},
      {"Exchange code by exchange",
       "SELECT text(name_id) AS name, kind, code_bytes, messages, total_bytes FROM exchange ORDER BY code_bytes DESC LIMIT 50"},
      {"Largest variables", "SELECT text(name_id) AS name, memory_category_name(category) AS category, element_type, shape, "
                            "total_bytes, tiles\nFROM variable ORDER "
                            "BY total_bytes DESC LIMIT 100"},
      {"Plans of the planners",
       "SELECT c.id, text(c.name_id) AS name, method, predicted_cycles, temporary_bytes, p.text AS plan\nFROM plan p JOIN "
       "debug_context c ON c.id = p.debug_context_id ORDER BY predicted_cycles DESC"},
  };
}

} // namespace analyser::query
