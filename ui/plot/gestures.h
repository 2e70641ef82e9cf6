// Distances and speeds of mouse gestures, common to all plots.
#pragma once

namespace ui::plot {

constexpr double kWheelZoom = 1.25; // factor of one notch of the wheel
constexpr int kDragSlop = 4;        // pixels a press may move and still be a click

} // namespace ui::plot
