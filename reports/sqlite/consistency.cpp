#include "reports/sqlite/consistency.h"

#include "reports/core/error.h"
#include "reports/sqlite/reader.h"
#include "reports/sqlite/schema.h"

namespace reports {

namespace {

// A column that holds an id of another table, or NULL. The program tree reports steps without a parent itself.
struct Reference {
  const char *table, *column, *target;
};
constexpr Reference kReferences[] = {
    {"debug_context", "parent_id", "debug_context"},
    {"debug_context", "name_id", "string"},
    {"program_step", "name_id", "string"},
    {"program_step", "debug_context_id", "debug_context"},
    {"program_step", "compute_set_id", "compute_set"},
    {"program_step", "exchange_id", "exchange"},
    {"program_step", "callee_id", "program_step"},
    {"program_step", "control_code_id", "control_code"},
    {"compute_set", "name_id", "string"},
    {"compute_set", "debug_context_id", "debug_context"},
    {"vertex_type", "name_id", "string"},
    {"vertex_type", "file_id", "string"},
    {"compute_set_vertices", "compute_set_id", "compute_set"},
    {"compute_set_vertices", "vertex_type_id", "vertex_type"},
    {"exchange", "name_id", "string"},
    {"exchange_operand", "exchange_id", "exchange"},
    {"exchange_operand", "variable_id", "variable"},
    {"variable", "name_id", "string"},
    {"variable", "debug_context_id", "debug_context"},
    {"liveness_step", "program_step_id", "program_step"},
    {"liveness_step", "name_id", "string"},
    {"run", "program_step_id", "program_step"},
    {"step_profile", "program_step_id", "program_step"},
    {"stream_copy", "program_step_id", "program_step"},
    {"stream_copy", "stream_id", "stream"},
    {"call_context", "program_step_id", "program_step"},
    {"call_context", "function_context_id", "debug_context"},
    {"call_context", "caller_context_id", "debug_context"},
    {"operation", "debug_context_id", "debug_context"},
    {"plan", "debug_context_id", "debug_context"},
    {"host_thread", "process_id", "host_process"},
    {"host_thread", "track_id", "track"},
    {"counter_series", "process_id", "host_process"},
    {"heatmap", "process_id", "host_process"},
    {"run_link", "run_id", "run"},
    {"run_link", "track_id", "track"},
    {"step_move", "program_step_id", "program_step"},
    {"step_move", "from_variable_id", "variable"},
    {"step_move", "to_variable_id", "variable"},
};

// A SELECT that returns the row ids that contradict others.
struct Rule {
  const char *table, *sql, *what;
};
constexpr Rule kRules[] = {
    {"run", "SELECT b.id FROM run a JOIN run b ON b.id = a.id + 1 WHERE b.start_cycle < a.start_cycle + a.cycles",
     "it begins before the previous run has ended"},
    {"run", "SELECT id FROM run WHERE hidden_host_cycles > cycles", "its hidden host cycles exceed its cycles"},
    {"operation",
     "SELECT id FROM operation WHERE max(compute_cycles, exchange_cycles, sync_cycles, host_cycles) > "
     "(SELECT sum(CAST(cycles AS REAL)) FROM run) * (SELECT ipus FROM machine)",
     "it takes more cycles than all runs on all IPUs"},
    // Imported profiles may lack the tiles of a variable: tiles is 0.
    {"variable", "SELECT id FROM variable WHERE tiles > 0 AND total_bytes > CAST(max_tile_bytes AS REAL) * tiles",
     "its bytes exceed the bytes on its largest tile x its tiles"},
    {"compute_set", "SELECT id FROM compute_set WHERE total_cycles > CAST(max_cycles AS REAL) * active_tiles",
     "its cycles exceed the cycles of its slowest tile x its tiles"},
    {"tile_variables",
     "SELECT tile FROM (SELECT min(tile) AS tile FROM tile_variables) WHERE tile IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "
     "variable)",
     "it names variables that do not exist"},
    {"liveness_curve",
     "SELECT rowid FROM liveness_curve WHERE scope = 'all' AND EXISTS (SELECT 1 FROM liveness_step) AND steps < "
     "(SELECT count(*) FROM liveness_step)",
     "it has fewer steps than the program"},
};

void refuse(Reader& reader, const char* table, const std::string& sql, const std::string& what) {
  Statement statement(reader.connection(), sql + " LIMIT 1");
  if (!statement.step()) return;
  throw Error(ErrorCode::Damaged, "impossible: " + what,
              "table " + std::string(table) + ", row " + std::to_string(std::get<int64_t>(statement.value(0))),
              "the report was made by a faulty program or is damaged");
}

} // namespace

void checkConsistency(Reader& reader, const std::stop_token& stop) {
  Connection::Watch watch(reader.connection(), stop);
  for (const auto& [table, column, target] : kReferences) {
    const std::string own = quotedName(table), id = quotedName(column), other = quotedName(target);
    refuse(reader, table,
           "SELECT rowid FROM " + own + " WHERE " + id + " IS NOT NULL AND " + id + " NOT IN (SELECT id FROM " + other + ")",
           std::string(column) + " names no row of " + target);
  }
  for (const Rule& rule : kRules) refuse(reader, rule.table, rule.sql, rule.what);
}

} // namespace reports
