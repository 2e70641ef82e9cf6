// Opens a finished report for reading only: the file is never changed, nothing in it is executed. Every kind of wrong file has a
// specific one-line Error. One Reader per thread; opening a second one of the same file takes about a millisecond.
#pragma once

#include "reports/rows/tables.h"
#include "reports/sqlite/row_check.h"
#include "reports/sqlite/statement.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace reports {

class Reader;

// Reads the rows of one table in order; see Reader::rows for `where`.
class TableCursor {
public:
  TableCursor(Reader& reader, std::size_t table, std::string_view where, const SqlParameters& parameters);
  bool next(void* row); // false at the end. Throws Error(Damaged) if a value has the wrong type or is impossible

private:
  SqlParameters m_parameters; // bound by reference
  Statement m_statement;
  std::size_t m_table;
  const RowLimits& m_limits;
};
template<class Row> class RowCursor {
public:
  RowCursor(Reader& reader, std::string_view where = {}, const SqlParameters& parameters = {})
      : m_cursor(reader, kTableNumber<Row>, where, parameters) {}
  bool next(Row& row) { return m_cursor.next(&row); }

private:
  TableCursor m_cursor;
};

class Reader {
public:
  // Throws Error: Io (missing, no permission, directory, device), InvalidInput (empty, too short, not SQLite, not a report),
  // Unsupported (schema too new), Damaged (truncated, damaged, unfinished, impossible counts).
  explicit Reader(const std::filesystem::path& path);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  const std::filesystem::path& path() const { return m_path; }         // as given
  const std::filesystem::path& realPath() const { return m_realPath; } // symbolic links resolved
  int64_t fileBytes() const { return m_fileBytes; }

  // Rows of a table in the order they were written (that is, by key). `where` is SQL after WHERE with ? for parameters,
  // optionally followed by ORDER BY and LIMIT, e.g. rows<SliceLevelRow>("track_id = ? AND depth = ?", {track, depth}).
  template<class Row>
  std::vector<Row> rows(std::string_view where = {}, const SqlParameters& parameters = {}, std::stop_token stop = {}) {
    std::vector<Row> all;
    forEach<Row>(
        where, parameters, [&](Row& row) { all.push_back(std::move(row)); }, std::move(stop));
    return all;
  }
  template<class Row> std::optional<Row> first(std::string_view where = {}, const SqlParameters& parameters = {}) {
    RowCursor<Row> cursor(*this, where, parameters);
    Row row;
    if (!cursor.next(row)) return std::nullopt;
    return row;
  }
  // Calls fn(Row&) for each row; the row object is reused, fn may move from it. Can be cancelled between and within rows.
  template<class Row, class Fn>
  void forEach(std::string_view where, const SqlParameters& parameters, Fn&& fn, std::stop_token stop = {}) {
    Connection::Watch watch(connection(), stop);
    RowCursor<Row> cursor(*this, where, parameters);
    Row row;
    while (cursor.next(row)) {
      if (stop.stop_requested()) throw Cancelled();
      fn(row);
    }
  }
  template<class Row> int64_t count() { return countOf(Row::kTable); }

  // The text of a string id. All texts are loaded at the first call. An unknown id gives "(missing name)".
  const std::string& text(int64_t stringId);
  bool hasText(int64_t stringId) { return stringId >= 0 && stringId < int64_t(strings().size()); }
  const std::vector<std::string>& strings();

  const std::optional<MachineRow>& machine() const { return m_machine; } // checked: its counts are plausible
  std::optional<std::string> metadata(std::string_view key);

  // SQLite's own check of every page. Slow for big files (about 3 s per GB): run it on another thread with a separate Reader.
  // Throws Error(Damaged) with the first problem.
  void quickCheck(std::stop_token stop = {});

  // For the user's SQL; see query.h. Only SELECT works, also on the tables that decode packed columns (sql_tables.h).
  Connection& connection() { return *m_connection; }
  void interrupt() { m_connection->interrupt(); } // any thread

  const RowLimits& limits() const { return m_limits; }

private:
  int64_t countOf(std::string_view table);
  void open();
  void verifyTables(int version);
  void verifyContent();

  std::filesystem::path m_path, m_realPath;
  int64_t m_fileBytes = 0;
  std::unique_ptr<Connection> m_connection;
  std::optional<MachineRow> m_machine;
  RowLimits m_limits;
  std::vector<std::string> m_strings;
  bool m_stringsLoaded = false;
};

} // namespace reports
