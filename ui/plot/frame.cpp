#include "ui/plot/frame.h"

#include "ui/theme/theme.h"

#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <QWidget>

namespace ui::plot {

bool ignoresClips(const QPainter& painter) { return painter.paintEngine() && painter.paintEngine()->type() == QPaintEngine::SVG; }

bool keepsShapes(const QPainter& painter) {
  const auto* engine = painter.paintEngine();
  return engine &&
         (engine->type() == QPaintEngine::SVG || engine->type() == QPaintEngine::Pdf || engine->type() == QPaintEngine::Picture);
}

void fillAround(QPainter& painter, const QRect& whole, const QRect& inside, const QColor& colour) {
  const int right = inside.right() + 1, bottom = inside.bottom() + 1;
  painter.fillRect(QRect(whole.topLeft(), QPoint(whole.right(), inside.top() - 1)), colour);
  painter.fillRect(QRect(QPoint(whole.left(), bottom), whole.bottomRight()), colour);
  painter.fillRect(QRect(whole.left(), inside.top(), inside.left() - whole.left(), inside.height()), colour);
  painter.fillRect(QRect(right, inside.top(), whole.right() + 1 - right, inside.height()), colour);
}

// Paints the sides as rectangles and antialiases only the corners: an antialiased outline of the whole plot takes a tenth of each
// frame's time.
void paintFrame(QPainter& painter, const QWidget& widget, const theme::Theme& theme) {
  const QColor colour = widget.hasFocus() ? theme.tokens().accent : theme.tokens().line;
  constexpr double r = theme::kRadius, half = 0.5; // the middle of a line of one pixel
  constexpr int side = int(r) + 1;                 // pixels from the corner to the straight line
  const int width = widget.width(), height = widget.height();
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (const QRect& line : {QRect(side, 0, width - 2 * side, 1), QRect(side, height - 1, width - 2 * side, 1),
                            QRect(0, side, 1, height - 2 * side), QRect(width - 1, side, 1, height - 2 * side)})
    painter.fillRect(line, colour);
  const QRectF circle(half, half, 2 * r, 2 * r); // at the upper left corner
  QPainterPath outside, edge;
  outside.lineTo(half + r, 0), outside.lineTo(half + r, half);
  outside.arcTo(circle, 90, 90);
  outside.lineTo(0, half + r), outside.closeSubpath();
  edge.moveTo(side, half), edge.lineTo(half + r, half);
  edge.arcTo(circle, 90, 90);
  edge.lineTo(half, side);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colour, 1, Qt::SolidLine, Qt::FlatCap));
  for (const bool right : {false, true})
    for (const bool bottom : {false, true}) {
      painter.save();
      painter.translate(right ? width : 0, bottom ? height : 0);
      painter.scale(right ? -1 : 1, bottom ? -1 : 1);
      painter.fillPath(outside, theme.tokens().background);
      painter.drawPath(edge);
      painter.restore();
    }
  painter.restore();
}

} // namespace ui::plot
