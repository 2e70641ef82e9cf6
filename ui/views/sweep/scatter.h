// Runs as points by two figures, both from zero. Filled points are the Pareto front, joined by a line. A run that does not fit is
// a cross, at the edge if its figures are beyond those of the runs that fit. A click selects a run, Ctrl-click selects a further
// one, a double-click opens one.
#pragma once

#include "ui/plot/hover_card.h"

#include <QWidget>

#include <functional>
#include <vector>

namespace ui::theme {
class Theme;
}

namespace ui::sweep {

struct ScatterPoint {
  int64_t id = 0;
  double x = 0, y = 0;
  bool isOptimal = false, fits = true;
  plot::Card card;
  QString label = {};                  // beside the point, if there is room
  std::function<QColor()> colour = {}; // none: the plot's own
};

struct ScatterAxis {
  QString title;
  std::function<QString(double)> text; // of a tick
  double unit = 1;                     // ticks are multiples of it
};

class Scatter : public QWidget {
  Q_OBJECT

public:
  Scatter(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);
  void setPoints(std::vector<ScatterPoint> points);
  void setAxes(ScatterAxis x, ScatterAxis y); // call before setPoints()
  void setSelected(std::vector<int64_t> ids);
  // Pixel of a point, for tests.
  QPointF positionOf(const ScatterPoint& point) const;
  QSize sizeHint() const override { return {600, 320}; }
  QSize minimumSizeHint() const override { return {240, 160}; }

signals:
  void selected(const std::vector<int64_t>& ids);
  void activated(int64_t id);

protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

private:
  void describeIt();
  QString emptyText() const;
  int m_cursor = -1; // index of the point with the keyboard cursor
  QRectF area() const;
  const ScatterPoint* at(const QPointF& place) const;
  void paintAxes(QPainter& painter) const;
  void paintFront(QPainter& painter) const;
  void paintPoints(QPainter& painter) const;
  void paintLabels(QPainter& painter) const;
  void paintBeyond(QPainter& painter) const;

  const theme::Theme& m_theme;
  std::vector<ScatterPoint> m_points;
  std::vector<int64_t> m_selected;
  ScatterAxis m_x, m_y;
  double m_xEnd = 1, m_yEnd = 1;
  plot::HoverCard* m_card;
};

} // namespace ui::sweep
