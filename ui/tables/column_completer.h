// Completes names of columns in the conditions of a filter: "bytes > 1MiB and un" offers "until".
#pragma once

#include <QCompleter>

class QLineEdit;

namespace ui::tables {

class TableModel;

class ColumnCompleter : public QCompleter {
  Q_OBJECT

public:
  ColumnCompleter(QLineEdit& line, const TableModel& rows);
  QStringList splitPath(const QString& typed) const override;
  QString pathFromIndex(const QModelIndex& index) const override;

private:
  QLineEdit& m_line;
};

} // namespace ui::tables
