// The one adapter from a Table to Qt's item models. Sorting and filtering permute an index, rows are never copied.
#pragma once

#include "ui/tables/table.h"
#include "ui/theme/format.h"

#include <QAbstractTableModel>

#include <memory>

namespace ui::theme {
class Theme;
}

namespace ui::tables {

enum Role { IdRole = Qt::UserRole, PlainRole, ShareRole, KindRole };

class TableModel : public QAbstractTableModel {
  Q_OBJECT

public:
  explicit TableModel(const theme::Theme& theme, QObject* parent = nullptr);

  void setTable(std::shared_ptr<const Table> table);
  std::shared_ptr<const Table> table() const { return m_table; }
  void setFormat(const theme::Format& format);
  // Keeps rows in which any cell contains every word of `text`, ignoring case.
  void setFilter(const QString& text);
  const QString& filter() const { return m_filter; }
  int total() const { return m_table ? int(m_table->rows.size()) : 0; }

  int64_t idAt(int row) const;
  // The shown row with this id, or -1.
  int rowOfId(int64_t id) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

private:
  void arrange();

  const theme::Theme& m_theme;
  theme::Format m_format;
  std::shared_ptr<const Table> m_table;
  std::vector<int> m_shown;      // indices into the table's rows, in display order
  std::vector<double> m_largest; // per column, for bars
  QString m_filter;
  int m_sortColumn = -1;
  Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace ui::tables
