#include "ui/plot/arrow_painter.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace ui::plot {

void paintArrows(QPainter& painter, const QRect& body, const std::vector<QLineF>& ends, const QColor& colour) {
  if (ends.empty()) return;
  constexpr double kBend = 40, kHead = 5, kFar = 2000; // a longer line outside the area looks the same
  painter.save();
  painter.setClipRect(body);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colour, 1.4));
  for (const QLineF& line : ends) {
    const auto place = [&](const QPointF& at) {
      return QPointF(body.left() + std::clamp(at.x(), -kFar, body.width() + kFar), body.top() + at.y());
    };
    const QPointF start = place(line.p1()), end = place(line.p2());
    const QPointF bend(std::max(kBend, std::abs(end.x() - start.x()) / 3), 0);
    QPainterPath path(start);
    path.cubicTo(start + bend, end - bend, end);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF{end, end + QPointF(-kHead - 2, -kHead + 1), end + QPointF(-kHead - 2, kHead - 1)});
  }
  painter.restore();
}

} // namespace ui::plot
