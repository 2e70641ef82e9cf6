// A StepPlot as text and as a table: its tooltips, its texts for screen readers, and the table of its figures.
#pragma once

#include "ui/plot/hover_card.h"
#include "ui/plot/plot_table.h"
#include "ui/plot/step_scene.h"

namespace ui::plot {

// The position and one row per shown series.
Card stepCard(const StepScene& scene, int64_t position);
// "Memory. Tile 0 to 1,471: maximum 203 KiB at tile 458. Limit: tile memory 624 KiB. Shown: code, data"
QString stepWords(const StepScene& scene);
// If there are too many positions, only those from `first` on.
PlotTable stepTable(const StepScene& scene, int64_t first);

} // namespace ui::plot
