// SQL functions that SQLite (3.40) computes in quadratic time in one step, in which it checks neither the time limit nor
// Ctrl+C: instr, replace, trim, ltrim and rtrim are replaced by linear ones with the same results.
#pragma once

#include "reports/sqlite/connection.h"

namespace reports {

// Call once per connection, before the first query.
void registerQueryFunctions(Connection& connection);

} // namespace reports
