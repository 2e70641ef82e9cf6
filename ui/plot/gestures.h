// How far and how fast: what the mouse means in every plot, so that all of them answer alike.
#pragma once

namespace ui::plot {

constexpr double kWheelZoom = 1.25; // factor of one notch of the wheel
constexpr int kDragSlop = 4;        // pixels a press may move and still be a click

} // namespace ui::plot
