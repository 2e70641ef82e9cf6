// printf() and format() of SQL, as SQLite has them, but with a bound: SQLite pads to a width or precision byte by byte without
// checking the clock, so '%.*c' with 900,000,000 ran for half a minute.
#pragma once

#include "reports/sqlite/connection.h"

namespace reports {

// Takes the place of both functions on this connection. A wider field than kMostPadding is an error of the query.
void boundFormat(Connection& connection);
inline constexpr int64_t kMostPadding = 16 << 20; // characters: as long as a value of a query may be

} // namespace reports
