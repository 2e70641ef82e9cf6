#include "reports/sqlite/query.h"

namespace reports {

QueryResult runQuery(Reader& reader, std::string_view sql, const QueryLimits& limits, std::stop_token stop,
                     const std::function<bool(const QueryResult&, const std::vector<SqlValue>&)>& fn) {
  Connection::Watch watch(reader.connection(), std::move(stop), limits.time);
  Statement statement(reader.connection(), sql);
  QueryResult result;
  for (int i = 0; i < statement.columns(); ++i) result.columns.push_back(statement.columnName(i));
  std::vector<SqlValue> row(result.columns.size());
  for (int64_t n = 0; statement.step(); ++n) {
    if (n == limits.rows) {
      result.truncated = true;
      break;
    }
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = statement.value(int(i));
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
