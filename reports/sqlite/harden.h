// Makes a connection safe for untrusted files and SQL: nothing can be written, attached, loaded or run, and memory
// and time have limits. SCHEMA.md says what a reader may rely on.
#pragma once

#include "reports/sqlite/connection.h"

namespace reports {

// Call right after opening, before the first statement.
void hardenConnection(Connection& connection);
// Makes SQLite (3.40) set up a built-in table. Call before allowOnlySelect(), whose authorizer would reject the first use of the
// table as a write.
void declareTable(Connection& connection, const std::string& name);
// From here on nothing can be written, not even temporary tables: only SELECT, harmless pragmas and `PRAGMA quick_check` work.
void allowOnlySelect(Connection& connection);

} // namespace reports
