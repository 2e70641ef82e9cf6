#include "ui/views/query/query_tables.h"

#include "ui/theme/report_text.h"

#include <QObject>
#include <QRegularExpression>

#include <algorithm>
#include <map>

namespace ui::query {

using analyser::columns::Thing;
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
  return Kind::Count; // exact: the user of a query wants the number itself, whatever its unit
}

Cell cellOf(const analyser::query::Value& value, Kind kind) {
  if (const auto* text = std::get_if<std::string>(&value)) return theme::reportText(*text);
  if (const auto* blob = std::get_if<analyser::query::BlobSize>(&value))
    return QObject::tr("BLOB of %1 bytes").arg(blob->bytes.value());
  if (const auto* whole = std::get_if<int64_t>(&value)) return kind == Kind::Number ? Cell(double(*whole)) : Cell(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return {};
}

// What the integers of a column identify, by the column's name. Column `id` counts only if the query reads a single table of such
// items.
std::optional<Thing> thingOf(const std::string& column, const std::string& sql) {
  static const std::map<std::string, Thing> kColumns = {{"variable_id", Thing::Variable},
                                                        {"program_step_id", Thing::Step},
                                                        {"callee_id", Thing::Step},
                                                        {"operation_id", Thing::Operation},
                                                        {"tile", Thing::Tile},
                                                        {"max_tile", Thing::Tile},
                                                        {"sender", Thing::Tile},
                                                        {"receiver", Thing::Tile},
                                                        {"vertex_type_id", Thing::VertexType},
                                                        {"compute_set_id", Thing::ComputeSet},
                                                        {"first_tile", Thing::Tile}};
  static const std::map<QString, Thing> kTables = {{"variable", Thing::Variable},
                                                   {"program_step", Thing::Step},
                                                   {"operation", Thing::Operation},
                                                   {"vertex_type", Thing::VertexType},
                                                   {"compute_set", Thing::ComputeSet}};
  if (const auto known = kColumns.find(column); known != kColumns.end()) return known->second;
  static const QRegularExpression kFrom(QStringLiteral("\\bfrom\\s+(\\w+)"), QRegularExpression::CaseInsensitiveOption),
      kJoin(QStringLiteral("\\bjoin\\b|\\bfrom\\b[^)]*,"), QRegularExpression::CaseInsensitiveOption);
  const QString text = QString::fromStdString(sql);
  if (column != "id" || text.contains(kJoin)) return std::nullopt;
  const auto table = kTables.find(kFrom.match(text).captured(1).toLower());
  return table == kTables.end() ? std::nullopt : std::optional(table->second);
}

} // namespace

std::shared_ptr<const tables::Table> resultTable(const analyser::query::Result& result, const std::string& sql) {
  auto table = std::make_shared<tables::Table>();
  std::vector<Kind> kinds;
  std::vector<std::optional<Thing>> things;
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    kinds.push_back(kindOf(result, c));
    things.push_back(thingOf(result.columns[c], sql));
    table->columns.push_back(
        {QStringLiteral("result.%1").arg(c), theme::reportText(result.columns[c]), kinds.back(), {}, 0, false});
  }
  for (const auto& values : result.rows) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    for (std::size_t c = 0; c < values.size(); ++c) {
      row.cells.push_back(cellOf(values[c], kinds[c]));
      const auto* id = std::get_if<int64_t>(&values[c]);
      if (!things[c] || !id || *id < 0) continue;
      const analyser::columns::Subject subject{*things[c], *id};
      if (std::find(row.about.begin(), row.about.end(), subject) == row.about.end()) row.about.push_back(subject);
    }
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
          (column.type.empty() ? "" : column.type + "  ") +
              (column.narrows ? "a condition on it makes the query faster" : column.meaning));
  }
  return tree;
}

} // namespace ui::query
