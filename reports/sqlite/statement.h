// One owned prepared statement. Values are read by their
// stored type: text in an integer column is damage, not zero.
#pragma once

#include "reports/core/packed.h"
#include "reports/sqlite/connection.h"

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

struct sqlite3_stmt;

namespace reports {

// NULL. Its copy is deliberately not trivial: libstdc++ 12 assumes that a variant of strings, vectors and trivial types always
// holds a value, and destroys an invalid one if the copy of a string runs out of memory.
struct SqlNull {
  SqlNull() = default;
  SqlNull(const SqlNull&) noexcept {}
  SqlNull& operator=(const SqlNull&) noexcept { return *this; }
  bool operator==(const SqlNull&) const { return true; }
};
using SqlValue = std::variant<SqlNull, int64_t, double, std::string, Blob>;
using SqlParameters = std::vector<SqlValue>;

class Statement {
public:
  // Rejects more than one statement in `sql`. Throws Error(InvalidInput) with SQLite's message if it does not parse.
  Statement(Connection& connection, std::string_view sql);
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;

  // Parameters count from 1. Text and BLOBs must outlive the next reset() or destruction.
  void bind(int parameter, SqlNull);
  void bind(int parameter, int64_t value);
  void bind(int parameter, double value);
  void bind(int parameter, std::string_view value);
  void bind(int parameter, const std::string& value) { bind(parameter, std::string_view(value)); }
  void bind(int parameter, const Blob& value);
  void bind(int parameter, const SqlValue& value);
  template<class T> void bind(int parameter, const std::optional<T>& value) {
    value ? bind(parameter, *value) : bind(parameter, SqlNull());
  }
  void bindAll(const SqlParameters& values);

  bool step();  // true while there is a row
  void reset(); // ready to run again with new values
  void run() {  // for statements without rows
    while (step()) {
    }
    reset();
  }

  int columns() const;
  std::string columnName(int column) const;
  SqlValue value(int column) const; // whatever is stored
  bool isNull(int column) const;
  // Typed reads. Throw Error(Damaged) naming `what` if the stored type differs.
  void read(int column, int64_t& out, std::string_view what) const;
  void read(int column, double& out, std::string_view what) const;
  void read(int column, std::string& out, std::string_view what) const; // made valid UTF-8
  void read(int column, Blob& out, std::string_view what) const;
  template<class T> void read(int column, std::optional<T>& out, std::string_view what) const {
    if (isNull(column)) return out.reset();
    read(column, out.emplace(), what);
  }

private:
  [[noreturn]] void wrongType(int column, const char* wanted, std::string_view what) const;
  Connection* m_connection;
  sqlite3_stmt* m_statement = nullptr;
};

} // namespace reports
