#include "ui/plot/time_axis.h"

#include "ui/theme/theme.h"

#include <QPainter>

#include <algorithm>

namespace ui::plot {

void paintTimeAxis(QPainter& painter, const TimeScene& scene, const TimePointer& pointer, bool isDragging) {
  const theme::Tokens& t = scene.theme.tokens();
  const TimeScale s = scene.scale();
  const QRect area = scene.layout.axis(), below = scene.layout.body();
  const int width = scene.layout.size.width();
  if (pointer.tick < 0 && scene.visible.contains(pointer.linkedTick)) {
    const int x = area.left() + int(s.xOf(pointer.linkedTick));
    painter.setPen(t.secondary);
    painter.drawLine(x, below.top(), x, below.bottom());
  }
  if (!scene.layout.hasAxis) return;
  const TimeTicks ticks = scene.format.ticks(s);
  painter.setFont(scene.theme.small());
  painter.setPen(t.secondary);
  painter.drawText(QRect(0, area.top(), scene.layout.gutter - 10, area.height()), Qt::AlignRight | Qt::AlignVCenter, ticks.unit);
  for (const AxisTick& tick : ticks.ticks) {
    const int x = area.left() + int(s.xOf(tick.at));
    if (x < area.left() || x > area.right()) continue;
    if (x + 4 + painter.fontMetrics().horizontalAdvance(tick.label) > width - 4) continue; // a cut label would mislead
    painter.setPen(t.grid);
    painter.drawLine(x, area.bottom() - 5, x, area.bottom());
    painter.setPen(t.secondary);
    painter.drawText(QRect(x + 4, area.top(), 200, area.height() - 2), Qt::AlignLeft | Qt::AlignVCenter, tick.label);
  }
  painter.setPen(t.line);
  painter.drawLine(0, area.bottom(), width, area.bottom());
  if (pointer.tick < 0 || isDragging) return;
  painter.setPen(t.secondary);
  painter.drawLine(pointer.at.x(), below.top(), pointer.at.x(), below.bottom());
  const QString text = scene.format.at(pointer.tick, s.ticksPerPixel());
  const int wide = painter.fontMetrics().horizontalAdvance(text) + 12;
  const int left = std::clamp(pointer.at.x() - wide / 2, area.left(), area.right() - wide);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(t.text);
  painter.drawRoundedRect(QRect(left, area.top() + 4, wide, area.height() - 9), 3, 3);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(t.surface);
  painter.drawText(QRect(left, area.top() + 3, wide, area.height() - 8), Qt::AlignCenter, text);
}

void paintTimeRuler(QPainter& painter, const TimeScene& scene, reports::TickRange span) {
  const theme::Tokens& t = scene.theme.tokens();
  const TimeScale s = scene.scale();
  const QRect axis = scene.layout.axis(), area = scene.layout.body();
  const int left = axis.left() + int(std::clamp(s.xOf(span.begin), -2.0, axis.width() + 2.0)),
            right = axis.left() + int(std::clamp(s.xOf(span.end), -2.0, axis.width() + 2.0));
  painter.save();
  painter.setClipRect(QRect(axis.left(), axis.top(), axis.width(), area.bottom() - axis.top() + 1));
  QColor fill = t.accent;
  fill.setAlpha(26);
  painter.fillRect(QRect(left, area.top(), right - left, area.height()), fill);
  painter.setPen(QPen(t.accent, 1));
  for (const int x : {left, right}) painter.drawLine(x, axis.top(), x, area.bottom());
  // A ruler out of sight has no label: it would cover the labels of other times. Without an axis, it would cover the data.
  if (!scene.layout.hasAxis || !span.overlaps(scene.visible)) return painter.restore();
  painter.setFont(scene.theme.small());
  const QString text = QStringLiteral("A–B ") + scene.format.exact(span.size());
  const int wide = painter.fontMetrics().horizontalAdvance(text) + 14;
  const int place = std::clamp((left + right) / 2 - wide / 2, axis.left(), std::max(axis.left(), axis.right() - wide));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(t.accent);
  painter.drawRoundedRect(QRect(place, axis.top() + 3, wide, axis.height() - 7), 3, 3);
  painter.setPen(t.accentText);
  painter.drawText(QRect(place, axis.top() + 2, wide, axis.height() - 6), Qt::AlignCenter, text);
  painter.restore();
}

void paintTimeRulerOnMap(QPainter& painter, const TimeScene& scene, reports::TickRange span) {
  const QRect map = scene.layout.minimap();
  QColor colour = scene.theme.tokens().accent;
  colour.setAlpha(90);
  const TimeScale whole(scene.extent, map.width());
  const int from = map.left() + int(whole.xOf(span.begin)), to = map.left() + int(whole.xOf(span.end));
  painter.fillRect(QRect(from, map.top(), std::max(2, to - from), map.height()), colour);
}

} // namespace ui::plot
