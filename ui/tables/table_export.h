// Rows as text for other programs. Values are plain (no thousands, no unit); titles name the unit instead.
#pragma once

#include <QModelIndexList>
#include <QString>

class QAbstractItemModel;

namespace ui::tables {

enum class ExportFormat { Csv, Markdown, Json };

// `rows` are indices of column 0; empty: every row; for a tree depth first, with a column for the depth.
QString exportRows(const QAbstractItemModel& model, const QModelIndexList& rows, ExportFormat format);

// Writes every row as .csv, .md or .json, by the file's extension. Writes all or nothing. Returns the reason of a failure.
QString writeRows(const QAbstractItemModel& model, const QString& file);

} // namespace ui::tables
