#include "ui/tables/table_model.h"

#include "ui/tables/cell_data.h"
#include "ui/tables/cell_text.h"
#include "ui/tables/row_filter.h"
#include "ui/theme/theme.h"

#include <algorithm>
#include <unordered_map>

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
  if (m_table && m_sortColumn >= columnCount()) m_sortColumn = -1; // without a table, the order is kept for the next one
  arrange();
  endResetModel();
}

void TableModel::setCell(int64_t id, const QString& column, Cell cell) {
  if (!m_table) return;
  const auto& columns = m_table->columns;
  const auto at = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.id == column; });
  const auto row = std::find_if(m_table->rows.begin(), m_table->rows.end(), [&](const Row& r) { return r.id == id; });
  if (at == columns.end() || row == m_table->rows.end()) return;
  auto changed = std::make_shared<Table>(*m_table);
  const auto index = std::size_t(at - columns.begin());
  auto& cells = changed->rows[std::size_t(row - m_table->rows.begin())].cells;
  if (index >= cells.size()) return;
  cells[index] = std::move(cell);
  m_table = std::move(changed);
  if (const int shown = rowOfId(id); shown >= 0) emit dataChanged(this->index(shown, int(index)), this->index(shown, int(index)));
}

void TableModel::setFormat(const theme::Format& format) {
  m_format = format;
  if (columnCount() > 0) emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void TableModel::setFilter(const QString& text) {
  if (text == m_filter) return;
  beginResetModel();
  m_filter = text;
  arrange();
  endResetModel();
}

// Computes the line of totals. A single row has none: it would equal the row.
void TableModel::sumUp() {
  const auto& columns = m_table->columns;
  const auto isSummed = [](const Column& column) { return column.total; };
  m_hasSums = m_shown.size() > 1 && std::any_of(columns.begin(), columns.end(), isSummed);
  m_sums = {};
  if (!m_hasSums) return;
  m_sums.cells.resize(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!columns[c].total) continue;
    Cell& sum = m_sums.cells[c];
    for (const int shown : m_shown) {
      const auto& cells = m_table->rows[std::size_t(shown)].cells;
      if (c >= cells.size()) continue;
      if (const auto* whole = std::get_if<int64_t>(&cells[c]))
        sum = (std::holds_alternative<int64_t>(sum) ? std::get<int64_t>(sum) : 0) + *whole;
      if (const auto* real = std::get_if<double>(&cells[c]))
        sum = (std::holds_alternative<double>(sum) ? std::get<double>(sum) : 0.0) + *real;
    }
  }
  const auto words = std::find_if(columns.begin(), columns.end(), [](const Column& column) { return !isNumeric(column.kind); });
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (!columns[c].total) m_sums.cells[c] = QString();
  const std::size_t heading = words == columns.end() ? 0 : std::size_t(words - columns.begin()); // the first text column, else 0
  if (!columns[heading].total) m_sums.cells[heading] = m_table->total.isEmpty() ? tr("Total") : m_table->total;
}

const Row& TableModel::rowAt(int row) const {
  return row < firstRow() ? m_sums : m_table->rows[std::size_t(m_shown[std::size_t(row - firstRow())])];
}

QString TableModel::conditionAt(const QModelIndex& cell) const {
  if (!cell.isValid() || cell.row() < firstRow()) return {};
  const Row& row = rowAt(cell.row());
  const Column& column = m_table->columns[std::size_t(cell.column())];
  const auto index = std::size_t(cell.column());
  return index < row.cells.size() ? conditionOn(column, row.cells[index], row.kindAt(cell.column(), column.kind)) : QString();
}

QString TableModel::filterProblem() const {
  return m_table ? RowFilter(m_filter, m_table->columns, m_format).problem() : QString();
}

Qt::ItemFlags TableModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  return index.row() < firstRow() ? flags & ~Qt::ItemIsSelectable : flags;
}

void TableModel::arrange() {
  m_shown.clear();
  m_hasSums = false;
  if (!m_table) return;
  const RowFilter filter(m_filter, m_table->columns, m_format);
  const auto& rows = m_table->rows;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (filter.isEmpty() || filter.matches(rows[i])) m_shown.push_back(int(i));
  sumUp();
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
  std::vector<int> source; // -1: the line of totals, which stays
  for (const QModelIndex& i : before) source.push_back(i.row() < firstRow() ? -1 : m_shown[std::size_t(i.row() - firstRow())]);
  m_sortColumn = column, m_sortOrder = order;
  arrange();
  std::vector<int> place(m_table ? m_table->rows.size() : 0, -1);
  for (std::size_t i = 0; i < m_shown.size(); ++i) place[std::size_t(m_shown[i])] = int(i);
  QModelIndexList after;
  for (qsizetype i = 0; i < before.size(); ++i)
    after.append(
        index(source[std::size_t(i)] < 0 ? 0 : place[std::size_t(source[std::size_t(i)])] + firstRow(), before[i].column()));
  changePersistentIndexList(before, after);
  emit layoutChanged();
}

analyser::columns::Subjects TableModel::aboutRow(int row) const {
  return row >= firstRow() && row < rowCount() ? rowAt(row).about : analyser::columns::Subjects();
}

int64_t TableModel::idAt(int row) const { return row >= firstRow() && row < rowCount() ? rowAt(row).id : -1; }

int TableModel::rowOfId(int64_t id) const {
  for (std::size_t i = 0; i < m_shown.size(); ++i)
    if (m_table->rows[std::size_t(m_shown[i])].id == id) return int(i) + firstRow();
  return -1;
}

std::vector<int> TableModel::rowsOfIds(const std::vector<int64_t>& ids) const {
  std::vector<int> rows;
  if (ids.size() < 2) {
    for (const int64_t id : ids)
      if (const int row = rowOfId(id); row >= 0) rows.push_back(row);
    return rows;
  }
  std::unordered_map<int64_t, int> rowOf;
  for (std::size_t i = 0; i < m_shown.size(); ++i) rowOf.emplace(m_table->rows[std::size_t(m_shown[i])].id, int(i) + firstRow());
  for (const int64_t id : ids)
    if (const auto row = rowOf.find(id); row != rowOf.end()) rows.push_back(row->second);
  return rows;
}

int TableModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_shown.size()) + firstRow(); }
int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_table ? 0 : int(m_table->columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto column = std::size_t(index.column());
  const bool isSum = index.row() < firstRow();
  if (role == TotalRole) return isSum;
  if (isSum && role == Qt::FontRole) return m_theme.strong();
  if (isSum && role == ShareRole) return {}; // the bar of a sum would always be full
  return cellRole(rowAt(index.row()), index.column(), m_table->columns[column], role, m_format, m_theme, m_largest[column]);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  return headerRole(m_table->columns[std::size_t(section)], section, role, m_format);
}

} // namespace ui::tables
