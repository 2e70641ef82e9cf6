// The look of a plot's surface, axes and grid, one for all plots that QCustomPlot draws.
#pragma once

class QCustomPlot;

namespace ui::theme {
class Theme;
}

namespace ui::plot {

void styleAxes(QCustomPlot& plot, const theme::Theme& theme);

} // namespace ui::plot
