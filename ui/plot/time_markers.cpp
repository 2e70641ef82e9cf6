#include "ui/plot/time_markers.h"

#include "ui/theme/elide.h"
#include "ui/theme/theme.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <utility>

namespace ui::plot {

namespace {
constexpr int kMostMarkerWidth = 180, kFlag = 12; // pixels; a flag without room for words is kFlag wide
} // namespace

bool TimeMarkers::set(std::vector<Marker> markers) {
  if (markers == m_markers) return false;
  m_markers = std::move(markers);
  m_last = m_pressed = -1;
  return true;
}

// The flag is as wide as its text, but does not cover the next flag; of two flags at one time the last has the text.
QRect TimeMarkers::placeOf(int marker, const TimeScene& scene) const {
  if (marker < 0 || std::size_t(marker) >= m_markers.size()) return {};
  const QRect area = scene.layout.markers();
  const TimeScale s = scene.scale();
  const int64_t begin = m_markers[std::size_t(marker)].ticks.begin;
  if (begin < scene.visible.begin || begin >= scene.visible.end) return {};
  const int x = area.left() + int(s.xOf(begin));
  int room = std::min(kMostMarkerWidth, area.right() - x);
  for (std::size_t i = 0; i < m_markers.size(); ++i) {
    const int64_t other = m_markers[i].ticks.begin;
    if (other > begin || (other == begin && int(i) > marker)) room = std::min(room, int(area.left() + s.xOf(other)) - x - 3);
  }
  const int wanted = QFontMetrics(scene.theme.small()).horizontalAdvance(m_markers[std::size_t(marker)].text) + kFlag + 8;
  return {x, area.top() + 1, std::max(kFlag, std::min(room, wanted)), area.height() - 3};
}

int TimeMarkers::at(const QPoint& at, const TimeScene& scene) const {
  if (m_markers.empty() || !scene.layout.markers().contains(at)) return -1;
  for (int i = int(m_markers.size()) - 1; i >= 0; --i) // from the front: later markers are drawn over earlier ones
    if (placeOf(i, scene).contains(at)) return i;
  return -1;
}

void TimeMarkers::paint(QPainter& painter, const TimeScene& scene) const {
  const theme::Tokens& t = scene.theme.tokens();
  const QRect area = scene.layout.markers();
  const TimeScale s = scene.scale();
  painter.save();
  painter.setClipRect(QRect(area.left(), area.top(), area.width(), scene.layout.size.height() - area.top()));
  painter.setFont(scene.theme.small());
  painter.setPen(t.secondary);
  painter.save();
  painter.setClipping(false);
  painter.drawText(QRect(0, area.top(), scene.layout.gutter - 10, area.height()), Qt::AlignRight | Qt::AlignVCenter,
                   QObject::tr("Bookmarks"));
  painter.restore();
  for (std::size_t i = 0; i < m_markers.size(); ++i) {
    const Marker& marker = m_markers[i];
    const double left = s.xOf(marker.ticks.begin), right = s.xOf(marker.ticks.end);
    if (right > 0 && left < area.width() && marker.ticks != scene.extent) // the marker's range, as a bar below the flag
      painter.fillRect(QRectF(area.left() + std::max(0.0, left), area.bottom() - 1,
                              std::max(2.0, std::min(right, double(area.width())) - std::max(0.0, left)), 2),
                       t.accent);
    const QRect place = placeOf(int(i), scene);
    if (place.isEmpty()) continue;
    painter.setPen(QPen(t.accent, 1, Qt::DotLine));
    painter.drawLine(place.left(), area.bottom(), place.left(), scene.layout.size.height());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.accent, 1));
    painter.setBrush(t.selection);
    painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    QPainterPath flag({place.left() + 4.0, place.top() + 4.0});
    for (const QPointF& to : {QPointF(10, 4), QPointF(8, 7), QPointF(10, 10), QPointF(4, 10)})
      flag.lineTo(QPointF(place.topLeft()) + to);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.accent);
    painter.drawPath(flag);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(t.text);
    const int words = place.width() - kFlag - 6;
    if (words >= 16)
      painter.drawText(place.adjusted(kFlag + 2, 0, -3, 0), Qt::AlignVCenter | Qt::AlignLeft,
                       theme::elided(painter.fontMetrics(), marker.text, words));
  }
  painter.restore();
}

void TimeMarkers::paintOnMap(QPainter& painter, const TimeScene& scene) const {
  const QRect map = scene.layout.minimap();
  const TimeScale whole(scene.extent, map.width());
  for (const Marker& marker : m_markers) {
    const int x = map.left() + int(whole.xOf(marker.ticks.begin));
    painter.fillRect(QRect(x, map.top(), 2, 6), scene.theme.tokens().accent);
  }
}

// The next flag in the order of time: after the flag that was visited last if that is visible, else the first one from the begin
// of the visible range on.
int TimeMarkers::next(bool forward, const TimeScene& scene) const {
  if (m_markers.empty()) return -1;
  std::vector<int> order;
  for (std::size_t i = 0; i < m_markers.size(); ++i) order.push_back(int(i));
  std::stable_sort(order.begin(), order.end(), [this](int a, int b) {
    return m_markers[std::size_t(a)].ticks.begin < m_markers[std::size_t(b)].ticks.begin;
  });
  const auto last = std::find(order.begin(), order.end(), m_last);
  const auto size = std::ptrdiff_t(order.size());
  std::ptrdiff_t next = forward ? 0 : size - 1;
  if (last != order.end() && m_markers[std::size_t(*last)].ticks.overlaps(scene.visible)) {
    next = (last - order.begin() + (forward ? 1 : size - 1)) % size;
  } else if (scene.visible != scene.extent) {
    const auto after = std::find_if(order.begin(), order.end(),
                                    [&](int i) { return m_markers[std::size_t(i)].ticks.begin > scene.visible.begin; });
    next = (after - order.begin() + (forward ? 0 : size - 1)) % size;
  }
  return order[std::size_t(next)];
}

} // namespace ui::plot
