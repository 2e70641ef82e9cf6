#include "ui/views/query/query_tables.h"

#include "ui/theme/report_text.h"

#include <QObject>

namespace ui::query {

using tables::Cell;
using tables::Kind;

namespace {

bool isText(const analyser::query::Value& value) {
  return std::holds_alternative<std::string>(value) || std::holds_alternative<analyser::query::BlobSize>(value);
}

Kind kindOf(const analyser::query::Result& result, std::size_t column) {
  bool real = false, whole = false;
  for (const auto& row : result.rows) {
    if (isText(row[column])) return Kind::Text;
    real |= std::holds_alternative<double>(row[column]);
    whole |= std::holds_alternative<int64_t>(row[column]);
  }
  const std::string& name = result.columns[column];
  if (real) return Kind::Number;
  if (!whole) return Kind::Text;
  if (name == "address") return Kind::Address;
  return Kind::Count; // exact: a query wants the number itself, whatever its unit
}

Cell cellOf(const analyser::query::Value& value, Kind kind) {
  if (const auto* text = std::get_if<std::string>(&value)) return theme::reportText(*text);
  if (const auto* blob = std::get_if<analyser::query::BlobSize>(&value))
    return QObject::tr("BLOB of %1 bytes").arg(blob->bytes.value());
  if (const auto* whole = std::get_if<int64_t>(&value)) return kind == Kind::Number ? Cell(double(*whole)) : Cell(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return {};
}

} // namespace

std::shared_ptr<const tables::Table> resultTable(const analyser::query::Result& result) {
  auto table = std::make_shared<tables::Table>();
  std::vector<Kind> kinds;
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    kinds.push_back(kindOf(result, c));
    table->columns.push_back(
        {QStringLiteral("result.%1").arg(c), theme::reportText(result.columns[c]), kinds.back(), {}, 0, false});
  }
  for (const auto& values : result.rows) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    for (std::size_t c = 0; c < values.size(); ++c) row.cells.push_back(cellOf(values[c], kinds[c]));
    table->rows.push_back(std::move(row));
  }
  return table;
}

namespace {
constexpr int kSchemaName = 176; // pixels: the longest table name with its arrow
}

std::shared_ptr<const tables::Tree> schemaTree(const std::vector<analyser::query::SchemaTable>& list) {
  auto tree = std::make_shared<tables::Tree>();
  tree->columns = {{"table", QObject::tr("Table"), Kind::Text, {}, kSchemaName, false},
                   {"meaning", QObject::tr("Meaning"), Kind::Text, {}, 0, false}};
  const auto add = [&](int parent, const std::string& name, const std::string& meaning) {
    tables::TreeRow row;
    row.id = int64_t(tree->rows.size()), row.parent = parent;
    row.cells = {theme::reportText(name), theme::reportText(meaning)};
    tree->rows.push_back(std::move(row));
    return int(tree->rows.size()) - 1;
  };
  for (const auto& table : list) {
    const int parent = add(-1, table.name, table.meaning);
    for (const auto& column : table.columns)
      add(parent, column.name,
          (column.type.empty() ? "" : column.type + "  ") + (column.narrows ? "condition on it spares time" : column.meaning));
  }
  return tree;
}

} // namespace ui::query
