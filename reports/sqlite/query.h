// Runs a user's SQL on an open report: one SELECT, with limits on rows and time.
#pragma once

#include "reports/sqlite/reader.h"

#include <chrono>
#include <functional>

namespace reports {

struct QueryLimits {
  int64_t rows = 100'000;
  std::chrono::milliseconds time{30'000};
};

struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<SqlValue>> rows;
  bool truncated = false; // there were more rows than the limit
};

// Throws Error: InvalidInput (does not parse, not allowed, several statements), Unsupported (took too long), Cancelled.
QueryResult runQuery(Reader& reader, std::string_view sql, const QueryLimits& limits = {}, std::stop_token stop = {});

// Runs the query row by row, in constant memory. fn gets a row and returns false to stop; the result contains no rows.
QueryResult runQuery(Reader& reader, std::string_view sql, const QueryLimits& limits, std::stop_token stop,
                     const std::function<bool(const QueryResult&, const std::vector<SqlValue>&)>& fn);

} // namespace reports
