#include "ui/plot/frame.h"

#include "ui/theme/theme.h"

#include <QPainter>
#include <QPainterPath>
#include <QWidget>

namespace ui::plot {

void paintFrame(QPainter& painter, const QWidget& widget, const theme::Theme& theme) {
  const QRectF edge = QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  QPainterPath corners, inside;
  corners.addRect(widget.rect());
  inside.addRoundedRect(edge, theme::kRadius, theme::kRadius);
  painter.fillPath(corners - inside, theme.tokens().background);
  painter.setPen(widget.hasFocus() ? theme.tokens().accent : theme.tokens().line);
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(edge, theme::kRadius, theme::kRadius);
  painter.restore();
}

} // namespace ui::plot
