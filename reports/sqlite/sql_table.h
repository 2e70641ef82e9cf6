// An SQL table whose rows are computed by C++ code: the thin layer between SQLite's virtual tables and SqlRows.
#pragma once

#include "reports/sqlite/statement.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

struct sqlite3;

namespace reports {

class Reader;

using SqlCell = std::variant<std::monostate, int64_t, double, std::string_view>; // monostate is NULL

// The rows of one scan. Starts before the first row.
class SqlRows {
public:
  virtual ~SqlRows() = default;
  virtual bool next() = 0; // false at the end
  virtual SqlCell cell(int column) const = 0;
};

// A condition on a column that limits which stored rows are decoded. `condition` may match too many rows, because SQLite checks
// every row again. `operators` are the supported ones of = < <= > >=, written as '=', '<' and '>' (which include equality).
struct SqlFilter {
  int column;
  std::string_view operators;
  std::string_view condition; // on the stored table, with one ?
};

struct SqlTable {
  std::string name, meaning, declaration;
  std::vector<SqlFilter> filters;
  std::function<std::unique_ptr<SqlRows>(Reader&, const std::string& where, const SqlParameters&)> open;
};

// `table` must live as long as the program, `reader` as long as its connection.
void registerSqlTable(Reader& reader, const SqlTable& table);

} // namespace reports
