// SQL functions of the user that SQLite (3.40) computes in quadratic time in one step, in which no time limit and no Ctrl+C is
// seen: instr, replace, trim, ltrim and rtrim are replaced by linear ones with the same results.
#pragma once

#include "reports/sqlite/connection.h"

namespace reports {

// To call once per connection, before the first query.
void registerQueryFunctions(Connection& connection);

} // namespace reports
