// The one adapter from a Tree to Qt's item models. A filter keeps matching rows and their ancestors. Qt's tree view recurses for
// every open level, so rows nested deeper than kDeepest levels become children of a row of the last level.
#pragma once

#include "ui/tables/table.h"
#include "ui/theme/format.h"

#include <QAbstractItemModel>

#include <memory>

namespace ui::theme {
class Theme;
}

namespace ui::tables {

class TreeModel : public QAbstractItemModel {
  Q_OBJECT

public:
  explicit TreeModel(const theme::Theme& theme, QObject* parent = nullptr);

  void setTree(std::shared_ptr<const Tree> tree);
  std::shared_ptr<const Tree> tree() const { return m_tree; }
  void setFormat(const theme::Format& format);
  void setFilter(const QString& text);
  const QString& filter() const { return m_filter; }

  // Rows with a light highlight, e.g. those similar to the selected one; by their index in the tree.
  void setMarked(std::vector<bool> rows);
  bool isMarked(const QModelIndex& at) const;

  static constexpr int kDeepest = 256;
  bool isFlattened() const { return m_isFlattened; } // some row is nested deeper

  int shownRows() const; // rows at any depth that the filter keeps
  int64_t idAt(const QModelIndex& index) const;
  analyser::columns::Subjects aboutRow(const QModelIndex& index) const;
  QModelIndex indexOfId(int64_t id) const;
  QModelIndex indexAt(std::size_t row) const; // of a row of the tree; invalid if the filter drops it

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  void placeRows();
  void arrange();

  const theme::Theme& m_theme;
  theme::Format m_format;
  std::shared_ptr<const Tree> m_tree;
  QString m_filter;
  std::vector<std::vector<int>> m_children; // by row + 1, [0] for the roots; only shown rows
  std::vector<int> m_above;                 // the parent of each shown row; -1: a root
  bool m_isFlattened = false;
  std::vector<int> m_place; // position of each row among its siblings
  std::vector<double> m_largest;
  std::vector<bool> m_marked; // by row; rows beyond its end are not marked
};

} // namespace ui::tables
