// Rows as text for other programs. Values are plain (no thousands, no unit); titles name the unit instead.
#pragma once

#include <QModelIndexList>
#include <QString>

class QAbstractItemModel;

namespace ui::tables {

enum class ExportFormat { Csv, Markdown, Json };

// `rows` are indices of column 0; empty means every row, of a tree depth first with a column that says how deep.
QString exportRows(const QAbstractItemModel& model, const QModelIndexList& rows, ExportFormat format);

// Writes every row as the ending of the name says: .csv, .md or .json. The file is written whole or not at all. Returns why not.
QString writeRows(const QAbstractItemModel& model, const QString& file);

} // namespace ui::tables
