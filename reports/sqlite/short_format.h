// printf() and format() of SQL, equal to SQLite's, but bounded: SQLite pads to a width or precision byte by byte without a time
// check, so '%.*c' with 900,000,000 ran for half a minute.
#pragma once

#include "reports/sqlite/connection.h"

namespace reports {

// Replaces both functions on this connection. A field wider than kMostPadding is an error of the query.
void boundFormat(Connection& connection);
inline constexpr int64_t kMostPadding = 16 << 20; // characters: the maximum length of a value in a query

} // namespace reports
