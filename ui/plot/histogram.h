// A histogram: the number of items per interval of a quantity. A bar shows its number if there is room, so a vertical axis is not
// needed. A limit (e.g. the size of a tile) is a dashed line if it is near the data.
#pragma once

#include "ui/plot/hover_card.h"
#include "ui/plot/plot_table.h"

#include <QWidget>

#include <functional>
#include <vector>

namespace ui::theme {
class Theme;
}

namespace ui::plot {

struct HistogramBar {
  int64_t begin = 0, end = 0; // half-open
  int64_t count = 0;
};

// The smallest of 1, 2, 5, 10, … that covers the values with at most `most` intervals.
int64_t decimalStep(const std::vector<int64_t>& values, int most);
// Equal intervals that cover all values, at most `most`; the width is `grain` times a power of two.
std::vector<HistogramBar> histogramOf(const std::vector<int64_t>& values, int64_t grain, int most);

class Histogram : public QWidget, public Tabled {
  Q_OBJECT

public:
  Histogram(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);
  // Whether the histogram's name is shown above the bars; not needed if the surroundings show it already.
  void setCaptionShown(bool shown);
  // `noun` names the counted items: "tiles".
  void setBars(std::vector<HistogramBar> bars, const QString& noun);
  void setValueText(std::function<QString(int64_t)> text);
  // 0: none. Drawn only if it is at most twice the end of the data.
  void setLimit(int64_t limit, const QString& label);
  QSize sizeHint() const override { return {360, 150}; }
  QSize minimumSizeHint() const override { return {160, 84}; }
  // Pixels of a bar, for tests and the pointer.
  QRectF barRect(int bar) const;
  PlotTable table() const override;

signals:
  void barClicked(int64_t begin, int64_t end);

protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

private:
  bool hasLimit() const; // whether there is a limit and the axis reaches it
  QRectF area() const;
  int64_t axisEnd() const;
  double xOf(int64_t value) const;
  int barAt(const QPointF& at) const;
  Card cardOf(int bar) const; // -1: none
  void paintCaption(QPainter& painter) const;
  void paintBars(QPainter& painter) const;
  void paintEdges(QPainter& painter) const;
  void paintLimit(QPainter& painter) const;

  const theme::Theme& m_theme;
  std::vector<HistogramBar> m_bars;
  QString m_noun, m_limitLabel;
  std::function<QString(int64_t)> m_text;
  int64_t m_limit = 0, m_largest = 0;
  int m_hovered = -1;
  bool m_captionShown = true;
  HoverCard* m_card;
};

} // namespace ui::plot
