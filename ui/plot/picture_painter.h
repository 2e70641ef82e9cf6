// Paints widgets into an image. On a device that keeps shapes, as PDF and SVG do, a plot of QCustomPlot is painted as lines and
// letters instead of the images of its layers that it keeps for the screen.
#pragma once

#include <QPainter>

#include <functional>

class QCPPainter;
class QWidget;

namespace ui::plot {

class PicturePainter {
public:
  // Calls `paint` with a painter on the device.
  static void paintOn(QPaintDevice& device, bool keepsShapes, const std::function<void(PicturePainter&)>& paint);
  QPainter& operator*() const;
  QPainter* operator->() const { return &**this; }
  void draw(QWidget& widget);

private:
  explicit PicturePainter(QCPPainter& painter) : m_painter(painter) {}
  QCPPainter& m_painter;
};

// Paints the plots in a widget anew at once, e.g. after a change of size or colours, for an image.
void repaintPlots(QWidget& widget);

} // namespace ui::plot
