// The order of a table's rows by the id of a column, also as text for links and the saved state of a report; see table_view.h.
#include "ui/tables/table_view.h"

#include <QHeaderView>

namespace ui::tables {

namespace {
const QString kUp = QStringLiteral("up"), kDown = QStringLiteral("down");

template<class Is> int columnWhere(const TableModel& model, Is&& is) {
  const auto table = model.table();
  for (std::size_t c = 0; table && c < table->columns.size(); ++c)
    if (is(table->columns[c])) return int(c);
  return -1;
}

// Links of version 0.9 say "down 3 Cycles": the position of the column and its title, whose unit may differ.
int columnOfOldText(const TableModel& model, const QString& text) {
  const QString title = text.section(' ', 2);
  const auto isOf = [&](const Column& column) { return column.title == title; };
  bool isNumber = false;
  const int place = text.section(' ', 1, 1).toInt(&isNumber);
  const auto table = model.table();
  const bool isThere = isNumber && table && place >= 0 && std::size_t(place) < table->columns.size();
  return isThere && isOf(table->columns[std::size_t(place)]) ? place : columnWhere(model, isOf);
}
} // namespace

int TableView::columnOf(const QString& id) const {
  return id.isEmpty() ? -1 : columnWhere(*m_model, [&](const Column& column) { return column.id == id; });
}

void TableView::sortBy(const QString& id, Qt::SortOrder order) {
  m_sorted = m_firstSorted = id, m_order = m_firstOrder = order;
  sortByColumn(columnOf(id), order);
}

QString TableView::orderText() const {
  if (m_model->columnCount() == 0) return m_awaitedOrder;
  if (m_sorted.isEmpty() || (m_sorted == m_firstSorted && m_order == m_firstOrder)) return {};
  return QStringLiteral("%1 %2").arg(m_order == Qt::AscendingOrder ? kUp : kDown, m_sorted);
}

void TableView::setOrderText(const QString& text) {
  if (m_model->columnCount() == 0) {
    m_awaitedOrder = text;
    return;
  }
  const QString way = text.section(' ', 0, 0), id = text.section(' ', 1);
  int column = columnOf(id);
  if (column < 0 && id.contains(' ')) column = columnOfOldText(*m_model, text);
  if (column >= 0 && (way == kUp || way == kDown))
    sortByColumn(column, way == kUp ? Qt::AscendingOrder : Qt::DescendingOrder);
  else if (!orderText().isEmpty())
    sortByColumn(columnOf(m_firstSorted), m_firstOrder);
}

// Sorts a new table by the same column, wherever it is there; by the initial order if the table lacks the column.
void TableView::sortAsBefore() {
  if (m_model->columnCount() == 0) return;
  if (!m_awaitedOrder.isEmpty()) return setOrderText(std::exchange(m_awaitedOrder, {}));
  if (columnOf(m_sorted) < 0) m_sorted = m_firstSorted, m_order = m_firstOrder;
  const int column = columnOf(m_sorted);
  if (column != m_model->sortColumn() || column != horizontalHeader()->sortIndicatorSection()) sortByColumn(column, m_order);
}

} // namespace ui::tables
