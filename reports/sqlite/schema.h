// The SQL that creates a report, derived from the column lists in reports/rows. A report is an SQLite file with this
// application_id, and this schema version as user_version.
#pragma once

#include "reports/core/sqlite_head.h"
#include "reports/rows/tables.h"
#include "reports/sqlite/connection.h"

#include <string>
#include <type_traits>
#include <vector>

namespace reports {

inline constexpr int32_t kSchemaVersion = 15;
// Metadata of a report whose pages have checksums; its value names their layout. See checked_pages.h.
inline constexpr const char* kChecksumKey = "page_checksums";

template<class T> struct IsOptional : std::false_type { using Value = T; };
template<class T> struct IsOptional<std::optional<T>> : std::true_type { using Value = T; };

template<class T> constexpr std::string_view sqlType() {
  using V = typename IsOptional<T>::Value;
  if constexpr (std::is_same_v<V, int64_t>)
    return "INTEGER";
  else if constexpr (std::is_same_v<V, double>)
    return "REAL";
  else if constexpr (std::is_same_v<V, std::string>)
    return "TEXT";
  else {
    static_assert(std::is_same_v<V, Blob>, "a column type no report has");
    return "BLOB";
  }
}

struct ColumnText {
  std::string name, type, meaning, constraint;
  bool nullable = false;
};
struct TableText {
  std::string name, meaning;
  std::vector<ColumnText> columns;
};

template<class Row> TableText tableText() {
  TableText table{std::string(Row::kTable), std::string(Row::kMeaning), {}};
  std::apply(
      [&](const auto&... c) {
        const auto one = [&]<class T>(const Column<Row, T>& column) {
          table.columns.push_back({std::string(column.name), std::string(sqlType<T>()), std::string(column.meaning),
                                   std::string(column.constraint), IsOptional<T>::value});
        };
        (one(c), ...);
      },
      Row::columns());
  return table;
}

std::vector<TableText> allTableTexts(); // in the order of SCHEMA.md
std::string quotedName(std::string_view name);
std::string createTableSql(const TableText& table);
std::string insertSql(const TableText& table);
std::string selectSql(const TableText& table, std::string_view where);
const std::vector<std::string>& indexSql();
// The part of SCHEMA.md that is generated from the column lists.
std::string schemaMarkdown();

void createSchema(Connection& connection); // pragmas, tables; the Writer makes indexes at commit

} // namespace reports
