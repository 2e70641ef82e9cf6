// Makes a connection safe for untrusted files and SQL: nothing can be written, attached, loaded or run, and memory
// and time have limits. SCHEMA.md says what a reader may rely on.
#pragma once

#include "reports/sqlite/connection.h"

namespace reports {

// To call right after opening, before the first statement.
void hardenConnection(Connection& connection);
// Makes SQLite (3.40) set up a built-in table: its first use looks like a write to the authorizer, so it must come before.
void declareTable(Connection& connection, const std::string& name);
// From here on nothing is written, not even to the temporary schema: only SELECT and a few harmless pragmas. `PRAGMA quick_check` stays possible.
void allowOnlySelect(Connection& connection);

} // namespace reports
