#include "ui/tables/table_view.h"

#include "ui/tables/cell_delegate.h"
#include "ui/tables/table_export.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace ui::tables {

namespace {

constexpr int kSampleRows = 200;  // rows looked at for a column's width
constexpr int kNameAtLeast = 240; // pixels of the column that takes what the others leave
constexpr int kMaxFitted = 420;
constexpr int kBarWidth = 128; // a column with bars needs room for them

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

void styleHeader(QHeaderView& header) {
  header.setHighlightSections(false);
  header.setSectionsMovable(true);
  header.setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  header.setFixedHeight(28);
  header.setMinimumSectionSize(48);
}

void addCopyMenu(QAbstractItemView& view) {
  view.setContextMenuPolicy(Qt::ActionsContextMenu);
  const std::pair<QString, ExportFormat> ways[] = {{QObject::tr("Copy as CSV"), ExportFormat::Csv},
                                                   {QObject::tr("Copy as Markdown"), ExportFormat::Markdown},
                                                   {QObject::tr("Copy as JSON"), ExportFormat::Json}};
  for (const auto& [title, format] : ways) {
    auto* action = new QAction(title, &view);
    if (format == ExportFormat::Csv) {
      action->setShortcut(QKeySequence::Copy);
      action->setShortcutContext(Qt::WidgetShortcut);
    }
    QObject::connect(action, &QAction::triggered, &view, [&view, way = format] {
      QModelIndexList rows = view.selectionModel()->selectedRows();
      std::sort(rows.begin(), rows.end());
      QGuiApplication::clipboard()->setText(exportRows(*view.model(), rows, way));
    });
    view.addAction(action);
  }
}

// Width of a column from its header and its first rows; the caller stretches one column over what is left.
int fittedWidth(const QAbstractItemView& view, const QHeaderView& header, int column) {
  const QAbstractItemModel& model = *view.model();
  int width = header.fontMetrics().horizontalAdvance(model.headerData(column, Qt::Horizontal).toString()) + 34;
  const QStyleOptionViewItem option = [&] {
    QStyleOptionViewItem o;
    o.font = view.font();
    return o;
  }();
  for (int r = 0; r < std::min(model.rowCount(), kSampleRows); ++r)
    width = std::max(width, view.itemDelegate()->sizeHint(option, model.index(r, column)).width());
  return std::min(width, kMaxFitted);
}

int wantedWidth(const QAbstractItemView& view, const QHeaderView& header, const Column& column, int index) {
  if (column.width) return column.width;
  return std::max(column.bar ? kBarWidth : 0, fittedWidth(view, header, index));
}

// The first text column takes the room that is left.
int stretchColumn(const std::vector<Column>& columns) {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (!isNumeric(columns[c].kind)) return int(c);
  return -1;
}

} // namespace

TableView::TableView(const theme::Theme& theme, const QString& name, QWidget* parent)
    : QTableView(parent), m_theme(theme), m_model(new TableModel(theme, this)), m_emptyText(tr("No rows")) {
  styleView(*this, theme, name);
  setModel(m_model);
  setShowGrid(false);
  setWordWrap(false);
  setSortingEnabled(true);
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(theme::kRow);
  verticalHeader()->setMinimumSectionSize(theme::kRow);
  styleHeader(*horizontalHeader());
  horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder);
  addCopyMenu(*this);
  connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    if (!m_quiet) emit idsSelected(selectedIds());
  });
  connect(this, &QTableView::activated, this, [this](const QModelIndex& at) { emit idActivated(m_model->idAt(at.row())); });
}

void TableView::setTable(std::shared_ptr<const Table> table) {
  const std::vector<int64_t> selected = selectedIds();
  m_quiet = true;
  m_model->setTable(std::move(table));
  selectIds(selected);
  m_quiet = false;
  m_sized = -1;
  fitColumns();
}

void TableView::setFormat(const theme::Format& format) {
  m_model->setFormat(format);
  m_sized = -1;
  fitColumns();
}

std::vector<int64_t> TableView::selectedIds() const {
  std::vector<int64_t> ids;
  for (const QModelIndex& row : selectionModel()->selectedRows()) ids.push_back(m_model->idAt(row.row()));
  return ids;
}

void TableView::selectIds(const std::vector<int64_t>& ids) {
  const bool before = m_quiet;
  m_quiet = true;
  QItemSelection selection;
  QModelIndex first;
  for (const int64_t id : ids) {
    const int row = m_model->rowOfId(id);
    if (row < 0) continue;
    const QModelIndex at = m_model->index(row, 0);
    if (!first.isValid()) first = at;
    selection.select(at, m_model->index(row, m_model->columnCount() - 1));
  }
  if (first.isValid()) selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate), scrollTo(first);
  selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
  m_quiet = before;
}

void TableView::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  m_sized = -1;
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
                   filtered ? tr("No row matches the filter") : m_emptyText);
}

void TableView::fitColumns() {
  const auto table = m_model->table();
  if (!table || m_sized == int(table->columns.size())) return;
  m_sized = int(table->columns.size());
  const int stretched = stretchColumn(table->columns);
  int used = 0;
  for (int c = 0; c < m_sized; ++c) {
    const int wanted = wantedWidth(*this, *horizontalHeader(), table->columns[std::size_t(c)], c);
    setColumnWidth(c, wanted);
    if (c != stretched) used += wanted;
  }
  if (stretched < 0) return;
  // Short content, such as numbers of IPUs, needs no more than itself.
  setColumnWidth(stretched, std::max(std::min(kNameAtLeast, columnWidth(stretched)), viewport()->width() - used));
}

namespace {

// Opening a node moves the lines of all that follow, so a view of hundreds of thousands would take minutes to open.
constexpr int kMostOpen = 10'000;

// As many levels, up to `most`, as show no more lines than that.
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
  styleHeader(*header());
  addCopyMenu(*this);
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& at) {
    if (!m_quiet && at.isValid()) emit idSelected(m_model->idAt(at));
  });
  connect(this, &QTreeView::activated, this, [this](const QModelIndex& at) { emit idActivated(m_model->idAt(at)); });
}

void TreeView::setTree(std::shared_ptr<const Tree> tree, int expandedLevels) {
  const int64_t selected = currentId();
  m_levels = tree ? levelsWithin(*tree, expandedLevels) : 0;
  m_quiet = true;
  m_model->setTree(std::move(tree));
  openLevels();
  m_quiet = false;
  selectId(selected);
  fitColumns();
}

void TreeView::setFormat(const theme::Format& format) {
  m_model->setFormat(format);
  fitColumns();
}

void TreeView::setFilter(const QString& text) {
  m_quiet = true;
  m_model->setFilter(text);
  if (!text.isEmpty() && m_model->shownRows() <= kMostOpen)
    expandAll();
  else
    openLevels();
  m_quiet = false;
}

void TreeView::openLevels() {
  if (m_levels > 0)
    expandToDepth(m_levels - 1);
  else
    collapseAll(); // a depth of -1 would be all of them
}

int64_t TreeView::currentId() const { return m_model->idAt(currentIndex()); }

void TreeView::selectId(int64_t id) {
  const QModelIndex at = m_model->indexOfId(id);
  if (!at.isValid()) return;
  m_quiet = true;
  setCurrentIndex(at);
  scrollTo(at);
  m_quiet = false;
}

void TreeView::resizeEvent(QResizeEvent* event) {
  QTreeView::resizeEvent(event);
  fitColumns();
}

void TreeView::fitColumns() {
  const auto tree = m_model->tree();
  if (!tree || tree->columns.empty()) return;
  int used = 0;
  for (int c = 1; c < int(tree->columns.size()); ++c) {
    const int asked = tree->columns[std::size_t(c)].width;
    const int wanted = std::max({asked, 96, header()->fontMetrics().horizontalAdvance(tree->columns[std::size_t(c)].title) + 34});
    setColumnWidth(c, wanted);
    used += wanted;
  }
  setColumnWidth(0, std::max(kNameAtLeast, viewport()->width() - used));
}

FilteredTable::FilteredTable(const theme::Theme& theme, const QString& name, QWidget* parent)
    : QWidget(parent), m_view(new TableView(theme, name)), m_filter(new QLineEdit), m_count(new QLabel) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kGrid);
  auto* row = new QHBoxLayout;
  m_filter->setPlaceholderText(tr("Filter"));
  m_filter->setClearButtonEnabled(true);
  m_filter->setAccessibleName(tr("Filter of %1").arg(name));
  m_filter->addAction(theme::icon(theme, "filter", theme::Tint::Secondary), QLineEdit::LeadingPosition);
  m_filter->setMaximumWidth(320);
  m_count->setProperty("role", "secondary");
  row->addWidget(m_filter, 1);
  row->addWidget(m_count);
  row->addStretch(1);
  column->addLayout(row);
  column->addWidget(m_view, 1);
  connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) { m_view->rows().setFilter(text); });
  connect(&m_view->rows(), &QAbstractItemModel::modelReset, this, &FilteredTable::updateCount);
}

void FilteredTable::setTable(std::shared_ptr<const Table> table) { m_view->setTable(std::move(table)); }

void FilteredTable::updateCount() {
  const int shown = m_view->rows().rowCount(), total = m_view->rows().total();
  m_count->setText(shown == total ? theme::plural(total, tr("row"), tr("rows"))
                                  : tr("%1 of %2 rows").arg(theme::count(shown), theme::count(total)));
}

} // namespace ui::tables
