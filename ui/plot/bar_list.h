// Named amounts as horizontal bars with the number printed beside each bar. Rows can be split into segments, and can show a
// second value (of the other report) as an outline.
#pragma once

#include "ui/plot/plot_table.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

namespace ui::theme {
class Theme;
}

namespace ui::plot {

struct BarSegment {
  double value = 0;
  std::function<QColor()> colour;
};

struct Bar {
  QString title, text, tip = {}; // text: the printed value; tip: the exact one
  std::vector<BarSegment> segments = {};
  double other = -1; // drawn as a tick with an outline; below 0 if there is none
  int64_t id = -1;
  QString share = {}; // printed right of the value, in its own column
};

class BarList : public QWidget, public Tabled {
  Q_OBJECT

public:
  BarList(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);
  // `full` is the value of a whole bar; 0: the largest of the rows.
  void setBars(std::vector<Bar> bars, double full = 0);
  void setSelectedId(int64_t id);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  // Gives the rectangle of the current row, which a scroll area brings into view.
  QVariant inputMethodQuery(Qt::InputMethodQuery query) const override;
  PlotTable table() const override;

signals:
  void barClicked(int64_t id);

protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

private:
  struct Layout { // pixels
    int names = 0, values = 0, shares = 0;
    int left = 0, full = 0, behind = 0; // x of the bars, length of a full bar, width of the texts right of it
  };
  Layout layoutOf(const QFontMetrics& metrics) const;
  void paintGround(QPainter& painter, int index, const QRect& row) const;
  void paintBar(QPainter& painter, const Bar& bar, const QRect& track) const;
  int rowAt(int y) const;
  void bringIntoSight(int row); // scrolls the area around the list
  const theme::Theme& m_theme;
  std::vector<Bar> m_bars;
  double m_full = 0;
  int m_hovered = -1, m_cursor = -1;
  int64_t m_selected = -1;
};

} // namespace ui::plot
