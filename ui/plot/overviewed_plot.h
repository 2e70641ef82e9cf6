// A StepPlot with a strip above it that shows all positions. A frame in the strip marks the visible positions and can be dragged.
// A double-click shows everything. If the height is small, the strip is hidden.
#pragma once

#include "ui/plot/overview_frame.h"

#include <QWidget>

#include <cstdint>
#include <vector>

namespace ui::theme {
class Theme;
}

namespace ui::plot {

class StepPlot;

class OverviewStrip : public QWidget {
  Q_OBJECT

public:
  OverviewStrip(const theme::Theme& theme, StepPlot& plot);

protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
  QRect area() const; // rectangle of the outline: as wide as the axes below it
  OverviewFrame::Part part() const;
  void show(OverviewFrame::Part part);
  void readOutline();
  void paintOutline(QPainter& painter, const QRect& area) const;
  void paintSelection(QPainter& painter, const QRect& area) const;

  const theme::Theme& m_theme;
  StepPlot& m_plot;
  std::vector<int64_t> m_outline; // by position
  bool m_outlineIsOld = true, m_isDragging = false;
  OverviewFrame m_frame;
};

class OverviewedPlot : public QWidget {
  Q_OBJECT

public:
  OverviewedPlot(const theme::Theme& theme, StepPlot* plot); // takes ownership of the plot
  StepPlot& plot() const { return m_plot; }

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  StepPlot& m_plot;
  OverviewStrip* m_strip;
};

} // namespace ui::plot
