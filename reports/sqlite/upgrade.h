// Opens older reports unchanged: the file is neither modified nor copied. Missing tables and columns are added in the
// connection's temporary schema, as empty tables and as views with NULL, so that every reader sees the current schema.
#pragma once

#include "reports/sqlite/schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace reports {

// A table or column that a schema version added. An added column may be NULL.
struct SchemaAddition {
  int version = 0;
  std::string_view table;
  std::string_view column; // empty: the whole table
};

// All additions since version 1, the first published schema.
const std::vector<SchemaAddition>& schemaAdditions();

bool tableIsSince(std::string_view table, int version);                           // whether files of `version` have the table
bool columnIsSince(std::string_view table, std::string_view column, int version); // for a table that they have

// Call while the connection still accepts CREATE; `version` is the file's, from 1.
void layOverOlder(Connection& connection, int version);

} // namespace reports
