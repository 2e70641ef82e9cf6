// The labels of a StepPlot's axes: whole positions, as many as fit, and values in round steps of their unit.
#pragma once

#include "ui/plot/step_scene.h"

#include <qcustomplot.h>

namespace ui::theme {
class Theme;
}

namespace ui::plot {

QSharedPointer<QCPAxisTicker> positionTicker(const QCPAxisRect& rect, const theme::Theme& theme, const StepScene& scene);
QSharedPointer<QCPAxisTicker> valueTicker(const QCPAxisRect& rect, const StepScene& scene);

} // namespace ui::plot
