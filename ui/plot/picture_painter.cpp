#include "ui/plot/picture_painter.h"

#include "ui/plot/step_plot.h"

#include <qcustomplot.h>

namespace ui::plot {

namespace {
// Null if the widget has no plot.
QCustomPlot* plotOf(QWidget& widget) {
  if (qobject_cast<StepPlot*>(&widget)) return widget.findChild<QCustomPlot*>();
  return qobject_cast<QCustomPlot*>(&widget);
}
} // namespace

void PicturePainter::paintOn(QPaintDevice& device, bool keepsShapes, const std::function<void(PicturePainter&)>& paint) {
  QCPPainter painter(&device);
  if (keepsShapes) painter.setMode(QCPPainter::pmVectorized), painter.setMode(QCPPainter::pmNoCaching);
  PicturePainter picture(painter);
  paint(picture);
}

QPainter& PicturePainter::operator*() const { return m_painter; }

void PicturePainter::draw(QWidget& widget) {
  if (QCustomPlot* plot = plotOf(widget); plot && m_painter.modes().testFlag(QCPPainter::pmVectorized))
    plot->toPainter(&m_painter, plot->width(), plot->height());
  else
    widget.render(&m_painter);
}

void repaintPlots(QWidget& widget) {
  for (QWidget* each : widget.findChildren<QWidget*>() + QList<QWidget*>{&widget}) {
    auto* plot = qobject_cast<QCustomPlot*>(each);
    if (auto* steps = qobject_cast<StepPlot*>(each))
      steps->paintNow();
    else if (plot && !qobject_cast<StepPlot*>(plot->parentWidget()))
      plot->replot(QCustomPlot::rpImmediateRefresh);
  }
}

} // namespace ui::plot
