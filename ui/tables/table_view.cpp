#include "ui/tables/table_view.h"

#include "ui/tables/cell_delegate.h"
#include "ui/tables/column_fit.h"
#include "ui/tables/header.h"
#include "ui/tables/row_menu.h"
#include "ui/tables/table_export.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/save_dialog.h"
#include "ui/theme/theme.h"

#include <QContextMenuEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace ui::tables {

namespace {

constexpr int kLeastRows = 4;
constexpr int kSampleRows = 200;  // rows measured for a column's width
constexpr int kNameAtLeast = 220; // pixels of the column that names the row
constexpr int kWordsAtLeast = 72, kFirmWords = 240, kMostName = 900, kMostWords = 420;
constexpr int kBarWidth = 128;                         // pixels of a column with bars
constexpr int kTreeName = 320, kTreeNameAtLeast = 180; // pixels of a tree's names: if there is room, and in a narrow window
constexpr int kTreeSample = 400;                       // rows measured over the whole tree

void styleView(QAbstractItemView& view, const theme::Theme& theme, const QString& name) {
  view.setItemDelegate(new CellDelegate(theme, &view));
  view.setMouseTracking(true);
  view.setSelectionBehavior(QAbstractItemView::SelectRows);
  view.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  view.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  view.setEditTriggers(QAbstractItemView::NoEditTriggers);
  view.setAccessibleName(name);
  view.setFrameShape(QFrame::NoFrame);
}

// The header and some rows (fewer if the table has fewer), so that the content can be recognised; a lower page scrolls.
QSize leastSize(const QHeaderView& header, int rows) {
  return {200, (header.isHidden() ? 0 : 28) + std::clamp(rows, 1, kLeastRows) * theme::kRow};
}

// Scrolls a hidden row that another view selected to the middle, so that its neighbours are visible. Call before the row becomes
// the current one, because Qt would scroll that to the edge.
void bringIntoSight(QAbstractItemView& view, const QModelIndex& at) {
  const QRect place = view.visualRect(at);
  const bool inSight = place.isValid() && view.viewport()->rect().contains(place.center());
  view.scrollTo(at, inSight ? QAbstractItemView::EnsureVisible : QAbstractItemView::PositionAtCenter);
  if (inSight) return;
  QScrollBar& bar = *view.verticalScrollBar();
  if (bar.value() < bar.maximum()) bar.setValue(bar.value() - bar.value() % theme::kRow); // so that the first row is whole
}

// Width of a column from its header and a sample of rows; cellOf gives the cell of a row.
int contentWidth(const QAbstractItemView& view, const QHeaderView& header, int column, int most,
                 const std::vector<QModelIndex>& rows) {
  int width = header.fontMetrics().horizontalAdvance(view.model()->headerData(column, Qt::Horizontal).toString()) + kTitleRoom;
  const QStyleOptionViewItem option = [&] {
    QStyleOptionViewItem o;
    o.font = view.font();
    return o;
  }();
  for (std::size_t r = 0; r < rows.size() && width < most; ++r)
    width = std::max(width, view.itemDelegate()->sizeHint(option, rows[r].siblingAtColumn(column)).width());
  return std::min(width, most);
}

// For columns other than the row's name: numbers keep the width they need, texts shrink.
ColumnNeed needOf(const Column& column, int content) {
  ColumnNeed need;
  need.isOptional = column.isOptional;
  if (isNumeric(column.kind)) {
    // A table asks for the width that it needs in any unit; if space is short, the width of the present numbers is enough.
    need.natural = std::max({column.width, column.bar && !column.width ? kBarWidth : 0, content});
    need.least = content, need.isBar = column.bar;
  } else {
    need.natural = content;
    need.least = std::min(content, kWordsAtLeast); // short content, e.g. numbers of IPUs, needs only its own width
    need.isFirm = content <= kFirmWords;
  }
  return need;
}

// The first text column names the row.
std::vector<ColumnNeed> needsOf(const QAbstractItemView& view, const QHeaderView& header, const std::vector<Column>& columns) {
  std::vector<ColumnNeed> needs;
  std::vector<QModelIndex> rows;
  const int count = view.model()->rowCount(), sampled = std::min(count, kSampleRows);
  for (int r = 0; r < sampled; ++r) // also the last row: numbers of tiles get longer
    rows.push_back(view.model()->index(sampled < 2 ? 0 : int(int64_t(r) * (count - 1) / (sampled - 1)), 0));
  bool named = false;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const bool isName = !isNumeric(columns[c].kind) && !std::exchange(named, true);
    const int content = contentWidth(view, header, int(c), isName ? kMostName : kMostWords, rows);
    needs.push_back(isName ? ColumnNeed{content, std::min(content, kNameAtLeast), false, true, false, columns[c].isOptional}
                           : needOf(columns[c], content));
  }
  return needs;
}

// Columns with a width set by hand keep it; the others share the rest.
std::vector<int> widthsBeside(const std::map<int, int>& byHand, const std::vector<ColumnNeed>& needs, int room) {
  std::vector<ColumnNeed> others;
  for (std::size_t c = 0; c < needs.size(); ++c) {
    const auto hand = byHand.find(int(c));
    if (hand == byHand.end())
      others.push_back(needs[c]);
    else
      room -= hand->second;
  }
  const std::vector<int> fitted = fittedWidths(others, std::max(0, room));
  std::vector<int> widths;
  for (std::size_t c = 0, next = 0; c < needs.size(); ++c) {
    const auto hand = byHand.find(int(c));
    widths.push_back(hand == byHand.end() ? fitted[next++] : hand->second);
  }
  return widths;
}

// Sets the widths of the columns. Returns whether the set of dropped columns has changed: `leftOut` names them.
template<class View>
bool fitColumnsOf(View& view, const QHeaderView& header, const ColumnWishes& wishes, const std::map<QString, int>& byHand,
                  std::vector<ColumnNeed> needs, QStringList& leftOut) {
  for (ColumnNeed& need : needs) // no column is narrower than its header
    need.natural = std::max(need.natural, header.minimumSectionSize()),
    need.least = std::max(need.least, header.minimumSectionSize());
  wishes.apply(header, needs);
  std::map<int, int> kept; // by column
  for (int c = 0; c < int(needs.size()); ++c)
    if (const auto hand = byHand.find(columnId(header, c)); hand != byHand.end() && !wishes.isUnwanted(header, c))
      kept.emplace(c, hand->second);
  const std::vector<int> widths = widthsBeside(kept, needs, view.viewport()->width());
  QStringList titles;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    view.setColumnHidden(int(c), widths[c] == 0);
    if (widths[c] > 0)
      view.setColumnWidth(int(c), widths[c]);
    else if (!wishes.isUnwanted(header, int(c)))
      titles << view.model()->headerData(int(c), Qt::Horizontal).toString();
  }
  return std::exchange(leftOut, titles) != titles;
}

// Restores the column order that the header had before the user dragged titles.
void firstOrder(QHeaderView& header) {
  for (int column = 0; column < header.count(); ++column) header.moveSection(header.visualIndex(column), column);
}

} // namespace

void saveTable(QAbstractItemView& view) {
  QString file = theme::saveFileName(&view, QObject::tr("Save table"), view.accessibleName().toLower().replace(' ', '-') + ".csv",
                                     QObject::tr("CSV (*.csv);;Markdown (*.md);;JSON (*.json)"));
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".csv");
  if (const QString why = writeRows(*view.model(), file); !why.isEmpty())
    QToolTip::showText(view.mapToGlobal(QPoint(theme::kMargin, theme::kMargin)), theme::tipText(why), &view);
}

TableView::TableView(const theme::Theme& theme, const QString& name, QWidget* parent)
    : QTableView(parent), m_theme(theme), m_model(new TableModel(theme, this)), m_emptyText(tr("No rows")) {
  styleView(*this, theme, name);
  setModel(m_model);
  setShowGrid(false);
  setWordWrap(false);
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(theme::kRow);
  verticalHeader()->setMinimumSectionSize(theme::kRow);
  setHorizontalHeader(new Header(this));
  setSortingEnabled(true);
  horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder);
  addRowMenu(*this);
  m_wishes.attach(*this, *horizontalHeader(), [this] { fitColumns(); });
  connect(horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, [this](int column, Qt::SortOrder order) {
    if (m_model->columnCount() > 0) m_sorted = columnId(*horizontalHeader(), column), m_order = order;
  });
  connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column, int, int width) {
    if (!m_fitting) m_widthsByHand[columnId(*horizontalHeader(), column)] = width;
  });
  connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    if (!m_quiet) emit idsSelected(selectedIds());
  });
  connect(this, &QTableView::activated, this, [this](const QModelIndex& at) { emit idActivated(m_model->idAt(at.row())); });
}

void TableView::setTable(std::shared_ptr<const Table> table) {
  const std::vector<int64_t> selected = selectedIds();
  m_quiet = true;
  m_model->setTable(std::move(table));
  sortAsBefore();
  selectIds(selected);
  m_quiet = false;
  measure();
}

void TableView::setCell(int64_t id, const QString& column, Cell cell) {
  m_model->setCell(id, column, std::move(cell));
  measure();
}

void TableView::forgetRows() {
  m_widthsByHand.clear();
  m_awaitedOrder.clear();
  firstOrder(*horizontalHeader());
  m_quiet = true;
  clearSelection();
  m_model->setTable(nullptr);
  m_sorted = m_firstSorted, m_order = m_firstOrder;
  sortByColumn(-1, m_firstOrder); // no order until the table has columns
  m_quiet = false;
  measure();
}

void TableView::setFormat(const theme::Format& format) {
  m_model->setFormat(format);
  measure();
}

std::vector<int64_t> TableView::selectedIds() const {
  std::vector<int64_t> ids;
  for (const QModelIndex& row : selectionModel()->selectedRows()) ids.push_back(m_model->idAt(row.row()));
  return ids;
}

void TableView::selectIds(const std::vector<int64_t>& ids) {
  if (selectedIds() == ids) return; // the user's own selection, echoed by another view: the cursor stays on its row
  const bool before = m_quiet;
  m_quiet = true;
  const std::vector<int> rows = m_model->rowsOfIds(ids);
  QModelIndex first;
  if (!rows.empty()) first = m_model->index(rows.front(), 0);
  std::vector<int> sorted = rows;
  std::sort(sorted.begin(), sorted.end());
  QItemSelection selection; // adjacent rows are one range
  for (std::size_t i = 0, next = 0; i < sorted.size(); i = next) {
    for (next = i + 1; next < sorted.size() && sorted[next] <= sorted[next - 1] + 1;) ++next;
    selection.select(m_model->index(sorted[i], 0), m_model->index(sorted[next - 1], m_model->columnCount() - 1));
  }
  if (first.isValid()) bringIntoSight(*this, first), selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
  selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
  m_quiet = before;
}

QSize TableView::minimumSizeHint() const { return leastSize(*horizontalHeader(), m_model->rowCount()); }
QSize TreeView::minimumSizeHint() const { return leastSize(*header(), kLeastRows); }

void TableView::contextMenuEvent(QContextMenuEvent* event) { openRowMenu(*this, *event); }
void TreeView::contextMenuEvent(QContextMenuEvent* event) { openRowMenu(*this, *event); }

void TableView::keyPressEvent(QKeyEvent* event) {
  if (!followKey(*this, *event)) QTableView::keyPressEvent(event);
}

void TreeView::keyPressEvent(QKeyEvent* event) {
  if (!followKey(*this, *event)) QTreeView::keyPressEvent(event);
}

void TableView::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  fitColumns();
}

void TableView::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  if (m_model->rowCount() > 0 || !m_model->table()) return;
  QPainter painter(viewport());
  painter.setPen(m_theme.tokens().secondary);
  painter.setFont(m_theme.text());
  const bool filtered = m_model->total() > 0;
  painter.drawText(viewport()->rect().adjusted(16, 0, -16, 0), Qt::AlignCenter | Qt::TextWordWrap,
                   filtered ? tr("No row matches the filter. A condition names a column: bytes > 1MiB; between slashes it is a "
                                 "regular expression: /…/")
                            : m_emptyText);
}

void TableView::measure() {
  const auto table = m_model->table();
  updateGeometry(); // the least height depends on the rows
  m_needs = table ? needsOf(*this, *horizontalHeader(), table->columns) : std::vector<ColumnNeed>();
  fitColumns();
}

void TableView::fitColumns() {
  m_fitting = true;
  const bool isOther = fitColumnsOf(*this, *horizontalHeader(), m_wishes, m_widthsByHand, m_needs, m_leftOut);
  m_fitting = false;
  if (isOther) emit columnsLeftOut(m_leftOut);
}

namespace {

// Expanding a node moves the lines of all rows after it, so expanding hundreds of thousands would take minutes.
constexpr int kMostOpen = 10'000;

// The number of levels that shows at most `most` lines.
int levelsWithin(const Tree& tree, int most) {
  std::vector<int> depths(tree.rows.size()), lines(std::size_t(std::max(0, most)) + 1);
  for (std::size_t i = 0; i < tree.rows.size(); ++i) {
    const int parent = tree.rows[i].parent;
    depths[i] = parent < 0 ? 0 : depths[std::size_t(parent)] + 1;
    if (depths[i] <= most) ++lines[std::size_t(depths[i])];
  }
  int levels = 0;
  for (int open = lines.empty() ? 0 : lines[0]; levels < most; ++levels) {
    open += lines[std::size_t(levels) + 1];
    if (open > kMostOpen) break;
  }
  return levels;
}

} // namespace

TreeView::TreeView(const theme::Theme& theme, const QString& name, QWidget* parent)
    : QTreeView(parent), m_model(new TreeModel(theme, this)) {
  styleView(*this, theme, name);
  setModel(m_model);
  setUniformRowHeights(true);
  setIndentation(16);
  setExpandsOnDoubleClick(true);
  setHeader(new Header(this));
  header()->setStretchLastSection(false); // a stretched last column would push the others out of sight
  addRowMenu(*this);
  m_wishes.attach(*this, *header(), [this] { fitColumns(); });
  connect(header(), &QHeaderView::sectionResized, this, [this](int column, int, int width) {
    if (!m_fitting && width > 0) m_widthsByHand[columnId(*header(), column)] = width; // 0: hidden because space is short
  });
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& at) {
    if (!m_quiet && at.isValid()) emit idSelected(m_model->idAt(at));
  });
  connect(this, &QTreeView::activated, this, [this](const QModelIndex& at) { emit idActivated(m_model->idAt(at)); });
}

namespace {
// Whether the rows are the same, even if columns or figures differ.
bool haveSameRows(const Tree& a, const Tree& b) {
  return std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), [](const TreeRow& x, const TreeRow& y) {
    return x.id == y.id && x.parent == y.parent && x.cells.empty() == y.cells.empty() &&
           (x.cells.empty() || x.cells.front() == y.cells.front());
  });
}
} // namespace

void TreeView::setTree(std::shared_ptr<const Tree> tree, int expandedLevels) {
  const int64_t selected = currentId();
  const auto before = m_model->tree();
  const bool isSame = before && tree && haveSameRows(*before, *tree);
  const std::vector<std::size_t> open = isSame ? openRows() : std::vector<std::size_t>();
  m_levels = tree ? levelsWithin(*tree, expandedLevels) : 0;
  m_quiet = true;
  m_model->setTree(std::move(tree));
  measure();
  if (isSame) // setting the rows has collapsed all nodes
    for (const std::size_t row : open) expand(m_model->indexAt(row));
  else
    openFiltered();
  m_quiet = false;
  selectId(selected);
  fitColumns();
}

void TreeView::forgetRows() {
  m_widthsByHand.clear();
  firstOrder(*header());
  setTree(nullptr);
}

void TreeView::setFormat(const theme::Format& format) {
  m_model->setFormat(format);
  measure();
  fitColumns();
}

void TreeView::setFilter(const QString& text) {
  m_quiet = true;
  m_model->setFilter(text);
  openFiltered();
  m_quiet = false;
}

// Opens the folders of found rows.
void TreeView::openFiltered() {
  if (!m_model->filter().isEmpty() && m_model->shownRows() <= kMostOpen)
    expandAll();
  else
    openLevels();
}

std::vector<std::size_t> TreeView::openRows() const {
  std::vector<std::size_t> open;
  const auto tree = m_model->tree();
  for (std::size_t i = 0; tree && i < tree->rows.size() && open.size() < kMostOpen; ++i)
    if (const QModelIndex at = m_model->indexAt(i); at.isValid() && isExpanded(at)) open.push_back(i);
  return open;
}

void TreeView::openLevels() {
  if (m_levels > 0)
    expandToDepth(m_levels - 1);
  else
    collapseAll(); // a depth of -1 would expand all
}

int64_t TreeView::currentId() const { return m_model->idAt(currentIndex()); }

void TreeView::selectId(int64_t id) {
  const QModelIndex at = m_model->indexOfId(id);
  if (!at.isValid()) return;
  m_quiet = true;
  bringIntoSight(*this, at);
  setCurrentIndex(at);
  m_quiet = false;
}

void TreeView::resizeEvent(QResizeEvent* event) {
  QTreeView::resizeEvent(event);
  fitColumns();
}

// Measures a sample of rows over the whole tree; the width of a name includes the arrow and margins before it.
void TreeView::measure() {
  constexpr int kBefore = 56; // pixels: arrow, swatch and margins
  m_needs.clear();
  const auto tree = m_model->tree();
  if (!tree || tree->columns.empty()) return;
  const QFontMetrics metrics = fontMetrics();
  std::vector<QModelIndex> sample;
  const std::size_t every = tree->rows.size() / kTreeSample + 1;
  int widest = 0;
  std::vector<int> depths;
  for (std::size_t i = 0; i < tree->rows.size(); ++i) {
    const TreeRow& row = tree->rows[i];
    depths.push_back(row.parent < 0 ? 0 : depths[std::size_t(row.parent)] + 1);
    if (i % every != 0 || row.cells.empty()) continue;
    if (const QModelIndex at = m_model->indexAt(i); at.isValid() && tree->columns.size() > 1) sample.push_back(at);
    if (depths.back() > kMostName / indentation()) continue;
    if (const auto* name = std::get_if<QString>(&row.cells.front()))
      widest = std::max(widest, metrics.horizontalAdvance(*name) + depths.back() * indentation() + kBefore);
  }
  const int given = tree->columns.front().width; // a tree with short names sets its own width
  const int name = std::max(kTreeName, std::min(widest, kMostName));
  const int natural = given == 0 ? name : tree->columns.front().grows ? std::max(given, std::min(widest, kMostName)) : given;
  m_needs.push_back({natural, given > 0 ? given : kTreeNameAtLeast, false, true, false});
  for (std::size_t c = 1; c < tree->columns.size(); ++c) {
    m_needs.push_back(needOf(tree->columns[c], contentWidth(*this, *header(), int(c), kMostWords, sample)));
  }
}

void TreeView::fitColumns() {
  m_fitting = true;
  std::vector<ColumnNeed> needs = m_needs;
  const auto tree = m_model->tree();
  if (needs.size() > 1 && tree && !isNumeric(tree->columns.back().kind)) { // text at the end gets the remaining width
    int room = viewport()->width();
    for (std::size_t c = 0; c + 1 < needs.size(); ++c) room -= needs[c].natural;
    needs.back().natural = std::max(needs.back().natural, std::min(room, kMostWords));
  }
  const bool isOther = fitColumnsOf(*this, *header(), m_wishes, m_widthsByHand, std::move(needs), m_leftOut);
  m_fitting = false;
  if (isOther) emit columnsLeftOut(m_leftOut);
}

} // namespace ui::tables
