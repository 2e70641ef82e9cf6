#include "reports/sqlite/upgrade.h"

#include "reports/core/join.h"
#include "reports/sqlite/schema.h"

#include <algorithm>

namespace reports {

const std::vector<SchemaAddition>& schemaAdditions() {
  static const std::vector<SchemaAddition> all{
      {2, "host_process", "clock"},   {2, "host_process", "clock_start_nanoseconds"},
      {2, "host_thread", "tid"},      {2, "host_thread", "sort_order"},
      {2, "host_thread", "kind"},     {2, "instant_chunk", {}},
      {2, "counter_series", {}},      {2, "counter_chunk", {}},
      {2, "counter_level", {}},       {2, "heatmap", {}},
      {2, "heatmap_chunk", {}},       {2, "flow_chunk", {}},
      {2, "details_chunk", {}},       {2, "run_link", {}},
      {3, "step_variables", {}},      {5, "call_context", {}},
      {6, "flow_chunk", "numbers"},   {7, "exchange", "code_by_tile"},
      {7, "block_chunk", {}},         {8, "step_profile", "slice_executions"},
      {9, "step_move", {}},           {10, "exchange", "pairs"},
      {12, "flow_chunk", "instants"}, {13, "vertex_type", "file_id"},
      {13, "vertex_type", "line"},    {13, "compute_set_vertices", "cycles_from"},
      {14, "control_code", {}},       {14, "program_step", "control_code_id"},
      {15, "exchange_operand", {}},
  };
  return all;
}

namespace {
bool isSince(std::string_view table, std::string_view column, int version) {
  const auto& all = schemaAdditions();
  return std::none_of(all.begin(), all.end(),
                      [&](const SchemaAddition& a) { return a.version > version && a.table == table && a.column == column; });
}

// A view with every column of the current schema; columns that the file lacks are NULL.
std::string viewSql(const TableText& table, int version) {
  const std::string columns = joined(table.columns, [&](const auto& c) {
    return columnIsSince(table.name, c.name, version) ? quotedName(c.name) : "NULL AS " + quotedName(c.name);
  });
  return "CREATE TEMP VIEW " + quotedName(table.name) + " AS SELECT " + columns + " FROM main." + quotedName(table.name);
}
} // namespace

bool tableIsSince(std::string_view table, int version) { return isSince(table, {}, version); }

bool columnIsSince(std::string_view table, std::string_view column, int version) { return isSince(table, column, version); }

void layOverOlder(Connection& connection, int version) {
  if (version >= kSchemaVersion) return;
  for (const TableText& table : allTableTexts()) {
    const bool whole = std::all_of(table.columns.begin(), table.columns.end(),
                                   [&](const ColumnText& c) { return columnIsSince(table.name, c.name, version); });
    if (!tableIsSince(table.name, version))
      connection.execute("CREATE TEMP" + createTableSql(table).substr(std::string_view("CREATE").size()));
    else if (!whole)
      connection.execute(viewSql(table, version));
  }
}

} // namespace reports
