// The flags of a time view: places with a note, in a band of their own above the axis.
#include "ui/plot/spoken.h"
#include "ui/plot/time_view.h"
#include "ui/theme/elide.h"
#include "ui/theme/theme.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace ui::plot {

namespace {
constexpr int kMarkerBand = 20, kMostMarkerWidth = 180, kFlag = 12; // pixels; a flag without room for words is kFlag wide
} // namespace

void TimeView::setMarkers(std::vector<Marker> markers) {
  if (markers == m_markers) return;
  m_markers = std::move(markers);
  m_lastMarker = m_pressedMarker = -1;
  relayout();
}

QRect TimeView::markerArea() const {
  const QRect above = minimapArea();
  return {m_gutter, above.top() + above.height(), std::max(1, width() - m_gutter - 1 - 12), m_markers.empty() ? 0 : kMarkerBand};
}

// As wide as its words, up to where the next flag stands; of two at one place the first has the words.
QRect TimeView::markerPlace(int marker) const {
  if (marker < 0 || std::size_t(marker) >= m_markers.size()) return {};
  const QRect area = markerArea();
  const TimeScale s = scale();
  const int64_t begin = m_markers[std::size_t(marker)].ticks.begin;
  if (begin < m_visible.begin || begin >= m_visible.end) return {};
  const int x = area.left() + int(s.xOf(begin));
  int room = std::min(kMostMarkerWidth, area.right() - x);
  for (std::size_t i = 0; i < m_markers.size(); ++i) {
    const int64_t other = m_markers[i].ticks.begin;
    if (other > begin || (other == begin && int(i) > marker)) room = std::min(room, int(area.left() + s.xOf(other)) - x - 3);
  }
  const int wanted = QFontMetrics(m_theme.small()).horizontalAdvance(m_markers[std::size_t(marker)].text) + kFlag + 8;
  return {x, area.top() + 1, std::max(kFlag, std::min(room, wanted)), area.height() - 3};
}

int TimeView::markerAt(const QPoint& at) const {
  if (m_markers.empty() || !markerArea().contains(at)) return -1;
  for (int i = int(m_markers.size()) - 1; i >= 0; --i) // those drawn last lie in front
    if (markerPlace(i).contains(at)) return i;
  return -1;
}

void TimeView::paintMarkers(QPainter& painter) const {
  const theme::Tokens& t = m_theme.tokens();
  const QRect area = markerArea();
  const TimeScale s = scale();
  painter.save();
  painter.setClipRect(QRect(area.left(), area.top(), area.width(), height() - area.top()));
  painter.setFont(m_theme.small());
  painter.setPen(t.secondary);
  painter.save();
  painter.setClipping(false);
  painter.drawText(QRect(0, area.top(), m_gutter - 10, area.height()), Qt::AlignRight | Qt::AlignVCenter, tr("Bookmarks"));
  painter.restore();
  for (std::size_t i = 0; i < m_markers.size(); ++i) {
    const Marker& marker = m_markers[i];
    const double left = s.xOf(marker.ticks.begin), right = s.xOf(marker.ticks.end);
    if (right > 0 && left < area.width() && marker.ticks != m_extent) // what it shows, as a bar below the flag
      painter.fillRect(QRectF(area.left() + std::max(0.0, left), area.bottom() - 1,
                              std::max(2.0, std::min(right, double(area.width())) - std::max(0.0, left)), 2),
                       t.accent);
    const QRect place = markerPlace(int(i));
    if (place.isEmpty()) continue;
    painter.setPen(QPen(t.accent, 1, Qt::DotLine));
    painter.drawLine(place.left(), area.bottom(), place.left(), height());
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

void TimeView::paintMarkersOnMap(QPainter& painter, const QRect& map) const {
  const TimeScale whole(m_extent, map.width());
  for (const Marker& marker : m_markers) {
    const int x = map.left() + int(whole.xOf(marker.ticks.begin));
    painter.fillRect(QRect(x, map.top(), 2, 6), m_theme.tokens().accent);
  }
}

// In the order of time. From the flag that was gone to last, while its place is shown; else from what is visible.
bool TimeView::goToMarker(bool forward) {
  if (m_markers.empty()) return false;
  std::vector<int> order;
  for (std::size_t i = 0; i < m_markers.size(); ++i) order.push_back(int(i));
  std::stable_sort(order.begin(), order.end(), [this](int a, int b) {
    return m_markers[std::size_t(a)].ticks.begin < m_markers[std::size_t(b)].ticks.begin;
  });
  const auto last = std::find(order.begin(), order.end(), m_lastMarker);
  const auto size = std::ptrdiff_t(order.size());
  std::ptrdiff_t next = forward ? 0 : size - 1;
  if (last != order.end() && m_markers[std::size_t(*last)].ticks.overlaps(m_visible)) {
    next = (last - order.begin() + (forward ? 1 : size - 1)) % size;
  } else if (m_visible != m_extent) {
    const auto after = std::find_if(order.begin(), order.end(),
                                    [this](int i) { return m_markers[std::size_t(i)].ticks.begin > m_visible.begin; });
    next = (after - order.begin() + (forward ? 0 : size - 1)) % size;
  }
  const int marker = order[std::size_t(next)];
  emit markerChosen(marker);
  m_lastMarker = marker;
  return true;
}

// "Cycle 0 to 1,234 of 5,678"
QString TimeView::shows() const {
  return tr("%1 %2 to %3, of %4")
      .arg(m_nanoseconds ? tr("Nanosecond") : tr("Cycle"), theme::count(m_visible.begin), theme::count(m_visible.end),
           durationText(m_extent.size()));
}

void TimeView::describeIt() {
  describe(*this, shows(),
           tr("W and S zoom, A and D pan, F shows everything, Ctrl+Shift+T lists it in a table. %1").arg(arrowKeys()));
}

} // namespace ui::plot
