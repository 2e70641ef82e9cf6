#include "ui/tables/column_wishes.h"

#include "ui/tables/table_model.h"

#include <QAbstractItemView>
#include <QAction>
#include <QHeaderView>
#include <QMenu>

#include <utility>

namespace ui::tables {

namespace {
QString titleOf(const QHeaderView& header, int column) {
  return header.model() ? header.model()->headerData(column, Qt::Horizontal).toString() : QString();
}

// The tooltips distinguish two columns with one title.
QString entryOf(const QHeaderView& header, int column) {
  const QString title = titleOf(header, column);
  int alike = 0;
  for (int other = 0; other < header.count(); ++other) alike += titleOf(header, other) == title;
  const QString tip = header.model()->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
  return alike < 2 || tip.isEmpty() ? title : QStringLiteral("%1 · %2").arg(title, tip.section('\n', 0, 0));
}
} // namespace

QString columnId(const QHeaderView& header, int column) {
  return header.model() ? header.model()->headerData(column, Qt::Horizontal, IdRole).toString() : QString();
}

void ColumnWishes::attach(QAbstractItemView& view, QHeaderView& header, std::function<void()> changed) {
  m_changed = std::move(changed);
  header.setContextMenuPolicy(Qt::CustomContextMenu);
  QObject::connect(&header, &QHeaderView::customContextMenuRequested, &view,
                   [this, &header](const QPoint& at) { openMenu(header, header.mapToGlobal(at)); });
  auto* choose = new QAction(QObject::tr("Columns…"), &view);
  choose->setObjectName(kColumnsAction);
  QObject::connect(choose, &QAction::triggered, &view,
                   [this, &header] { openMenu(header, header.mapToGlobal(header.rect().bottomLeft())); });
  view.addAction(choose);
}

bool ColumnWishes::isUnwanted(const QHeaderView& header, int column) const {
  return m_unwanted.contains(columnId(header, column));
}

void ColumnWishes::wish(const QHeaderView& header, int column, bool isShown) {
  const QString id = columnId(header, column);
  (isShown ? m_unwanted : m_wanted).remove(id);
  (isShown ? m_wanted : m_unwanted).insert(id);
  if (m_changed) m_changed();
}

// The first column names the row: it stays.
void ColumnWishes::openMenu(QHeaderView& header, const QPoint& at) {
  QMenu menu(&header);
  for (int column = 1; column < header.count(); ++column) {
    QAction* action = menu.addAction(entryOf(header, column).replace('&', QStringLiteral("&&")));
    action->setCheckable(true);
    action->setChecked(!header.isSectionHidden(column));
    QObject::connect(action, &QAction::toggled, &header, [this, &header, column](bool shown) { wish(header, column, shown); });
  }
  if (menu.isEmpty()) return;
  menu.addSeparator();
  QObject::connect(menu.addAction(QObject::tr("Fit columns to the width")), &QAction::triggered, &header, [this] {
    m_wanted.clear(), m_unwanted.clear();
    m_changed();
  });
  menu.exec(at);
}

void ColumnWishes::apply(const QHeaderView& header, std::vector<ColumnNeed>& needs) const {
  for (std::size_t column = 1; column < needs.size(); ++column) {
    const QString id = columnId(header, int(column));
    if (m_unwanted.contains(id)) needs[column].natural = needs[column].least = 0;
    if (m_wanted.contains(id)) needs[column].isOptional = false;
  }
}

} // namespace ui::tables
