// The SQL that creates a report, derived from the column lists in reports/rows. A report is an SQLite file with this
// application_id, and this schema version as user_version.
#pragma once

#include "reports/core/sqlite_head.h"
#include "reports/sqlite/connection.h"

#include <string>
#include <string_view>
#include <vector>

namespace reports {

inline constexpr int32_t kSchemaVersion = 15;
// Metadata of a report whose pages have checksums; its value names their layout. See checked_pages.h.
inline constexpr const char* kChecksumKey = "page_checksums";

struct ColumnText {
  std::string name, type, meaning, constraint;
  bool nullable = false;
};
struct TableText {
  std::string name, meaning;
  std::vector<ColumnText> columns;
};

const std::vector<TableText>& allTableTexts(); // in the order of SCHEMA.md
std::string quotedName(std::string_view name);
std::string createTableSql(const TableText& table);
std::string insertSql(const TableText& table);
std::string selectSql(const TableText& table, std::string_view where);
const std::vector<std::string>& indexSql();
// The part of SCHEMA.md that is generated from the column lists.
std::string schemaMarkdown();

void createSchema(Connection& connection); // pragmas, tables; the Writer makes indexes at commit

} // namespace reports
