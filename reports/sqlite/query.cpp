#include "reports/sqlite/query.h"

#include <sqlite3.h>

namespace reports {

namespace {
// Limits the length of values and makes time checks frequent, so that a step ends soon after its time limit. The destructor
// restores both.
class ShortSteps {
public:
  explicit ShortSteps(Connection& connection)
      : m_connection(connection), m_oldLength(sqlite3_limit(connection.handle(), SQLITE_LIMIT_LENGTH, kMostValueBytes)) {
    m_connection.watchEvery(kStepsBetweenLooks);
  }
  ~ShortSteps() {
    sqlite3_limit(m_connection.handle(), SQLITE_LIMIT_LENGTH, m_oldLength);
    m_connection.watchEvery(Connection::kUsualSteps);
  }
  ShortSteps(const ShortSteps&) = delete;
  ShortSteps& operator=(const ShortSteps&) = delete;

private:
  static constexpr int kMostValueBytes = 16 << 20, kStepsBetweenLooks = 20;
  Connection& m_connection;
  int m_oldLength;
};

constexpr std::size_t kMostRowBytes = std::size_t(64) << 20;

std::size_t bytesIn(const SqlValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return text->size();
  if (const auto* blob = std::get_if<Blob>(&value)) return blob->size();
  return 0;
}
} // namespace

QueryResult runQuery(Reader& reader, std::string_view sql, const QueryLimits& limits, std::stop_token stop,
                     const std::function<bool(const QueryResult&, const std::vector<SqlValue>&)>& fn) {
  Connection::Watch watch(reader.connection(), std::move(stop), limits.time);
  const ShortSteps shortSteps(reader.connection());
  Statement statement(reader.connection(), sql);
  QueryResult result;
  for (int i = 0; i < statement.columns(); ++i) result.columns.push_back(statement.columnName(i));
  std::vector<SqlValue> row(result.columns.size());
  for (int64_t n = 0; statement.step(); ++n) {
    if (n == limits.rows) {
      result.truncated = true;
      break;
    }
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = statement.value(int(i));
      bytes += bytesIn(row[i]);
      if (bytes > kMostRowBytes)
        throw Error(ErrorCode::Unsupported, "a row is longer than " + std::to_string(kMostRowBytes >> 20) + " MiB",
                    reader.connection().name(), "ask for fewer columns, or for length() of them");
    }
    reader.connection().throwIfDue();
    if (!fn(result, row)) break;
  }
  return result;
}

QueryResult runQuery(Reader& reader, std::string_view sql, const QueryLimits& limits, std::stop_token stop) {
  std::vector<std::vector<SqlValue>> rows;
  QueryResult result = runQuery(reader, sql, limits, std::move(stop), [&](const QueryResult&, const std::vector<SqlValue>& row) {
    rows.push_back(row);
    return true;
  });
  result.rows = std::move(rows);
  return result;
}

} // namespace reports
