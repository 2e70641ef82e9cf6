#include "ui/tables/tree_model.h"

#include "ui/tables/cell_data.h"
#include "ui/tables/row_filter.h"
#include "ui/tables/table_model.h"
#include "ui/theme/theme.h"

#include <algorithm>

namespace ui::tables {

TreeModel::TreeModel(const theme::Theme& theme, QObject* parent) : QAbstractItemModel(parent), m_theme(theme) {
  connect(&theme, &theme::Theme::changed, this, [this] { setFormat(m_format); });
  arrange();
}

void TreeModel::setTree(std::shared_ptr<const Tree> tree) {
  beginResetModel();
  m_tree = std::move(tree);
  m_largest.clear(), m_marked.clear();
  placeRows();
  if (m_tree) {
    std::vector<const Row*> rows;
    for (const TreeRow& row : m_tree->rows) rows.push_back(&row);
    m_largest = largestValues(m_tree->columns, rows);
  }
  arrange();
  endResetModel();
}

void TreeModel::setFormat(const theme::Format& format) {
  m_format = format;
  if (columnCount({}) > 0) emit headerDataChanged(Qt::Horizontal, 0, columnCount({}) - 1);
  // Every cell of the tree may have another text now, at any depth: one layout change is cheaper than a signal per parent.
  emit layoutAboutToBeChanged();
  emit layoutChanged();
}

void TreeModel::setFilter(const QString& text) {
  if (text == m_filter) return;
  beginResetModel();
  m_filter = text;
  arrange();
  endResetModel();
}

// Parents precede their children, so each depth is known from the parent's row.
void TreeModel::placeRows() {
  m_above.clear();
  m_isFlattened = false;
  if (!m_tree) return;
  std::vector<int> depths;
  for (const TreeRow& row : m_tree->rows) {
    const int depth = row.parent < 0 ? 0 : depths[std::size_t(row.parent)] + 1;
    m_isFlattened = m_isFlattened || depth > kDeepest;
    m_above.push_back(depth > kDeepest ? m_above[std::size_t(row.parent)] : row.parent);
    depths.push_back(std::min(depth, kDeepest));
  }
}

void TreeModel::arrange() {
  const std::size_t size = m_tree ? m_tree->rows.size() : 0;
  m_children.assign(size + 1, {});
  m_place.assign(size, -1);
  if (!m_tree) return;
  const RowFilter filter(m_filter, m_tree->columns, m_format);
  std::vector<bool> kept(size, filter.isEmpty());
  if (!filter.isEmpty())
    for (std::size_t i = size; i-- > 0;) {
      if (!kept[i]) kept[i] = filter.matches(m_tree->rows[i]);
      if (kept[i] && m_above[i] >= 0) kept[std::size_t(m_above[i])] = true;
    }
  for (std::size_t i = 0; i < size; ++i) {
    if (!kept[i]) continue;
    auto& siblings = m_children[std::size_t(int64_t(m_above[i]) + 1)];
    m_place[i] = int(siblings.size());
    siblings.push_back(int(i));
  }
}

int TreeModel::shownRows() const {
  return int(std::count_if(m_place.begin(), m_place.end(), [](int place) { return place >= 0; }));
}

analyser::columns::Subjects TreeModel::aboutRow(const QModelIndex& at) const {
  return at.isValid() ? m_tree->rows[std::size_t(at.internalId())].about : analyser::columns::Subjects();
}

int64_t TreeModel::idAt(const QModelIndex& at) const { return at.isValid() ? m_tree->rows[std::size_t(at.internalId())].id : -1; }

QModelIndex TreeModel::indexOfId(int64_t id) const {
  if (!m_tree) return {};
  for (std::size_t i = 0; i < m_tree->rows.size(); ++i)
    if (m_tree->rows[i].id == id && m_place[i] >= 0) return createIndex(m_place[i], 0, quintptr(i));
  return {};
}

QModelIndex TreeModel::indexAt(std::size_t row) const {
  return m_tree && row < m_place.size() && m_place[row] >= 0 ? createIndex(m_place[row], 0, quintptr(row)) : QModelIndex();
}

QModelIndex TreeModel::index(int row, int column, const QModelIndex& parent) const {
  if (row < 0 || column < 0 || column >= columnCount() || parent.column() > 0) return {};
  const auto& siblings = m_children[parent.isValid() ? std::size_t(parent.internalId()) + 1 : 0];
  if (std::size_t(row) >= siblings.size()) return {};
  return createIndex(row, column, quintptr(siblings[std::size_t(row)]));
}

QModelIndex TreeModel::parent(const QModelIndex& child) const {
  if (!child.isValid()) return {};
  const int above = m_above[std::size_t(child.internalId())];
  return above < 0 ? QModelIndex() : createIndex(m_place[std::size_t(above)], 0, quintptr(above));
}

int TreeModel::rowCount(const QModelIndex& parent) const {
  if (parent.column() > 0) return 0;
  return int(m_children[parent.isValid() ? std::size_t(parent.internalId()) + 1 : 0].size());
}

int TreeModel::columnCount(const QModelIndex&) const { return m_tree ? int(m_tree->columns.size()) : 0; }

void TreeModel::setMarked(std::vector<bool> rows) {
  if (rows == m_marked) return;
  m_marked = std::move(rows);
  emit layoutAboutToBeChanged();
  emit layoutChanged();
}

bool TreeModel::isMarked(const QModelIndex& at) const {
  return at.isValid() && std::size_t(at.internalId()) < m_marked.size() && m_marked[std::size_t(at.internalId())];
}

QVariant TreeModel::data(const QModelIndex& at, int role) const {
  if (!checkIndex(at, CheckIndexOption::IndexIsValid)) return {};
  if (role == MarkedRole) return isMarked(at);
  const auto column = std::size_t(at.column());
  return cellRole(m_tree->rows[std::size_t(at.internalId())], at.column(), m_tree->columns[column], role, m_format, m_theme,
                  m_largest[column]);
}

QVariant TreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  return headerRole(m_tree->columns[std::size_t(section)], section, role, m_format);
}

} // namespace ui::tables
