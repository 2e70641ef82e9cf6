// Runs as points: cycles to the right, the fullest tile upwards, both from zero. Filled points are the Pareto front, joined by a line; a run that
// does not fit is a cross, at the edge if it is beyond the runs that fit. A click selects, Ctrl and click selects another, a double-click opens.
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
};

class Scatter : public QWidget {
  Q_OBJECT

public:
  Scatter(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);
  void setPoints(std::vector<ScatterPoint> points);
  void setAxes(const QString& x, const QString& y, std::function<QString(double)> xText, std::function<QString(double)> yText);
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
  int m_cursor = -1; // index of the point with the keyboard cursor
  QRectF area() const;
  const ScatterPoint* at(const QPointF& place) const;
  void paintAxes(QPainter& painter) const;
  void paintFront(QPainter& painter) const;
  void paintPoints(QPainter& painter) const;
  void paintBeyond(QPainter& painter) const;

  const theme::Theme& m_theme;
  std::vector<ScatterPoint> m_points;
  std::vector<int64_t> m_selected;
  QString m_xTitle, m_yTitle;
  std::function<QString(double)> m_xText, m_yText;
  double m_xEnd = 1, m_yEnd = 1;
  plot::HoverCard* m_card;
};

} // namespace ui::sweep
