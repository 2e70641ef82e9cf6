#include "reports/sqlite/short_format.h"

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace reports {

namespace {

struct Close {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

// SQLite's own functions, on a connection without tables.
struct Original {
  std::unique_ptr<sqlite3, Close> db;
};

// Whether widths and precisions sum to more than kMostPadding. A '*' reads
// the next argument like SQLite: a text counts as its leading number.
bool isTooWide(std::string_view format, sqlite3_value** arguments, int count) {
  int64_t all = 0;
  int next = 1; // argument
  const auto add = [&](int64_t width) {
    if (width > kMostPadding || width < -kMostPadding) return false;
    return (all += width < 0 ? -width : width) <= kMostPadding;
  };
  for (std::size_t at = format.find('%'); at != std::string_view::npos; at = format.find('%', at)) {
    int64_t width = 0;
    for (++at; at < format.size() && std::string_view("0123456789.-+ #,!*").find(format[at]) != std::string_view::npos; ++at) {
      const char c = format[at];
      if (c >= '0' && c <= '9') {
        if ((width = width * 10 + (c - '0')) > kMostPadding) return true;
        continue;
      }
      if (!add(std::exchange(width, 0))) return true;
      if (c == '*' && next < count && !add(sqlite3_value_int64(arguments[next++]))) return true;
    }
    if (!add(width)) return true;
    if (at >= format.size()) break;
    if (format[at] != '%' && format[at] != 'n') ++next; // the conversion takes an argument
    ++at;
  }
  return false;
}

void format(sqlite3_context* context, int count, sqlite3_value** arguments) {
  if (count == 0) return sqlite3_result_null(context);
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(arguments[0]));
  if (!text) return sqlite3_result_null(context);
  if (isTooWide({text, std::size_t(sqlite3_value_bytes(arguments[0]))}, arguments, count))
    return sqlite3_result_error(context, "the fields of format() are wider than 16 MiB", -1);
  std::string sql = "SELECT format(?";
  for (int i = 1; i < count; ++i) sql += ",?";
  sql += ")";
  sqlite3* db = static_cast<Original*>(sqlite3_user_data(context))->db.get();
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(db, sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK)
    return sqlite3_result_error(context, sqlite3_errmsg(db), -1);
  const std::unique_ptr<sqlite3_stmt, Finalize> statement(prepared);
  for (int i = 0; i < count; ++i) sqlite3_bind_value(prepared, i + 1, arguments[i]);
  if (sqlite3_step(prepared) != SQLITE_ROW) return sqlite3_result_error(context, sqlite3_errmsg(db), -1);
  sqlite3_result_value(context, sqlite3_column_value(prepared, 0));
}

} // namespace

void boundFormat(Connection& connection) {
  for (const char* name : {"printf", "format"}) {
    auto original = std::make_unique<Original>();
    sqlite3* db = nullptr;
    const int code = sqlite3_open(":memory:", &db);
    original->db.reset(db);
    if (code != SQLITE_OK)
      throw Error(ErrorCode::Io, "SQL functions cannot be set up", connection.name(), "free some memory and try again");
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, sqlite3_limit(connection.handle(), SQLITE_LIMIT_LENGTH, -1));
    // SQLite also frees the data if it rejects the function.
    sqlite3_create_function_v2(connection.handle(), name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                               original.release(), &format, nullptr, nullptr,
                               [](void* data) { delete static_cast<Original*>(data); });
  }
}

} // namespace reports
