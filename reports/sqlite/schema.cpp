#include "reports/sqlite/schema.h"

#include "reports/core/join.h"
#include "reports/sqlite/checked_pages.h"

namespace reports {

std::string quotedName(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string createTableSql(const TableText& table) {
  std::string sql = "CREATE TABLE " + quotedName(table.name) + " (";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto& c = table.columns[i];
    sql += (i ? ", " : "") + quotedName(c.name) + " " + c.type;
    if (!c.nullable) sql += " NOT NULL";
    if (!c.constraint.empty()) sql += " " + c.constraint;
  }
  return sql + ") STRICT";
}

namespace {
std::string namesOf(const TableText& table) {
  return joined(table.columns, [](const auto& column) { return quotedName(column.name); });
}
} // namespace

std::string insertSql(const TableText& table) {
  const std::string marks = joined(std::vector<std::string_view>(table.columns.size(), "?"));
  return "INSERT INTO " + quotedName(table.name) + " (" + namesOf(table) + ") VALUES (" + marks + ")";
}

std::string selectSql(const TableText& table, std::string_view where) {
  std::string sql = "SELECT " + namesOf(table) + " FROM " + quotedName(table.name);
  if (!where.empty()) sql.append(" WHERE ").append(where);
  return sql;
}

// Only for frequent queries that would otherwise read a whole table of BLOBs.
const std::vector<std::string>& indexSql() {
  static const std::vector<std::string> list{
      "CREATE UNIQUE INDEX slice_chunk_place ON slice_chunk (track_id, depth, first_tick, end_tick, chunk)",
      "CREATE UNIQUE INDEX slice_level_place ON slice_level (track_id, depth, level, bucket_shift, buckets)",
      "CREATE INDEX program_step_parent ON program_step (parent_id, position)",
      "CREATE INDEX debug_context_parent ON debug_context (parent_id)",
      "CREATE INDEX step_profile_step ON step_profile (program_step_id)",
      "CREATE INDEX compute_set_vertices_set ON compute_set_vertices (compute_set_id)",
      "CREATE INDEX exchange_operand_exchange ON exchange_operand (exchange_id)",
      "CREATE INDEX operation_context ON operation (debug_context_id)",
      "CREATE INDEX plan_context ON plan (debug_context_id)",
      "CREATE INDEX host_thread_process ON host_thread (process_id)",
      "CREATE UNIQUE INDEX instant_chunk_place ON instant_chunk (track_id, first_tick, last_tick, chunk)",
      "CREATE UNIQUE INDEX counter_chunk_place ON counter_chunk (series_id, first_tick, last_tick, chunk)",
      "CREATE UNIQUE INDEX counter_level_place ON counter_level (series_id, level, bucket_shift, buckets)",
      "CREATE UNIQUE INDEX heatmap_chunk_place ON heatmap_chunk (heatmap_id, first_tick, last_tick, chunk)",
      "CREATE UNIQUE INDEX details_chunk_first ON details_chunk (first_id)",
  };
  return list;
}

std::string schemaMarkdown() {
  std::string text;
  for (const auto& table : allTableTexts()) {
    text += "### `" + table.name + "`\n\n" + table.meaning + "\n\n| column | type | meaning |\n| --- | --- | --- |\n";
    for (const auto& c : table.columns) {
      std::string meaning;
      for (const char ch : c.meaning) meaning += ch == '|' ? std::string("\\|") : std::string(1, ch);
      text += "| `" + c.name + "` | " + c.type + (c.nullable ? ", may be NULL" : "") + (c.constraint.empty() ? "" : ", key") +
              " | " + meaning + " |\n";
    }
    text += "\n";
  }
  return text;
}

void createSchema(Connection& connection) {
  // The file is private to this process until it is renamed, and useless if the process dies: no journal.
  for (const char* sql :
       {"PRAGMA page_size = 4096", "PRAGMA encoding = 'UTF-8'", "PRAGMA journal_mode = OFF", "PRAGMA synchronous = FULL",
        "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA cache_size = -32768", "PRAGMA temp_store = MEMORY"})
    connection.execute(sql);
  writeChecksums(connection.handle());
  connection.execute("PRAGMA application_id = " + std::to_string(kApplicationId));
  connection.execute("PRAGMA user_version = " + std::to_string(kSchemaVersion));
  connection.execute("BEGIN");
  for (const auto& table : allTableTexts()) connection.execute(createTableSql(table));
}

} // namespace reports
