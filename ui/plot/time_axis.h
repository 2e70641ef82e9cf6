// Paints the axis of a time view, and its lines in the body: the line below the pointer and the ruler.
#pragma once

#include "ui/plot/time_scene.h"

namespace ui::plot {

struct TimePointer {
  int64_t tick = -1; // below the pointer; -1: none
  QPoint at;
  int64_t linkedTick = -1; // below the pointer in a linked view; -1: none
};

// `isDragging` leaves out the line below the pointer.
void paintTimeAxis(QPainter& painter, const TimeScene& scene, const TimePointer& pointer, bool isDragging);
// Paints two lines through the data, and on the axis the distance between them, in exact ticks and as a time.
void paintTimeRuler(QPainter& painter, const TimeScene& scene, reports::TickRange span);
void paintTimeRulerOnMap(QPainter& painter, const TimeScene& scene, reports::TickRange span);

} // namespace ui::plot
