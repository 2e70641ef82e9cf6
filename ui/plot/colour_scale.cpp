#include "ui/plot/colour_scale.h"

#include "ui/theme/theme.h"

#include <QPainter>

namespace ui::plot {

int paintColourScale(QPainter& painter, const theme::Theme& theme, const QPoint& at, int bar, const ColourScale& scale) {
  const theme::Tokens& t = theme.tokens();
  painter.setFont(theme.small());
  const QFontMetrics metrics = painter.fontMetrics();
  int x = at.x();
  const auto write = [&](const QString& text, const QColor& colour) {
    painter.setPen(colour);
    painter.drawText(x, at.y() + metrics.ascent(), text);
    x += metrics.horizontalAdvance(text);
  };
  write(scale.caption, t.text);
  if (!scale.caption.isEmpty()) x += 16;
  write(scale.low, t.secondary);
  x += 8;
  for (int i = 0; i < bar; ++i) {
    const double share = double(i) / std::max(1, bar - 1);
    painter.fillRect(QRect(x + i, at.y() + 2, 1, kColourScaleHeight - 4),
                     scale.differences ? theme.difference(2 * share - 1) : theme.quantity(share));
  }
  if (scale.differences) {
    painter.setPen(t.text);
    painter.drawLine(x + bar / 2, at.y(), x + bar / 2, at.y() + kColourScaleHeight - 1);
  }
  x += bar + 8;
  write(scale.high, t.secondary);
  return x - at.x();
}

} // namespace ui::plot
