#include "reports/sqlite/reader.h"

#include "reports/core/progress.h"
#include "reports/core/text.h"
#include "reports/sqlite/checked_pages.h"
#include "reports/sqlite/harden.h"
#include "reports/sqlite/query_functions.h"
#include "reports/sqlite/report_file.h"
#include "reports/sqlite/row_io.h"
#include "reports/sqlite/sql_tables.h"
#include "reports/sqlite/upgrade.h"

#include <sqlite3.h>

#include <map>

namespace reports {

namespace {
// A normal report takes about a millisecond; only a malicious one takes this long.
constexpr std::chrono::milliseconds kOpenTime{1500};
constexpr int64_t kMostTables = 2000;

[[noreturn]] void damaged(const std::string& message, const std::string& name) {
  throw Error(ErrorCode::Damaged, message, name, "the report was made by a faulty program or is damaged");
}
} // namespace

TableCursor::TableCursor(Reader& reader, std::size_t table, std::string_view where, const SqlParameters& parameters)
    : m_parameters(parameters), m_statement(reader.connection(), selectSql(tableTextAt(table), where)), m_table(table),
      m_limits(reader.limits()) {
  m_statement.bindAll(m_parameters);
}

bool TableCursor::next(void* row) {
  if (!m_statement.step()) return false;
  readRow(m_statement, m_table, row, m_limits);
  return true;
}

Reader::Reader(const std::filesystem::path& path) : m_path(path) { open(); }

Reader::~Reader() = default;

int64_t Reader::countOf(std::string_view table) {
  Statement statement(connection(), "SELECT count(*) FROM " + quotedName(table));
  statement.step();
  return std::get<int64_t>(statement.value(0));
}

void Reader::open() {
  const ReportFile file = inspectReportFile(m_path);
  m_realPath = file.realPath;
  m_fileBytes = file.bytes;
  m_connection = std::make_unique<Connection>(m_realPath, Connection::Mode::ReadImmutable, displayText(m_path.string()));
  if (file.schemaVersion < 1)
    throw Error(ErrorCode::Unsupported,
                "report has schema version " + std::to_string(file.schemaVersion) + ", which was never published",
                m_connection->name(), "make it again");
  try {
    Connection::Watch watch(*m_connection, {}, kOpenTime);
    hardenConnection(*m_connection);
    layOverOlder(*m_connection, file.schemaVersion);
    registerSqlTables(*this);
    registerQueryFunctions(*m_connection);
    allowOnlySelect(*m_connection);
    verifyTables(file.schemaVersion);
    verifyContent();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Unsupported)
      damaged("its list of tables takes too much time or memory to read", m_connection->name());
    throw;
  }
}

namespace {
// Real STRICT tables of the file: name to true.
std::map<std::string, bool> realTables(Connection& connection) {
  std::map<std::string, bool> tables;
  Statement list(connection, "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'");
  while (list.step()) {
    std::string name;
    int64_t strict = 0;
    list.read(0, name, "name");
    list.read(1, strict, "strict");
    tables[name] = strict == 1;
  }
  return tables;
}

void verifyColumns(Connection& connection, const TableText& table, int version) {
  struct Stored {
    std::string type;
    bool notNull, ordinary;
  };
  std::map<std::string, Stored> stored;
  Statement list(connection, "SELECT name, type, \"notnull\", hidden FROM pragma_table_xinfo(?, 'main')");
  list.bind(1, table.name);
  while (list.step()) {
    std::string name, type;
    int64_t notNull = 0, hidden = 0;
    list.read(0, name, "name");
    list.read(1, type, "type");
    list.read(2, notNull, "notnull");
    list.read(3, hidden, "hidden");
    stored[name] = {type, notNull != 0, hidden == 0};
  }
  for (const auto& column : table.columns) {
    if (!columnIsSince(table.name, column.name, version)) continue;
    const auto found = stored.find(column.name);
    const std::string what = "table " + table.name + ", column " + column.name;
    if (found == stored.end()) damaged("the column is missing", connection.name() + ": " + what);
    if (!found->second.ordinary) damaged("the column is computed, not stored", connection.name() + ": " + what);
    if (found->second.type != column.type || (!column.nullable && !found->second.notNull))
      damaged("the column is not declared as it should be", connection.name() + ": " + what);
  }
}
} // namespace

void Reader::verifyTables(int version) {
  Statement entries(*m_connection, "SELECT count(*) FROM sqlite_schema");
  entries.step();
  if (std::get<int64_t>(entries.value(0)) > kMostTables) damaged("it has more tables than any report", m_connection->name());
  const auto tables = realTables(*m_connection);
  for (const auto& table : allTableTexts()) {
    if (!tableIsSince(table.name, version)) continue;
    const auto found = tables.find(table.name);
    if (found == tables.end()) damaged("it has no table " + table.name, m_connection->name());
    if (!found->second) damaged("table " + table.name + " is not STRICT", m_connection->name());
    verifyColumns(*m_connection, table, version);
  }
}

void Reader::verifyContent() {
  if (metadata("complete") != "1")
    throw Error(ErrorCode::Damaged, "unfinished report: it was never completed", m_connection->name(), "make it again");
  if (metadata(kChecksumKey) && !hasChecksums(m_connection->handle()))
    damaged("its header says that pages have no checksums, but they were written with them", m_connection->name());
  if (count<MachineRow>() > 1) damaged("table machine has more than one row", m_connection->name());
  try {
    m_machine = first<MachineRow>();
  } catch (const Error& error) {
    throw error.within(m_connection->name());
  }
  if (m_machine) m_limits.tiles = m_machine->ipus * m_machine->tilesPerIpu;
}

std::optional<std::string> Reader::metadata(std::string_view key) {
  const auto row = first<MetadataRow>("key = ?", {std::string(key)});
  if (!row) return std::nullopt;
  return row->value;
}

// Ids count from 0 without gaps, so a vector is enough; for a file with other ids, its size is limited to one entry per row.
const std::vector<std::string>& Reader::strings() {
  if (m_stringsLoaded) return m_strings;
  const int64_t n = count<StringRow>();
  std::vector<std::string> texts(static_cast<std::size_t>(n));
  RowCursor<StringRow> cursor(*this);
  for (StringRow row; cursor.next(row);) {
    if (row.id < 0 || row.id >= n) damaged("string ids are not 0 to " + std::to_string(n - 1), m_connection->name());
    texts[std::size_t(row.id)] = std::move(row.text);
  }
  m_strings = std::move(texts);
  m_stringsLoaded = true;
  return m_strings;
}

const std::string& Reader::text(int64_t stringId) {
  static const std::string missing = "(missing name)";
  return hasText(stringId) ? m_strings[std::size_t(stringId)] : missing;
}

void Reader::quickCheck(std::stop_token stop) {
  Connection::Watch watch(*m_connection, std::move(stop));
  Statement check(*m_connection, "PRAGMA quick_check(1)");
  std::string answer;
  if (check.step()) check.read(0, answer, "quick_check");
  if (damagedPage(m_connection->handle())) m_connection->fail(SQLITE_IOERR_DATA);
  if (answer != "ok")
    throw Error(ErrorCode::Damaged, "report is damaged: " + displayText(answer, 200), m_connection->name(),
                "make it again or copy it again");
}

} // namespace reports
