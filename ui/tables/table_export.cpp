#include "ui/tables/table_export.h"

#include "analyser/session/format.h"
#include "ui/tables/table_model.h"
#include "ui/theme/whole_file.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSet>

#include <algorithm>

namespace ui::tables {

namespace {

QString titleWithUnit(const QString& title, Kind kind) {
  return QString::fromStdString(analyser::columns::titleWithUnit(title.toStdString(), kind));
}

QString csvField(const QString& text, bool isText) {
  return QString::fromStdString(analyser::csvField(text.toStdString(), isText));
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

QString jsonText(const QJsonValue& value) {
  if (value.isNull()) return QStringLiteral("null");
  const QByteArray one = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
  return QString::fromUtf8(one.mid(1, one.size() - 2)); // without the brackets
}

// A member of an object, written by hand: QJsonObject would sort its members by name, but the order of the columns matters.
QString jsonMember(const QString& key, const QString& value) {
  return QStringLiteral("        ") + key + QStringLiteral(": ") + value;
}

// The keys in JSON. If two columns have one title: "Cycles", "Cycles 2".
QStringList keysOf(const QStringList& titles) {
  QStringList keys;
  QSet<QString> used;
  for (const QString& title : titles) {
    QString key = title;
    for (int alike = 2; used.contains(key); ++alike) key = QStringLiteral("%1 %2").arg(title).arg(alike);
    used.insert(key);
    keys << jsonText(key);
  }
  return keys;
}

const QString kDepth = QStringLiteral("Depth");

int depthOf(QModelIndex row) {
  int depth = 0;
  while ((row = row.parent()).isValid()) ++depth;
  return depth;
}

// Depth first, with an explicit stack.
QModelIndexList allRows(const QAbstractItemModel& model) {
  QModelIndexList rows, open;
  for (int r = model.rowCount(); r-- > 0;) open.append(model.index(r, 0));
  while (!open.isEmpty()) {
    const QModelIndex row = open.takeLast();
    rows.append(row);
    for (int r = model.rowCount(row); r-- > 0;) open.append(model.index(r, 0, row));
  }
  return rows;
}

// The line of totals is not data: a script that sums a column would count everything twice. Markdown, for readers, has it below the rows.
QModelIndexList dataRows(const QAbstractItemModel& model, ExportFormat format) {
  QModelIndexList rows = allRows(model);
  if (rows.isEmpty() || !rows.front().data(TotalRole).toBool()) return rows;
  const QModelIndex totals = rows.takeFirst();
  if (format == ExportFormat::Markdown) rows.append(totals);
  return rows;
}

} // namespace

QString writeRows(const QAbstractItemModel& model, const QString& file) {
  const QString ending = QFileInfo(file).suffix().toLower();
  if (ending != QLatin1String("csv") && ending != QLatin1String("md") && ending != QLatin1String("json"))
    return QObject::tr("A table cannot be written as .%1: choose a name that ends in .csv, .md or .json.").arg(ending);
  const QByteArray text = exportRows(model, {},
                                     ending == QLatin1String("csv")  ? ExportFormat::Csv
                                     : ending == QLatin1String("md") ? ExportFormat::Markdown
                                                                     : ExportFormat::Json)
                              .toUtf8();
  const QString why = theme::writeWhole(file, text);
  return why.isEmpty() ? why : QObject::tr("The table could not be written to %1: %2").arg(file, why);
}

QString exportRows(const QAbstractItemModel& model, const QModelIndexList& chosen, ExportFormat format) {
  const QModelIndexList rows = chosen.isEmpty() ? dataRows(model, format) : chosen;
  const bool isTree =
      chosen.isEmpty() && std::any_of(rows.begin(), rows.end(), [](const QModelIndex& r) { return r.parent().isValid(); });
  const int columns = model.columnCount();
  QStringList titles;
  std::vector<Kind> kinds;
  for (int c = 0; c < columns; ++c) {
    kinds.push_back(rows.isEmpty() ? Kind::Text : Kind(rows.first().siblingAtColumn(c).data(KindRole).toInt()));
    titles.append(titleWithUnit(model.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString(), kinds.back()));
  }
  if (format == ExportFormat::Json) {
    QStringList objects;
    const QStringList keys = keysOf(titles + QStringList{kDepth});
    for (const QModelIndex& row : rows) {
      QStringList members;
      for (int c = 0; c < columns; ++c)
        members << jsonMember(keys[c], jsonText(jsonValue(row.siblingAtColumn(c), kinds[std::size_t(c)])));
      if (isTree) members << jsonMember(keys.back(), QString::number(depthOf(row)));
      objects << QStringLiteral("    {\n%1\n    }").arg(members.join(QStringLiteral(",\n")));
    }
    return QStringLiteral("[\n%1\n]\n").arg(objects.join(QStringLiteral(",\n")));
  }
  const bool csv = format == ExportFormat::Csv;
  QString text;
  const auto line = [&](const QStringList& fields) {
    text += csv ? fields.join(',') + '\n' : "| " + fields.join(QStringLiteral(" | ")) + " |\n";
  };
  QStringList fields, rule;
  for (int c = 0; c < columns; ++c) {
    fields.append(csv ? csvField(titles[c], true) : markdownField(titles[c]));
    rule.append(isNumeric(kinds[std::size_t(c)]) ? QStringLiteral("---:") : QStringLiteral("---"));
  }
  if (isTree) fields.append(kDepth), rule.append(QStringLiteral("---:"));
  line(fields);
  if (!csv) line(rule);
  for (const QModelIndex& row : rows) {
    fields.clear();
    for (int c = 0; c < columns; ++c) {
      // Markdown is for readers: a share has the digits that the window shows.
      const bool isShown = !csv && kinds[std::size_t(c)] == Kind::Percent;
      const QString plain = row.siblingAtColumn(c).data(isShown ? int(Qt::DisplayRole) : int(PlainRole)).toString();
      fields.append(csv ? csvField(plain, !isNumeric(kinds[std::size_t(c)])) : markdownField(plain));
    }
    if (isTree) fields.append(QString::number(depthOf(row)));
    line(fields);
  }
  return text;
}

} // namespace ui::tables
