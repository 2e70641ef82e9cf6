// One whole cut into named parts: a single stacked bar, with the name, value and
// share of every part below it. The parts fill the bar exactly and no nonzero part
// is invisible. A part can be clicked, or chosen with the arrow keys and Enter.
#pragma once

#include "ui/plot/plot_table.h"

#include <QColor>
#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

namespace ui::theme {
class Theme;
}

namespace ui::plot {

struct SplitPart {
  QString title, value, tip; // value: printed; tip: exact
  double amount = 0;
  std::function<QColor()> colour;
};

// Widths in pixels that sum to `width`; an amount above zero gets at least two.
std::vector<int> splitWidths(const std::vector<double>& amounts, int width);

class SplitBar : public QWidget, public Tabled {
  Q_OBJECT

public:
  SplitBar(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);
  // `whole`: the shares are relative to this; 0: to the sum.
  void setParts(std::vector<SplitPart> parts, double whole = 0);
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  PlotTable table() const override;

signals:
  void partClicked(int part);

protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

private:
  int columnsFor(int width) const;
  void setHovered(int part);
  int partAt(const QPoint& at) const;
  QRect entryRect(int part) const;

  const theme::Theme& m_theme;
  std::vector<SplitPart> m_parts;
  double m_whole = 0;
  int m_hovered = -1;
};

} // namespace ui::plot
