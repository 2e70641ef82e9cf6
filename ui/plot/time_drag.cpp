#include "ui/plot/time_drag.h"

#include "ui/plot/gestures.h"
#include "ui/plot/time_content.h"
#include "ui/theme/theme.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace ui::plot {

namespace {
constexpr double kLeastPart = 8; // smallest part, in ticks, after a drag in the minimap
} // namespace

TimeDrag::Kind TimeDrag::kindOf(const QMouseEvent& event, const TimeScene& scene, const TimeContent& content) const {
  const QPoint at = event.pos();
  const QRect body = scene.layout.body();
  const auto modifiers = event.modifiers();
  if (scene.layout.hasMinimap && scene.layout.minimap().contains(at)) return Kind::Minimap;
  if (scene.layout.axis().contains(at) || (modifiers & Qt::ControlModifier && body.contains(at))) return Kind::Ruler;
  if (modifiers & Qt::AltModifier && at.y() >= body.top()) return Kind::Shift;
  if (modifiers & Qt::ShiftModifier && body.contains(at)) return Kind::Zone;
  return event.button() == Qt::LeftButton && at.x() < scene.layout.gutter && content.movesRow(at) ? Kind::Row : Kind::Pan;
}

void TimeDrag::press(const QMouseEvent& event, const TimeScene& scene, int scrolled, const TimeContent& content) {
  m_from = event.pos(), m_visible = scene.visible, m_scrolled = scrolled, m_hasMoved = false;
  m_kind = kindOf(event, scene, content);
  m_fromTick = m_toTick = scene.tickAt(m_from.x());
  if (m_kind == Kind::Ruler) m_fromTick = content.snapped(m_from, m_fromTick);
  if (m_kind == Kind::Minimap)
    m_overviewFrame.press(m_from.x(), scene.layout.minimap(), scene.visiblePart(), kLeastPart / double(scene.extent.size()));
}

void TimeDrag::moveTo(const QPoint& at) {
  if (m_kind != Kind::None && (at - m_from).manhattanLength() >= kDragSlop) m_hasMoved = true;
}

reports::TickRange TimeDrag::pannedTo(const QPoint& at, const TimeScene& scene) const {
  return TimeScale(m_visible, scene.layout.body().width()).panned(m_from.x() - at.x(), scene.extent);
}

reports::TickRange TimeDrag::overviewTo(int x, const TimeScene& scene) const {
  const auto part = m_overviewFrame.draggedTo(x);
  const reports::TickRange extent = scene.extent;
  const double whole = double(extent.size());
  const int64_t begin = extent.begin + int64_t(part.begin * whole);
  if (m_overviewFrame.movesEnd())
    return {m_visible.begin, std::max(m_visible.begin + 1, extent.begin + int64_t(part.end * whole))};
  if (!m_overviewFrame.keepsLength()) return {std::min(begin, m_visible.end - 1), m_visible.end};
  const int64_t from = std::min(begin, extent.end - m_visible.size());
  return {from, from + m_visible.size()};
}

int64_t TimeDrag::shiftedTo(const QPoint& at, const TimeScene& scene) const {
  return int64_t((at.x() - m_from.x()) * scene.scale().ticksPerPixel());
}

reports::TickRange TimeDrag::spanTo(int64_t tick) {
  m_toTick = tick;
  return span();
}

reports::TickRange TimeDrag::span() const { return {std::min(m_fromTick, m_toTick), std::max(m_fromTick, m_toTick)}; }

void TimeDrag::paintZone(QPainter& painter, const TimeScene& scene) const {
  const theme::Tokens& t = scene.theme.tokens();
  const TimeScale s = scene.scale();
  const QRect area = scene.layout.body();
  const int a = area.left() + int(s.xOf(span().begin)), b = area.left() + int(s.xOf(span().end));
  QColor fill = t.accent;
  fill.setAlpha(40);
  painter.fillRect(QRect(a, area.top(), b - a, area.height()), fill);
  painter.setPen(t.text);
  painter.setFont(scene.theme.strong());
  painter.drawText(QRect(a - 200, area.top() + 6, b - a + 400, 20), Qt::AlignCenter, scene.format.duration(span().size()));
}

} // namespace ui::plot
