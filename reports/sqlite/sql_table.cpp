#include "reports/sqlite/sql_table.h"

#include "reports/sqlite/harden.h"
#include "reports/sqlite/reader.h"

#include <sqlite3.h>

namespace reports {

namespace {

struct Module {
  Reader& reader;
  const SqlTable& table;
};
struct Table : sqlite3_vtab {
  Module* module;
};
struct Cursor : sqlite3_vtab_cursor {
  std::unique_ptr<SqlRows> rows;
  int64_t row = 0;
  bool atEnd = true;
};

// Exceptions must not enter SQLite's C code: their text goes into the table, their kind into the result code.
template<class F> int guarded(sqlite3_vtab* table, F&& f) noexcept {
  int code = SQLITE_ERROR;
  const char* text = nullptr;
  std::string message;
  try {
    f();
    return SQLITE_OK;
  } catch (const Error& error) {
    code = error.code() == ErrorCode::Damaged     ? SQLITE_CORRUPT
           : error.code() == ErrorCode::Cancelled ? SQLITE_INTERRUPT
                                                  : SQLITE_ERROR;
    message = error.message();
    text = message.c_str();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& error) {
    message = error.what();
    text = message.c_str();
  }
  sqlite3_free(table->zErrMsg);
  table->zErrMsg = sqlite3_mprintf("%s", text);
  return code;
}

int connect(sqlite3* db, void* aux, int, const char* const*, sqlite3_vtab** out, char**) {
  auto* module = static_cast<Module*>(aux);
  const std::string sql = "CREATE TABLE x(" + module->table.declaration + ")";
  if (const int code = sqlite3_declare_vtab(db, sql.c_str()); code != SQLITE_OK) return code;
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY); // never from a view or trigger of the file
  auto* table = new Table();
  table->module = module;
  *out = table;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

char operatorOf(unsigned char op) {
  switch (op) {
  case SQLITE_INDEX_CONSTRAINT_EQ: return '=';
  case SQLITE_INDEX_CONSTRAINT_LT:
  case SQLITE_INDEX_CONSTRAINT_LE: return '<';
  case SQLITE_INDEX_CONSTRAINT_GT:
  case SQLITE_INDEX_CONSTRAINT_GE: return '>';
  default: return 0;
  }
}

// The plan is the list of used filters, as letters; their values arrive in the same order.
int bestIndex(sqlite3_vtab* base, sqlite3_index_info* info) {
  const auto& filters = static_cast<Table*>(base)->module->table.filters;
  std::string plan;
  double cost = 1e9;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const char op = operatorOf(constraint.op);
    if (!constraint.usable || !op) continue;
    for (std::size_t f = 0; f < filters.size(); ++f) {
      if (filters[f].column != constraint.iColumn || filters[f].operators.find(op) == std::string_view::npos) continue;
      plan += char('A' + f);
      info->aConstraintUsage[i].argvIndex = int(plan.size());
      cost /= op == '=' ? 100 : 4;
      break;
    }
  }
  info->idxStr = sqlite3_mprintf("%s", plan.c_str());
  info->needToFreeIdxStr = 1;
  info->estimatedCost = cost;
  info->estimatedRows = sqlite3_int64(cost);
  return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  *out = new Cursor();
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

SqlValue valueOf(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
  case SQLITE_INTEGER: return int64_t(sqlite3_value_int64(value));
  case SQLITE_FLOAT: return sqlite3_value_double(value);
  case SQLITE_TEXT:
    return std::string(reinterpret_cast<const char*>(sqlite3_value_text(value)), std::size_t(sqlite3_value_bytes(value)));
  case SQLITE_BLOB: {
    const auto* bytes = static_cast<const uint8_t*>(sqlite3_value_blob(value));
    return Blob(bytes, bytes + sqlite3_value_bytes(value));
  }
  default: return SqlNull();
  }
}

void advance(Cursor& cursor) {
  cursor.atEnd = !cursor.rows->next();
  ++cursor.row;
}

int filter(sqlite3_vtab_cursor* base, int, const char* plan, int argc, sqlite3_value** argv) {
  auto& cursor = *static_cast<Cursor*>(base);
  const Module& module = *static_cast<Table*>(base->pVtab)->module;
  return guarded(base->pVtab, [&] {
    std::string where;
    SqlParameters parameters;
    for (int i = 0; i < argc; ++i) {
      if (i > 0) where += " AND ";
      where += module.table.filters[std::size_t(plan[i] - 'A')].condition;
      parameters.push_back(valueOf(argv[i]));
    }
    cursor.rows = module.table.open(module.reader, where.empty() ? "1" : where, parameters);
    cursor.row = 0;
    advance(cursor);
  });
}

int next(sqlite3_vtab_cursor* base) {
  return guarded(base->pVtab, [&] { advance(*static_cast<Cursor*>(base)); });
}

int eof(sqlite3_vtab_cursor* base) { return static_cast<Cursor*>(base)->atEnd; }

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  return guarded(base->pVtab, [&] {
    const SqlCell cell = static_cast<Cursor*>(base)->rows->cell(index);
    if (const auto* number = std::get_if<int64_t>(&cell))
      sqlite3_result_int64(context, *number);
    else if (const auto* real = std::get_if<double>(&cell))
      sqlite3_result_double(context, *real);
    else if (const auto* text = std::get_if<std::string_view>(&cell))
      sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    else
      sqlite3_result_null(context);
  });
}

int rowId(sqlite3_vtab_cursor* base, sqlite3_int64* out) {
  *out = static_cast<Cursor*>(base)->row;
  return SQLITE_OK;
}

sqlite3_module makeModule() {
  sqlite3_module m{};
  m.iVersion = 1;
  m.xConnect = connect; // no xCreate: the table always exists, and cannot be created
  m.xBestIndex = bestIndex;
  m.xDisconnect = disconnect;
  m.xOpen = open;
  m.xClose = close;
  m.xFilter = filter;
  m.xNext = next;
  m.xEof = eof;
  m.xColumn = column;
  m.xRowid = rowId;
  return m;
}
const sqlite3_module kModule = makeModule();

} // namespace

void registerSqlTable(Reader& reader, const SqlTable& table) {
  auto* module = new Module{reader, table};
  const int code = sqlite3_create_module_v2(reader.connection().handle(), table.name.c_str(), &kModule, module,
                                            [](void* p) { delete static_cast<Module*>(p); });
  if (code != SQLITE_OK) reader.connection().fail(code, "register table " + table.name);
  declareTable(reader.connection(), table.name);
}

} // namespace reports
