// The one adapter from a Table to Qt's item models. Sorting and filtering permute an index; rows are never copied. If a column has
// a total and the filter keeps more than one row, row 0 has the totals over the kept rows; it cannot be selected.
#pragma once

#include "ui/tables/table.h"
#include "ui/theme/format.h"

#include <QAbstractTableModel>

#include <memory>

namespace ui::theme {
class Theme;
}

namespace ui::tables {

enum Role {
  IdRole = Qt::UserRole,
  PlainRole,
  ShareRole,
  KindRole,
  MarkedRole,
  TotalRole
}; // IdRole of a column header: the column's id. TotalRole: true in the line of totals

class TableModel : public QAbstractTableModel {
  Q_OBJECT

public:
  explicit TableModel(const theme::Theme& theme, QObject* parent = nullptr);

  void setTable(std::shared_ptr<const Table> table);
  std::shared_ptr<const Table> table() const { return m_table; }
  // Changes one cell in place: the rows keep their order. Does nothing if there is no such row or column.
  void setCell(int64_t id, const QString& column, Cell cell);
  void setFormat(const theme::Format& format);
  const theme::Format& format() const { return m_format; }
  // Keeps the rows that match (RowFilter).
  void setFilter(const QString& text);
  QString filterProblem() const; // why the filter can keep nothing, as a sentence; empty if it is good
  int sortColumn() const { return m_sortColumn; }
  const QString& filter() const { return m_filter; }
  int total() const { return m_table ? int(m_table->rows.size()) : 0; }
  int shownRows() const { return int(m_shown.size()); } // without the line of totals

  int64_t idAt(int row) const;
  QString conditionAt(const QModelIndex& cell) const;  // keeps the rows with this value; empty: impossible, or a total
  analyser::columns::Subjects aboutRow(int row) const; // none for the line of totals
  // The shown row with this id, or -1.
  int rowOfId(int64_t id) const;
  std::vector<int> rowsOfIds(const std::vector<int64_t>& ids) const; // in the order of `ids`, without hidden rows

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  void sort(int column, Qt::SortOrder order) override;

private:
  void arrange();
  void sumUp();
  int firstRow() const { return m_hasSums ? 1 : 0; } // first row of data; 1 below the line of totals
  const Row& rowAt(int row) const;

  const theme::Theme& m_theme;
  theme::Format m_format;
  std::shared_ptr<const Table> m_table;
  std::vector<int> m_shown;      // indices into the table's rows, in display order
  std::vector<double> m_largest; // per column, for bars
  Row m_sums;                    // of the shown rows
  bool m_hasSums = false;
  QString m_filter;
  int m_sortColumn = -1;
  Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace ui::tables
