// The schema browser and the example queries of query.h.
#include "analyser/query/query.h"
#include "reports/sqlite/schema.h"
#include "reports/sqlite/sql_tables.h"

#include <sstream>

namespace analyser::query {

namespace {

// Parses a line of SCHEMA.md such as "- `slice` (track_id INTEGER*, name TEXT): Slices one by one."
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

// Adds the table "ran": how often each compute set or exchange ran. `column` is the column of program_step that refers to them. A
// step on several IPUs counts by the IPU that ran it most.
std::string withExecutions(const std::string& column, const std::string& select) {
  return "WITH ran AS (SELECT s." + column +
         " AS id, sum(e.n) AS executions FROM program_step s JOIN (SELECT program_step_id, max(n) AS n FROM\n"
         "  (SELECT program_step_id, ipu, sum(executions) AS n FROM step_profile GROUP BY program_step_id, ipu) GROUP BY "
         "program_step_id) e\n  ON e.program_step_id = s.id WHERE s." +
         column + " IS NOT NULL GROUP BY s." + column + ")\n" + select;
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
      {"Categories on the fullest tile", "SELECT category, sum(own_bytes) AS bytes FROM lowered_variable\nWHERE tile = (SELECT "
                                         "max_tile FROM tile_series WHERE name = "
                                         "'memory.total')\nGROUP BY category ORDER BY bytes DESC"},
      {"Largest variables", "SELECT text(name_id) AS name, memory_category_name(category) AS category, element_type, shape, "
                            "total_bytes, tiles\nFROM variable ORDER "
                            "BY total_bytes DESC LIMIT 100"},
      {"Variables of at least 1 MiB in the last tenth of the program",
       "SELECT name, category, first_step, end_step, bytes FROM variable_lifetime\nWHERE bytes >= 1024 * 1024 AND end_step > "
       "(SELECT "
       "count(*) * 9 / 10 FROM liveness_step)\nORDER BY bytes DESC"},
      {"Variables live at the peak",
       "SELECT name, category, bytes FROM variable_lifetime\nWHERE first_step <= (SELECT peak_step FROM liveness_curve WHERE "
       "scope = "
       "'all')\n  AND end_step > (SELECT peak_step FROM liveness_curve WHERE scope = 'all')\nORDER BY bytes DESC LIMIT 100"},
      {"Who made the largest variables", "SELECT path(debug_context_id) AS made_by, sum(total_bytes) AS bytes, count(*) AS "
                                         "variables\nFROM variable WHERE debug_context_id IS "
                                         "NOT NULL GROUP BY debug_context_id ORDER BY bytes DESC LIMIT 50"},
      {"Steps with the most live bytes", "SELECT p.ordinal, text(s.name_id) AS step, p.not_always_live_bytes AS bytes\nFROM "
                                         "liveness_point p JOIN liveness_step s ON "
                                         "s.ordinal = p.ordinal\nWHERE p.scope = 'all' ORDER BY bytes DESC LIMIT 50"},
      {"Cycles by kind of step",
       "SELECT kind, count(*) AS executions, sum(cycles) AS cycles FROM execution_step GROUP BY kind ORDER BY 3 DESC"},
      {"Longest executions of steps",
       "SELECT ipu, start_cycle, cycles, kind, name, program_step_id FROM execution_step ORDER BY cycles DESC LIMIT 50"},
      {"Steps by their total cycles",
       "SELECT name, kind, count(*) AS executions, sum(cycles) AS cycles, program_step_id\nFROM execution_step "
       "GROUP BY program_step_id ORDER BY cycles "
       "DESC LIMIT 100"},
      {"Costliest operations",
       "SELECT id AS operation_id, name, kind, compute_cycles + exchange_cycles + sync_cycles + host_cycles AS cycles, "
       "flops, balance\nFROM operation ORDER BY cycles "
       "DESC LIMIT 50"},
      {"Kinds of operations",
       "SELECT kind, count(*) AS operations, sum(compute_cycles) AS compute, sum(exchange_cycles) AS exchange, "
       "sum(flops) AS flops\nFROM operation GROUP BY kind ORDER BY compute + exchange DESC"},
      {"Operations with the worst balance", "SELECT id AS operation_id, name, kind, compute_cycles, balance FROM "
                                            "operation\nWHERE balance IS NOT NULL AND compute_cycles > 0 ORDER BY "
                                            "compute_cycles * (1 - balance) DESC LIMIT 50"},
      {"Vertex types by cycles",
       withExecutions(
           "compute_set_id",
           "SELECT text(t.name_id) AS vertex_type, sum(v.vertices) AS vertices, sum(v.cycles * r.executions) AS "
           "tile_cycles, sum(v.flops * r.executions) AS flops\nFROM compute_set_vertices v JOIN vertex_type t ON t.id = "
           "v.vertex_type_id JOIN ran r ON r.id = v.compute_set_id\nGROUP BY t.id ORDER BY tile_cycles DESC")},
      {"Vertex types by cycles and tile",
       withExecutions("compute_set_id",
                      "SELECT text(t.name_id) AS vertex_type, v.tile, sum(v.cycles * r.executions) AS cycles\nFROM "
                      "compute_set_tile v JOIN vertex_type t ON t.id = v.vertex_type_id JOIN ran r ON r.id = "
                      "v.compute_set_id\nGROUP BY t.id, v.tile ORDER BY cycles DESC LIMIT 200")},
      {"Tiles with the most vertices of a type", "SELECT text(t.name_id) AS vertex_type, v.tile, sum(v.vertices) AS "
                                                 "vertices\nFROM compute_set_tile v JOIN vertex_type t ON t.id = "
                                                 "v.vertex_type_id\nGROUP BY t.id, v.tile ORDER BY vertices DESC LIMIT 50"},
      {"Code of vertex types",
       "SELECT text(name_id) AS vertex_type, kind, code_bytes, provenance FROM vertex_type ORDER BY code_bytes DESC"},
      {"Compute sets with idle tiles",
       withExecutions(
           "compute_set_id",
           "SELECT c.id AS compute_set_id, text(name_id) AS compute_set, max_cycles, active_tiles, total_cycles, "
           "executions\nFROM compute_set c "
           "JOIN ran r ON r.id = c.id ORDER BY (max_cycles * (SELECT ipus * tiles_per_ipu FROM machine) - total_cycles) "
           "* executions DESC LIMIT 50")},
      {"Exchange code by exchange",
       "SELECT text(name_id) AS name, kind, code_bytes, messages, total_bytes FROM exchange ORDER BY code_bytes DESC LIMIT 50"},
      {"Exchanges by bytes over the run",
       withExecutions(
           "exchange_id",
           "SELECT text(name_id) AS name, kind, total_bytes, executions, total_bytes * executions AS bytes_in_all\nFROM "
           "exchange x JOIN ran r ON r.id = x.id ORDER BY bytes_in_all DESC LIMIT 50")},
      {"Pairs of tiles that exchange most",
       withExecutions("exchange_id",
                      "SELECT sender, receiver, sum(bytes * executions) AS bytes FROM exchange_pair p JOIN ran r ON r.id = "
                      "p.exchange_id\nGROUP BY sender, receiver ORDER BY bytes DESC LIMIT 50")},
      {"Streams of the host",
       "SELECT s.name, s.direction, s.element_type, s.elements, c.bytes, c.executions\nFROM stream s LEFT JOIN stream_copy c ON "
       "c.stream_id = s.id ORDER BY c.bytes DESC"},
      {"Plans of the planners",
       "SELECT c.id, path(c.id) AS operation, method, predicted_cycles, temporary_bytes, p.text AS plan\nFROM plan p JOIN "
       "debug_context c ON c.id = p.debug_context_id ORDER BY predicted_cycles DESC"},
      {"Slices of the host by name",
       "SELECT s.name, s.category, count(*) AS slices, sum(s.duration_ticks) AS nanoseconds\nFROM "
       "slice s JOIN track t ON t.id = s.track_id "
       "WHERE t.tick_unit = 'nanosecond'\nGROUP BY s.name, s.category ORDER BY nanoseconds DESC LIMIT 100"},
      {"Where the report comes from", "SELECT key, value FROM metadata ORDER BY key"},
      {"Why operands move between tiles",
       "SELECT text(x.name_id) AS exchange, text(v.name_id) AS variable, o.bytes, o.held_as, o.held_tiles, o.wanted_as, "
       "o.wanted_tiles, v.id AS variable_id\nFROM exchange_operand o JOIN exchange x ON x.id = o.exchange_id LEFT JOIN variable "
       "v "
       "ON v.id = o.variable_id\nORDER BY o.bytes DESC LIMIT 100"},
  };
}

} // namespace analyser::query
