// Curved arrows over a plot, each from one point (row and time) to another.
#pragma once

#include <QColor>
#include <QLineF>
#include <QRect>

#include <vector>

class QPainter;

namespace ui::plot {

// Ends in pixels from the body's top left corner; they may be outside the body.
void paintArrows(QPainter& painter, const QRect& body, const std::vector<QLineF>& ends, const QColor& colour);

} // namespace ui::plot
