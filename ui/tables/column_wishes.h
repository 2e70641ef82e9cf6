// The user's column choice, from the menu of a header: columns that are always shown, and columns that are never shown. By id, so that
// the choice holds for the next table of the same kind.
#pragma once

#include "ui/tables/column_fit.h"

#include <QSet>
#include <QString>

#include <functional>
#include <vector>

class QAbstractItemView;
class QHeaderView;
class QPoint;

namespace ui::tables {

inline const QString kColumnsAction = QStringLiteral("columns"); // object name of the action that opens the choice

// The id of the column; empty if the header has no such column.
QString columnId(const QHeaderView& header, int column);

class ColumnWishes {
public:
  // Gives the header a menu of its columns, and the view an action that opens it; `changed` must lay out the columns again.
  void attach(QAbstractItemView& view, QHeaderView& header, std::function<void()> changed);
  void wish(const QHeaderView& header, int column, bool isShown);
  // Adds the choice to the needs, by column of the header's model.
  void apply(const QHeaderView& header, std::vector<ColumnNeed>& needs) const;
  bool isUnwanted(const QHeaderView& header, int column) const;

private:
  void openMenu(QHeaderView& header, const QPoint& at);
  QSet<QString> m_wanted, m_unwanted; // ids
  std::function<void()> m_changed;
};

} // namespace ui::tables
