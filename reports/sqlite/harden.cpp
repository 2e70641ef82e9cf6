#include "reports/sqlite/harden.h"

#include "reports/sqlite/short_format.h"
#include "reports/sqlite/statement.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace reports {

namespace {

constexpr sqlite3_int64 kHeapBytes = sqlite3_int64(2) << 30; // of all connections together

struct Limit {
  int id, value;
};
constexpr Limit kLimits[] = {
    {SQLITE_LIMIT_LENGTH, 64 << 20},      {SQLITE_LIMIT_SQL_LENGTH, 100'000}, {SQLITE_LIMIT_COLUMN, 500},
    {SQLITE_LIMIT_EXPR_DEPTH, 200},       {SQLITE_LIMIT_COMPOUND_SELECT, 50}, {SQLITE_LIMIT_VDBE_OP, 250'000},
    {SQLITE_LIMIT_FUNCTION_ARG, 32},      {SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 1000}, {SQLITE_LIMIT_TRIGGER_DEPTH, 1},    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

constexpr std::array<std::string_view, 5> kPragmas{"table_info", "table_xinfo", "table_list", "quick_check", "index_list"};

int authorize(void*, int action, const char* first, const char* second, const char*, const char*) {
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_READ:
  case SQLITE_RECURSIVE: return SQLITE_OK;
  case SQLITE_FUNCTION: { // json_patch() is O(n^2) and does not check the time limit
    const std::string_view name = second ? second : "";
    return name == "load_extension" || name == "json_patch" || name == "fts3_tokenizer" || name == "writefile" || name == "edit"
               ? SQLITE_DENY
               : SQLITE_OK;
  }
  case SQLITE_PRAGMA: {
    const std::string_view name = first ? first : "";
    return std::find(kPragmas.begin(), kPragmas.end(), name) != kPragmas.end() ? SQLITE_OK : SQLITE_DENY;
  }
  default: return SQLITE_DENY;
  }
}

} // namespace

void hardenConnection(Connection& connection) {
  sqlite3* db = connection.handle();
  sqlite3_hard_heap_limit64(kHeapBytes);
  for (const auto& limit : kLimits) sqlite3_limit(db, limit.id, limit.value);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, nullptr);
  for (const char* sql :
       {"PRAGMA cell_size_check = ON", "PRAGMA mmap_size = 0", "PRAGMA temp_store = MEMORY", "PRAGMA cache_size = -4096"})
    connection.execute(sql);
}

void declareTable(Connection& connection, const std::string& name) { Statement(connection, "SELECT 1 FROM " + name); }

void allowOnlySelect(Connection& connection) {
  connection.execute("PRAGMA query_only = ON");
  boundFormat(connection);
  for (const auto pragma : kPragmas) declareTable(connection, "pragma_" + std::string(pragma));
  sqlite3_set_authorizer(connection.handle(), &authorize, nullptr);
}

} // namespace reports
