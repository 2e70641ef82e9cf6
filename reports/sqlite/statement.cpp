#include "reports/sqlite/statement.h"

#include "reports/core/text.h"

#include <sqlite3.h>

#include <limits>
#include <utility>

namespace reports {

namespace {
const char* storedType(int type) {
  switch (type) {
  case SQLITE_INTEGER: return "an integer";
  case SQLITE_FLOAT: return "a real number";
  case SQLITE_TEXT: return "text";
  case SQLITE_BLOB: return "a BLOB";
  default: return "NULL";
  }
}
Blob blobAt(sqlite3_stmt* statement, int column) {
  const auto* bytes = static_cast<const uint8_t*>(sqlite3_column_blob(statement, column));
  const int n = sqlite3_column_bytes(statement, column);
  return bytes ? Blob(bytes, bytes + n) : Blob();
}
std::string textAt(sqlite3_stmt* statement, int column) {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  const int n = sqlite3_column_bytes(statement, column);
  return bytes ? validUtf8(std::string_view(bytes, std::size_t(n))) : std::string();
}
bool onlySpaceAndComments(Connection& connection, const char* tail, const char* end) {
  while (tail < end) {
    sqlite3_stmt* next = nullptr;
    const char* after = nullptr;
    const int code = sqlite3_prepare_v2(connection.handle(), tail, int(end - tail), &next, &after);
    const bool something = next != nullptr;
    sqlite3_finalize(next);
    if (code != SQLITE_OK || something) return false;
    if (after == tail) break;
    tail = after;
  }
  return true;
}
} // namespace

Statement::Statement(Connection& connection, std::string_view sql) : m_connection(&connection) {
  if (sql.size() > std::size_t(std::numeric_limits<int>::max()))
    throw Error(ErrorCode::InvalidInput, "statement is too long", connection.name());
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v2(connection.handle(), sql.data(), int(sql.size()), &m_statement, &tail);
  if (code != SQLITE_OK) connection.fail(code);
  if (!m_statement) throw Error(ErrorCode::InvalidInput, "the text has no SQL statement", connection.name(), "write a SELECT");
  if (!onlySpaceAndComments(connection, tail, sql.data() + sql.size())) {
    sqlite3_finalize(m_statement);
    throw Error(ErrorCode::InvalidInput, "more than one statement", connection.name(), "run them one at a time");
  }
}

Statement::~Statement() { sqlite3_finalize(m_statement); }

Statement::Statement(Statement&& other) noexcept
    : m_connection(other.m_connection), m_statement(std::exchange(other.m_statement, nullptr)) {}

namespace {
void check(Connection& connection, int code) {
  if (code != SQLITE_OK) connection.fail(code, "bind");
}
} // namespace

void Statement::bind(int parameter, SqlNull) { check(*m_connection, sqlite3_bind_null(m_statement, parameter)); }
void Statement::bind(int parameter, int64_t value) { check(*m_connection, sqlite3_bind_int64(m_statement, parameter, value)); }
void Statement::bind(int parameter, double value) { check(*m_connection, sqlite3_bind_double(m_statement, parameter, value)); }
void Statement::bind(int parameter, std::string_view value) {
  const char* bytes = value.data() ? value.data() : "";
  check(*m_connection, sqlite3_bind_text64(m_statement, parameter, bytes, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}
void Statement::bind(int parameter, const Blob& value) {
  check(*m_connection, value.empty() ? sqlite3_bind_zeroblob(m_statement, parameter, 0)
                                     : sqlite3_bind_blob64(m_statement, parameter, value.data(), value.size(), SQLITE_STATIC));
}
void Statement::bind(int parameter, const SqlValue& value) {
  std::visit([&](const auto& v) { bind(parameter, v); }, value);
}
void Statement::bindAll(const SqlParameters& values) {
  if (int(values.size()) != sqlite3_bind_parameter_count(m_statement))
    throw Error(ErrorCode::Internal, "number of parameters does not match the statement", m_connection->name());
  for (std::size_t i = 0; i < values.size(); ++i) bind(int(i) + 1, values[i]);
}

bool Statement::step() {
  const int code = sqlite3_step(m_statement);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  m_connection->fail(code);
}

void Statement::reset() { sqlite3_reset(m_statement); }
int Statement::columns() const { return sqlite3_column_count(m_statement); }
std::string Statement::columnName(int column) const {
  const char* name = sqlite3_column_name(m_statement, column);
  return name ? validUtf8(name) : std::string();
}
bool Statement::isNull(int column) const { return sqlite3_column_type(m_statement, column) == SQLITE_NULL; }

SqlValue Statement::value(int column) const {
  switch (sqlite3_column_type(m_statement, column)) {
  case SQLITE_INTEGER: return int64_t(sqlite3_column_int64(m_statement, column));
  case SQLITE_FLOAT: return sqlite3_column_double(m_statement, column);
  case SQLITE_TEXT: return textAt(m_statement, column);
  case SQLITE_BLOB: return blobAt(m_statement, column);
  default: return SqlNull();
  }
}

void Statement::wrongType(int column, const char* wanted, std::string_view what) const {
  throw Error(ErrorCode::Damaged,
              std::string("column ") + std::string(what) + " should hold " + wanted + " and holds " +
                  storedType(sqlite3_column_type(m_statement, column)),
              m_connection->name());
}

void Statement::read(int column, int64_t& out, std::string_view what) const {
  if (sqlite3_column_type(m_statement, column) != SQLITE_INTEGER) wrongType(column, "an integer", what);
  out = sqlite3_column_int64(m_statement, column);
}
void Statement::read(int column, double& out, std::string_view what) const {
  if (sqlite3_column_type(m_statement, column) != SQLITE_FLOAT) wrongType(column, "a real number", what);
  out = sqlite3_column_double(m_statement, column);
}
void Statement::read(int column, std::string& out, std::string_view what) const {
  if (sqlite3_column_type(m_statement, column) != SQLITE_TEXT) wrongType(column, "text", what);
  out = textAt(m_statement, column);
}
void Statement::read(int column, Blob& out, std::string_view what) const {
  if (sqlite3_column_type(m_statement, column) != SQLITE_BLOB) wrongType(column, "a BLOB", what);
  const auto* bytes = static_cast<const uint8_t*>(sqlite3_column_blob(m_statement, column));
  const int n = sqlite3_column_bytes(m_statement, column);
  if (n == 0)
    out.clear();
  else if (!bytes)
    m_connection->fail(SQLITE_NOMEM);
  else
    out.assign(bytes, bytes + n);
}

} // namespace reports
