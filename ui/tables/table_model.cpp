#include "ui/tables/table_model.h"

#include "ui/tables/cell_data.h"
#include "ui/tables/cell_text.h"
#include "ui/theme/theme.h"

#include <algorithm>
#include <numeric>

namespace ui::tables {

TableModel::TableModel(const theme::Theme& theme, QObject* parent) : QAbstractTableModel(parent), m_theme(theme) {
  connect(&theme, &theme::Theme::changed, this, [this] {
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  });
}

void TableModel::setTable(std::shared_ptr<const Table> table) {
  beginResetModel();
  m_table = std::move(table);
  m_largest.clear();
  if (m_table) {
    std::vector<const Row*> rows;
    rows.reserve(m_table->rows.size());
    for (const Row& row : m_table->rows) rows.push_back(&row);
    m_largest = largestValues(m_table->columns, rows);
  }
  if (m_sortColumn >= columnCount()) m_sortColumn = -1;
  arrange();
  endResetModel();
}

void TableModel::setFormat(const theme::Format& format) {
  m_format = format;
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void TableModel::setFilter(const QString& text) {
  if (text == m_filter) return;
  beginResetModel();
  m_filter = text;
  arrange();
  endResetModel();
}

void TableModel::arrange() {
  m_shown.clear();
  if (!m_table) return;
  const QStringList words = filterWords(m_filter);
  const auto& rows = m_table->rows;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (words.isEmpty() || rowMatches(rows[i], m_table->columns, words, m_format)) m_shown.push_back(int(i));
  if (m_sortColumn < 0) return;
  static const Cell nothing;
  const auto cell = [&](int row) -> const Cell& {
    const auto& cells = rows[std::size_t(row)].cells;
    return std::size_t(m_sortColumn) < cells.size() ? cells[std::size_t(m_sortColumn)] : nothing;
  };
  std::stable_sort(m_shown.begin(), m_shown.end(), [&](int a, int b) {
    return m_sortOrder == Qt::AscendingOrder ? cellLess(cell(a), cell(b)) : cellLess(cell(b), cell(a));
  });
}

void TableModel::sort(int column, Qt::SortOrder order) {
  emit layoutAboutToBeChanged();
  const QModelIndexList before = persistentIndexList();
  std::vector<int> source;
  for (const QModelIndex& i : before) source.push_back(m_shown[std::size_t(i.row())]);
  m_sortColumn = column, m_sortOrder = order;
  arrange();
  std::vector<int> place(m_table ? m_table->rows.size() : 0, -1);
  for (std::size_t i = 0; i < m_shown.size(); ++i) place[std::size_t(m_shown[i])] = int(i);
  QModelIndexList after;
  for (qsizetype i = 0; i < before.size(); ++i)
    after.append(index(place[std::size_t(source[std::size_t(i)])], before[i].column()));
  changePersistentIndexList(before, after);
  emit layoutChanged();
}

int64_t TableModel::idAt(int row) const {
  return row >= 0 && row < rowCount() ? m_table->rows[std::size_t(m_shown[std::size_t(row)])].id : -1;
}

int TableModel::rowOfId(int64_t id) const {
  for (std::size_t i = 0; i < m_shown.size(); ++i)
    if (m_table->rows[std::size_t(m_shown[i])].id == id) return int(i);
  return -1;
}

int TableModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_shown.size()); }
int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_table ? 0 : int(m_table->columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto column = std::size_t(index.column());
  return cellRole(m_table->rows[std::size_t(m_shown[std::size_t(index.row())])], index.column(), m_table->columns[column], role,
                  m_format, m_theme, m_largest[column]);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  return headerRole(m_table->columns[std::size_t(section)], role);
}

} // namespace ui::tables
