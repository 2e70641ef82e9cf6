#include "analyser/tables/table_text.h"

#include "analyser/query/query.h"
#include "analyser/session/format.h"
#include "analyser/session/text_table.h"
#include "reports/core/error.h"

#include <fmt/format.h>

#include <numeric>

namespace analyser::tables {

namespace {

using columns::Cell;
using columns::Kind;
using columns::Table;

std::size_t columnCalled(const Table& table, const std::string& id, const char* option) {
  std::string known;
  for (std::size_t c = 0; c < table.titles.size(); ++c) {
    if (table.titles[c].id == id) return c;
    known += (c ? ", " : "") + table.titles[c].id;
  }
  throw reports::Error(reports::ErrorCode::InvalidInput, "the table has no column '" + printable(id) + "'", option,
                       "choose among " + known);
}

bool isUnknown(const Cell& cell) { return std::holds_alternative<std::monostate>(cell); }

double numberOf(const Cell& cell) {
  const auto* whole = std::get_if<int64_t>(&cell);
  return whole ? double(*whole) : std::get<double>(cell);
}

bool comesBefore(const Cell& a, const Cell& b) {
  if (isUnknown(a) || isUnknown(b)) return !isUnknown(a) && isUnknown(b);
  const auto* text = std::get_if<std::string>(&a);
  const auto* other = std::get_if<std::string>(&b);
  if (text || other) return text && other ? *text < *other : other != nullptr;
  const auto* whole = std::get_if<int64_t>(&a);
  const auto* second = std::get_if<int64_t>(&b);
  return whole && second ? *whole > *second : numberOf(a) > numberOf(b);
}

std::string withPlus(const std::string& text, int64_t value) { return value > 0 ? "+" + text : text; }

std::string wholeText(int64_t value, Kind kind) {
  switch (kind) {
  case Kind::Bytes: return formatBytes(Bytes(value));
  case Kind::BytesDelta: return formatSignedBytes(Bytes(value));
  case Kind::Nanoseconds: return formatNanoseconds(reports::Nanoseconds(value));
  case Kind::NanosecondsDelta: return withPlus(formatNanoseconds(reports::Nanoseconds(value)), value);
  case Kind::Address: return fmt::format("{:#07x}", value);
  default: return columns::isDelta(kind) ? formatSignedCount(value) : formatCount(value);
  }
}

std::string cellText(const Cell& cell, Kind kind) {
  if (const auto* text = std::get_if<std::string>(&cell)) return printable(*text);
  if (const auto* whole = std::get_if<int64_t>(&cell)) return wholeText(*whole, kind);
  if (const auto* real = std::get_if<double>(&cell))
    return kind == Kind::Percent        ? formatPercent(*real)
           : kind == Kind::PercentDelta ? formatSignedPercent(*real)
                                        : formatThreeDigits(*real);
  return "-";
}

// Bytes and times have their unit in the cell, the other units are in the title.
std::string titleOf(const Table::Title& title) {
  const bool inCell = title.kind == Kind::Bytes || title.kind == Kind::BytesDelta || title.kind == Kind::Nanoseconds ||
                      title.kind == Kind::NanosecondsDelta;
  return printable(inCell ? title.text : columns::titleWithUnit(title.text, title.kind));
}

query::Result plain(const Table& table) {
  query::Result result;
  for (const Table::Title& title : table.titles) result.columns.push_back(title.id);
  for (const auto& row : table.rows) {
    auto& values = result.rows.emplace_back();
    for (const Cell& cell : row)
      values.push_back(std::visit(
          [](const auto& value) -> query::Value {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
              return query::Null();
            else
              return value;
          },
          cell));
  }
  return result;
}

} // namespace

void keepColumns(Table& table, const std::vector<std::string>& ids) {
  if (ids.empty()) return;
  std::vector<std::size_t> kept;
  for (const std::string& id : ids) kept.push_back(columnCalled(table, id, "--columns"));
  Table shown;
  for (const std::size_t c : kept) {
    if (int(c) == table.sort) shown.sort = int(shown.titles.size());
    shown.titles.push_back(table.titles[c]);
  }
  for (auto& row : table.rows) {
    auto& cells = shown.rows.emplace_back();
    for (const std::size_t c : kept) cells.push_back(row[c]);
  }
  table = std::move(shown);
}

void sortRows(Table& table, const std::string& id) {
  const int by = id.empty() ? table.sort : int(columnCalled(table, id, "--sort"));
  if (by < 0) return;
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [by](const auto& a, const auto& b) { return comesBefore(a[std::size_t(by)], b[std::size_t(by)]); });
}

std::string textOf(const Table& table, TextForm form) {
  if (form == TextForm::Csv) return query::formatCsv(plain(table));
  if (form == TextForm::Json) return query::formatJson(plain(table));
  std::vector<TextColumn> titles;
  for (const Table::Title& title : table.titles) titles.push_back({titleOf(title), columns::isNumeric(title.kind)});
  TextRows rows;
  for (const auto& row : table.rows) {
    auto& cells = rows.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) cells.push_back(cellText(row[c], table.titles[c].kind));
  }
  return form == TextForm::Markdown ? markdownTable(titles, rows) : alignedTable(titles, rows);
}

std::string columnsOf(const Table& table, TextForm form) {
  Table list;
  for (const auto& [id, title] : {std::pair{"id", "Id"}, {"title", "Title"}, {"unit", "Unit"}, {"meaning", "Meaning"}})
    list.titles.push_back({id, title, {}, Kind::Text});
  for (const Table::Title& title : table.titles) {
    const bool isShare = title.kind == Kind::Percent || title.kind == Kind::PercentDelta;
    list.rows.push_back(
        {title.id, title.text, isShare ? std::string("share, 0 to 1") : std::string(columns::unitOf(title.kind)), title.meaning});
  }
  return textOf(list, form);
}

} // namespace analyser::tables
