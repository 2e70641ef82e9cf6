// The order of a table's rows as text, for links and the place of a report; see table_view.h.
#include "ui/tables/table_view.h"

#include <QHeaderView>

namespace ui::tables {

namespace {
const QString kUp = QStringLiteral("up"), kDown = QStringLiteral("down");

// Whatever units are shown: the header of "Cycles" says "Time" with times.
QString titleOf(const TableModel& model, int column) {
  const auto table = model.table();
  return table && std::size_t(column) < table->columns.size() ? table->columns[std::size_t(column)].title : QString();
}
} // namespace

void TableView::sortBy(int column, Qt::SortOrder order) {
  m_firstSorted = column, m_firstOrder = order;
  sortByColumn(column, order);
}

QString TableView::orderText() const {
  if (m_model->columnCount() == 0) return m_awaitedOrder;
  const int column = horizontalHeader()->sortIndicatorSection();
  const Qt::SortOrder order = horizontalHeader()->sortIndicatorOrder();
  if (column < 0 || column >= m_model->columnCount() || (column == m_firstSorted && order == m_firstOrder)) return {};
  return QStringLiteral("%1 %2 %3").arg(order == Qt::AscendingOrder ? kUp : kDown).arg(column).arg(titleOf(*m_model, column));
}

// Two columns may have one title, and a newer program another column before it: place and title together, else the title alone.
void TableView::setOrderText(const QString& text) {
  const int columns = m_model->columnCount();
  if (columns == 0) {
    m_awaitedOrder = text;
    return;
  }
  const QString way = text.section(' ', 0, 0), title = text.section(' ', 2);
  const auto isOf = [&](int column) { return titleOf(*m_model, column) == title; };
  bool isNumber = false;
  int column = text.section(' ', 1, 1).toInt(&isNumber);
  if (!isNumber || column < 0 || column >= columns || !isOf(column))
    for (column = 0; column < columns && !isOf(column);) ++column;
  if (column < columns && (way == kUp || way == kDown))
    sortByColumn(column, way == kUp ? Qt::AscendingOrder : Qt::DescendingOrder);
  else if (!orderText().isEmpty())
    sortByColumn(m_firstSorted, m_firstOrder);
}

} // namespace ui::tables
