#include "ui/tables/column_completer.h"

#include "ui/tables/row_filter.h"
#include "ui/tables/table_model.h"

#include <QLineEdit>
#include <QStringListModel>

namespace ui::tables {

namespace {
constexpr qsizetype kLeastLetters = 2; // with fewer letters, the list of names would cover the rows while the user types a word
}

ColumnCompleter::ColumnCompleter(QLineEdit& line, const TableModel& rows) : QCompleter(&line), m_line(line) {
  auto* titles = new QStringListModel(this);
  setModel(titles);
  setCaseSensitivity(Qt::CaseInsensitive);
  connect(&rows, &QAbstractItemModel::modelReset, this, [titles, &rows] {
    QStringList list;
    if (const auto table = rows.table())
      for (const Column& column : table->columns) list.append(column.title);
    if (titles->stringList() != list) titles->setStringList(list);
  });
}

QStringList ColumnCompleter::splitPath(const QString& typed) const {
  const QString beginning = columnBeginning(typed);
  // No title contains a line break, so this beginning offers nothing.
  return {beginning.size() < kLeastLetters ? QStringLiteral("\n") : beginning};
}

QString ColumnCompleter::pathFromIndex(const QModelIndex& index) const {
  const QString typed = m_line.text();
  return typed.left(typed.size() - columnBeginning(typed).size()) + QCompleter::pathFromIndex(index) + ' ';
}

} // namespace ui::tables
