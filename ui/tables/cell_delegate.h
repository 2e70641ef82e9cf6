// Paints a cell's share bar and its category swatch; the rest is Qt's.
#pragma once

#include <QStyledItemDelegate>

namespace ui::theme {
class Theme;
}

namespace ui::tables {

class CellDelegate : public QStyledItemDelegate {
  Q_OBJECT

public:
  CellDelegate(const theme::Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
  void paintGround(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
  void paintDifference(QPainter& painter, const QRect& area, const QModelIndex& index, int length) const;
  void paintWords(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
  const theme::Theme& m_theme;
};

} // namespace ui::tables
