// Paints a cell's share bar and its category swatch; the rest is Qt's.
#pragma once

#include <QFont>
#include <QStyledItemDelegate>

#include <array>
#include <vector>

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
  double textWidth(const QString& text, const QFont& font) const;

  // Advances of characters below `kPlainCharacters`, in pixels; negative until one is asked for. Shaping each text of a table costs
  // more than all the drawing of a frame.
  static constexpr int kPlainCharacters = 0x250; // Latin: no character changes the form of its neighbour
  struct Advances {
    QFont font;
    std::array<float, kPlainCharacters> pixels;
  };

  const theme::Theme& m_theme;
  mutable std::vector<Advances> m_advances; // of the few fonts of cells
};

} // namespace ui::tables
