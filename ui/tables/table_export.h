// Rows as text for other programs. Values are plain (no thousands, no unit); titles name the unit instead.
#pragma once

#include <QModelIndexList>
#include <QString>

class QAbstractItemModel;

namespace ui::tables {

enum class ExportFormat { Csv, Markdown, Json };

// `rows` are indices of column 0; empty means every top-level row.
QString exportRows(const QAbstractItemModel& model, const QModelIndexList& rows, ExportFormat format);

} // namespace ui::tables
