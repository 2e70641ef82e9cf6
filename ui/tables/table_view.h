// Tables and trees of the window: 24 px rows, numbers right-aligned, names elided in the middle, the exact value in the tooltip,
// and the context menu and keys of rows (row_menu.h).
#pragma once

#include "ui/tables/column_wishes.h"
#include "ui/tables/table.h"
#include "ui/tables/table_model.h"
#include "ui/tables/tree_model.h"

#include <QTableView>
#include <QTreeView>
#include <QWidget>

#include <map>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QToolButton;

namespace ui::tables {

class TableView : public QTableView {
  Q_OBJECT

public:
  // `name` is the table's name for screen readers.
  TableView(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);

  // Keeps sorting, filter, scroll position, widths set by hand and (by id) the selection.
  void setTable(std::shared_ptr<const Table> table);
  // Changes one cell where it is shown; its column grows with it.
  void setCell(int64_t id, const QString& column, Cell cell);
  // Removes rows and selection, and resets columns and order: another report has other rows with the same ids.
  void forgetRows();
  void setFormat(const theme::Format& format);
  // Shown instead of rows; a filter without matches has its own text.
  void setEmptyText(const QString& text) { m_emptyText = text; }
  // The initial order, by the id of a column; applied now or when the table gets columns, and again for another report. No id:
  // the order of the rows.
  void sortBy(const QString& id, Qt::SortOrder order);
  // The order that the user has chosen, as "down cycles"; empty: the initial order. A table without columns applies it later.
  // Also reads "down 3 Cycles" of older links.
  QString orderText() const;
  void setOrderText(const QString& order);
  TableModel& rows() const { return *m_model; }
  QSize minimumSizeHint() const override; // some rows

  std::vector<int64_t> selectedIds() const;
  // Selects and scrolls to the row without emitting idsSelected.
  void selectIds(const std::vector<int64_t>& ids);

signals:
  void idsSelected(const std::vector<int64_t>& ids); // the user's selection
  void idActivated(int64_t id);                      // Enter or double-click
  void columnsLeftOut(const QStringList& titles);    // columns that do not fit; empty: all are visible again

protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  void measure();
  void fitColumns();
  int columnOf(const QString& id) const; // -1: none
  void sortAsBefore();
  const theme::Theme& m_theme;
  TableModel* m_model;
  QString m_emptyText;
  bool m_quiet = false, m_fitting = false;
  QStringList m_leftOut;
  std::vector<ColumnNeed> m_needs;       // of the shown table in the shown units
  std::map<QString, int> m_widthsByHand; // by id
  ColumnWishes m_wishes;
  QString m_sorted, m_firstSorted; // ids
  Qt::SortOrder m_order = Qt::DescendingOrder, m_firstOrder = Qt::DescendingOrder;
  QString m_awaitedOrder; // for columns that do not exist yet
};

class TreeView : public QTreeView {
  Q_OBJECT

public:
  TreeView(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);

  // Keeps the selection. Keeps nodes expanded if the rows are the same as before, e.g. after another column choice.
  void setTree(std::shared_ptr<const Tree> tree, int expandedLevels = 2);
  void forgetRows();
  void setFormat(const theme::Format& format);
  void setFilter(const QString& text);
  TreeModel& rows() const { return *m_model; }
  QSize minimumSizeHint() const override; // some rows
  int64_t currentId() const;
  void selectId(int64_t id);

signals:
  void idSelected(int64_t id);
  void idActivated(int64_t id);
  void columnsLeftOut(const QStringList& titles); // see TableView::columnsLeftOut

protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  void openLevels();
  void openFiltered();
  std::vector<std::size_t> openRows() const; // rising indices of the tree's rows
  void fitColumns();
  void measure();
  TreeModel* m_model;
  std::vector<ColumnNeed> m_needs;
  QStringList m_leftOut;
  int m_levels = 2;
  bool m_quiet = false, m_fitting = false;
  std::map<QString, int> m_widthsByHand; // by id
  ColumnWishes m_wishes;
};

// Asks for a file and writes every shown row, in the shown order.
void saveTable(QAbstractItemView& view);

// A button such as "+2 columns" that opens the column choice if columns do not fit; hidden if all fit.
QToolButton* leftOutButton(TableView& view);
QToolButton* leftOutButton(TreeView& view);

// A table with a filter field and a "12 of 1 472 rows" count above it.
class FilteredTable : public QWidget {
  Q_OBJECT

public:
  FilteredTable(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);
  TableView& view() const { return *m_view; }
  QLineEdit& filter() const { return *m_filter; }
  void setTable(std::shared_ptr<const Table> table);
  // Adds a note at the right end of the filter's line.
  void addNote(QWidget* note);
  void setOf(const QString& of);   // "of tile 3": what the rows count, beside their number
  void addChoice(QWidget* choice); // before the filter
  void addAbove(QWidget* row);     // above the filter: a text that needs the whole width

private:
  void updateCount();
  TableView* m_view;
  QLineEdit* m_filter;
  QLabel* m_count;
  QString m_of;
  QHBoxLayout* m_line;
};

} // namespace ui::tables
