// Groups of positions on an axis, such as the tiles of an IPU: if only some groups hold anything, the plot shows these at first. Zooming
// out shows all.
#pragma once

#include "reports/core/range.h"

#include <QString>

#include <cstdint>
#include <utility>
#include <vector>

namespace ui::plot {

class StepPlot;

// Positions from the first group with a value other than 0 to the last, whole groups; position 0 is `first` on the axis of groups. All if
// no group has one, or if there is one group.
reports::Range<int64_t> groupsInUse(const std::vector<const std::vector<int64_t>*>& curves, int64_t first, int64_t groupSize);
// Zooms there, if that leaves something out.
void showGroupsInUse(StepPlot& plot, const std::vector<const std::vector<int64_t>*>& curves, int64_t first, int64_t groupSize);

// Where the tiles of an IPU begin on an axis whose position 0 is tile `firstTile`; empty where all are of one.
std::vector<std::pair<int64_t, QString>> ipuMarks(int64_t firstTile, int64_t tiles, int tilesPerIpu);

} // namespace ui::plot
