// One read-only SQL statement on a report, with limits on rows, time and size. It uses the Reader's hardened connection: nothing
// can be written, attached or loaded.
#pragma once

#include "analyser/session/session.h"
#include "reports/sqlite/statement.h"

#include <chrono>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

namespace analyser::query {

// NULL, integer, real, text, or the size of a BLOB in bytes (its content is packed: use the tables that decode it).
struct BlobSize {
  Bytes bytes;
  bool operator==(const BlobSize&) const = default;
};
using Null = reports::SqlNull;
using Value = std::variant<Null, int64_t, double, std::string, BlobSize>;

struct Limits {
  std::size_t maxRows = 100'000;
  std::chrono::milliseconds maxTime{30'000};
  Bytes maxBytes{int64_t(1) << 30}; // limit of the result in memory
};

struct Result {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
  bool truncated = false; // more rows than maxRows
  std::chrono::nanoseconds elapsed{};
};

// Throws Error: InvalidInput with SQLite's message for bad SQL or a forbidden statement; Unsupported for a statement that takes
// too long or gives more than maxBytes.
Result run(Session& session, const std::string& sql, const Limits& limits = {}, std::stop_token stop = {});

// Tables with their columns, types and meanings, for completion and the schema tree. Tables that decode packed columns come
// first, because most queries need them.
struct SchemaColumn {
  std::string name, type, meaning; // meaning: empty for columns of tables that decode
  bool narrows = false;            // a condition on the column limits the rows that are decoded
};
struct SchemaTable {
  std::string name, meaning;
  bool decodes = false;
  std::vector<SchemaColumn> columns;
};
std::vector<SchemaTable> schemaTables();
// Example questions, as a name and its SQL.
struct SavedQuery {
  std::string name, sql;
};
std::vector<SavedQuery> exampleQueries();

std::string valueText(const Value& value);
std::string formatTable(const Result& result);
// RFC 4180; text that a spreadsheet would read as a formula (=, +, -, @ first) is prefixed with an apostrophe.
std::string formatCsv(const Result& result);
std::string formatJson(const Result& result); // an array of objects; BLOBs as {"blob_bytes": n}

} // namespace analyser::query
