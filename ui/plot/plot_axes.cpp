#include "ui/plot/plot_axes.h"

#include "ui/theme/theme.h"

#include <qcustomplot.h>

namespace ui::plot {

void styleAxes(QCustomPlot& plot, const theme::Theme& theme) {
  const theme::Tokens& t = theme.tokens();
  plot.setBackground(QBrush(t.surface));
  for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
    const bool isAcross = axis == plot.xAxis;
    axis->setBasePen(isAcross ? QPen(t.line) : QPen(Qt::NoPen));
    axis->setTickPen(isAcross ? QPen(t.line) : QPen(Qt::NoPen));
    axis->setTickLength(0, isAcross ? 4 : 0);
    axis->setSubTickPen(QPen(Qt::NoPen));
    axis->setTickLabelColor(t.secondary);
    axis->setTickLabelFont(theme.small());
    axis->setLabelColor(t.secondary);
    axis->setLabelFont(theme.small());
    axis->grid()->setPen(isAcross ? QPen(Qt::NoPen) : QPen(t.grid, 1));
    axis->grid()->setZeroLinePen(isAcross ? QPen(Qt::NoPen) : QPen(t.line, 1)); // position 0 is the middle of its step
  }
}

} // namespace ui::plot
