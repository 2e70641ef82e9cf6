// Groups of positions on an axis, e.g. the tiles of an IPU: if only some
// groups have data, the plot first shows these. Zooming out shows all.
#pragma once

#include "reports/core/range.h"

#include <QString>

#include <cstdint>
#include <utility>
#include <vector>

namespace ui::plot {

class StepPlot;

// The positions from the first to the last group with a value other than 0, as whole groups; all positions if every value is 0.
// Position 0 has the number `first`; groups begin at multiples of `groupSize`.
reports::Range<int64_t> groupsInUse(const std::vector<const std::vector<int64_t>*>& curves, int64_t first, int64_t groupSize);
// Zooms to the groups in use. Does nothing if there is only one group.
void showGroupsInUse(StepPlot& plot, const std::vector<const std::vector<int64_t>*>& curves, int64_t first, int64_t groupSize);

// The first tile of each IPU on an axis whose position 0 is tile `firstTile`; empty if all tiles belong to one IPU.
std::vector<std::pair<int64_t, QString>> ipuMarks(int64_t firstTile, int64_t tiles, int tilesPerIpu);

} // namespace ui::plot
