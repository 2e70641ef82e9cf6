#include "ui/tables/table_export.h"

#include "ui/tables/table_model.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace ui::tables {

namespace {

QString unitSuffix(Kind kind) {
  switch (kind) {
  case Kind::Bytes:
  case Kind::BytesDelta: return QStringLiteral(" (bytes)");
  case Kind::Cycles:
  case Kind::CyclesDelta: return QStringLiteral(" (cycles)");
  case Kind::Nanoseconds:
  case Kind::NanosecondsDelta: return QStringLiteral(" (ns)");
  case Kind::Flops:
  case Kind::FlopsDelta: return QStringLiteral(" (FLOP)");
  default: return {};
  }
}

QString csvField(QString text) {
  if (!text.contains(QChar('"')) && !text.contains(QChar(',')) && !text.contains(QChar('\n'))) return text;
  return '"' + text.replace('"', QStringLiteral("\"\"")) + '"';
}

QString markdownField(QString text) { return text.replace('|', QStringLiteral("\\|")).replace('\n', ' '); }

QJsonValue jsonValue(const QModelIndex& index, Kind kind) {
  const QString plain = index.data(PlainRole).toString();
  if (!isNumeric(kind)) return plain;
  if (plain.isEmpty()) return QJsonValue::Null;
  bool whole = false;
  const qlonglong v = plain.toLongLong(&whole);
  return whole ? QJsonValue(v) : QJsonValue(plain.toDouble());
}

} // namespace

QString exportRows(const QAbstractItemModel& model, const QModelIndexList& chosen, ExportFormat format) {
  QModelIndexList rows = chosen;
  if (rows.isEmpty())
    for (int r = 0; r < model.rowCount(); ++r) rows.append(model.index(r, 0));
  const int columns = model.columnCount();
  QStringList titles;
  std::vector<Kind> kinds;
  for (int c = 0; c < columns; ++c) {
    kinds.push_back(rows.isEmpty() ? Kind::Text : Kind(rows.first().siblingAtColumn(c).data(KindRole).toInt()));
    titles.append(model.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString() + unitSuffix(kinds.back()));
  }
  if (format == ExportFormat::Json) {
    QJsonArray list;
    for (const QModelIndex& row : rows) {
      QJsonObject object;
      for (int c = 0; c < columns; ++c) object.insert(titles[c], jsonValue(row.siblingAtColumn(c), kinds[std::size_t(c)]));
      list.append(object);
    }
    return QString::fromUtf8(QJsonDocument(list).toJson());
  }
  const bool csv = format == ExportFormat::Csv;
  QString text;
  const auto line = [&](const QStringList& fields) {
    text += csv ? fields.join(',') + '\n' : "| " + fields.join(QStringLiteral(" | ")) + " |\n";
  };
  QStringList fields, rule;
  for (int c = 0; c < columns; ++c) {
    fields.append(csv ? csvField(titles[c]) : markdownField(titles[c]));
    rule.append(isNumeric(kinds[std::size_t(c)]) ? QStringLiteral("---:") : QStringLiteral("---"));
  }
  line(fields);
  if (!csv) line(rule);
  for (const QModelIndex& row : rows) {
    fields.clear();
    for (int c = 0; c < columns; ++c) {
      const QString plain = row.siblingAtColumn(c).data(PlainRole).toString();
      fields.append(csv ? csvField(plain) : markdownField(plain));
    }
    line(fields);
  }
  return text;
}

} // namespace ui::tables
