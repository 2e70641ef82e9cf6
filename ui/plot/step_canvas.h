// What QCustomPlot draws of a StepPlot: axes, grid, data, cursor and caption. It gets no mouse and no keys: the StepPlot around
// it has them, so that only this folder reads the header of QCustomPlot, which costs each source more than its own code.
#pragma once

#include "ui/plot/step_scene.h"

#include <qcustomplot.h>

#include <functional>

namespace ui::theme {
class Theme;
}

namespace ui::plot {

class StepCanvas : public QCustomPlot {
public:
  // `resized` is called after each change of size: the labels of marks have a fixed height, so the scale depends on the height.
  StepCanvas(const theme::Theme& theme, const StepScene& scene, QWidget& plot, std::function<void()> resized);

  using QCustomPlot::minimumSizeHint;
  using QCustomPlot::sizeHint;
  using QCustomPlot::updateLayout;
  void restyle();
  void setLogarithmic(bool logarithmic);
  void setCaption(const QString& text) { m_caption->setText(text); } // of the vertical axis
  void setGutter(int pixels);
  void showCursor(int64_t position); // -1: none
  void paintCursor() { layer(QStringLiteral("overlay"))->replot(); }

protected:
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  const theme::Theme& m_theme;
  const StepScene& m_scene;
  const QWidget& m_plot;
  std::function<void()> m_resized;
  QCPItemStraightLine* m_cursor;
  QCPItemText* m_caption;
};

} // namespace ui::plot
