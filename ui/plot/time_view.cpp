#include "ui/plot/time_view.h"

#include "ui/plot/frame.h"
#include "ui/plot/gestures.h"
#include "ui/plot/spoken.h"
#include "ui/theme/theme.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui::plot {

namespace {
constexpr int kAxis = 26, kScrollWidth = 12;
constexpr double kLeastPart = 8; // ticks that a drag in the minimap leaves
constexpr double kKeyZoom = 1.5, kKeyPan = 0.15;
} // namespace

TimeView::TimeView(const theme::Theme& theme, const QString& name, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_scroll(new QScrollBar(Qt::Vertical, this)), m_card(new HoverCard(theme, this)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  makeSpoken(*this); // before its name is told
  setAccessibleName(name);
  setProperty("picture", true);
  setMinimumSize(320, 120);
  m_scroll->setAccessibleName(tr("Scroll %1").arg(name));
  m_scroll->hide();
  connect(m_scroll, &QScrollBar::valueChanged, this, [this] {
    visibleWasChanged();
    update();
  });
  connect(&theme, &theme::Theme::changed, this, [this] {
    visibleWasChanged();
    update();
  });
}

TimeView::~TimeView() = default;

void TimeView::setExtent(reports::TickRange extent) {
  if (extent.empty()) extent.end = extent.begin + 1;
  const bool keep = extent == m_extent && !m_everything;
  m_extent = extent;
  if (!keep) m_visible = extent, m_everything = true;
  layoutScroll();
  describeIt();
}

void TimeView::setVisibleRange(reports::TickRange range) {
  if (range.empty()) range = m_extent;
  range = range.clippedTo(m_extent);
  if (range.empty() || range == m_visible) return;
  m_visible = range;
  m_everything = m_visible == m_extent;
  describeIt();
  visibleWasChanged();
  hoverAgain(); // another time lies below the resting pointer
  update();
}

void TimeView::changeVisible(reports::TickRange range) {
  if (range == m_visible) return;
  setVisibleRange(range);
  emit visibleChanged(m_visible);
}

void TimeView::fit() { changeVisible(m_extent); }
void TimeView::zoomBy(double factor) { changeVisible(scale().zoomed(factor, body().width() / 2.0, m_extent)); }
void TimeView::panBy(double pixels) { changeVisible(scale().panned(pixels, m_extent)); }

void TimeView::setFormat(const theme::Format& format) {
  m_format = format;
  update();
}

void TimeView::setCursorTick(int64_t tick) {
  if (std::exchange(m_cursorTick, tick) != tick) update();
}

void TimeView::setMeasured(reports::TickRange range) {
  if (std::exchange(m_measured, range) != range) update();
}

void TimeView::measure(reports::TickRange range) {
  setMeasured(range);
  emit rangeMeasured(range);
}

int64_t TimeView::snapped(const QPoint&, int64_t tick) const { return tick; }

void TimeView::setNanoseconds(bool nanoseconds) { m_nanoseconds = nanoseconds; }

void TimeView::setGutter(int width) {
  m_gutter = width;
  visibleWasChanged();
  update();
}

void TimeView::setMinimapShown(bool shown) {
  m_minimap = shown;
  layoutScroll();
  update();
}

void TimeView::setAxisShown(bool shown) {
  m_axis = shown;
  layoutScroll();
  update();
}

TimeScale TimeView::scale() const { return {m_visible, body().width()}; }

QString TimeView::durationText(int64_t ticks) const {
  return m_nanoseconds ? m_format.nanoseconds(reports::Nanoseconds(ticks)) : m_format.cycles(reports::Cycles(ticks));
}

QString TimeView::durationExact(int64_t ticks) const {
  return m_nanoseconds ? theme::count(ticks) + QStringLiteral(" ns") : m_format.cyclesExact(reports::Cycles(ticks));
}

void TimeView::scrollTo(int top, int height) {
  if (m_scroll->isHidden()) return;
  m_scroll->setValue(std::clamp(m_scroll->value(), std::min(top, top + height - body().height()), top));
}

void TimeView::relayout() {
  layoutScroll();
  visibleWasChanged();
  update();
}

int TimeView::scrolled() const { return m_scroll->isHidden() ? 0 : m_scroll->value(); }

QRect TimeView::minimapArea() const {
  return m_minimap ? QRect(m_gutter, 1, std::max(1, width() - m_gutter - 1 - kScrollWidth), theme::kMinimap)
                   : QRect(m_gutter, 1, 1, 0);
}

QRect TimeView::axisArea() const {
  const QRect above = markerArea();
  return {m_gutter, above.top() + above.height(), std::max(1, width() - m_gutter - 1 - kScrollWidth), m_axis ? kAxis : 0};
}

QRect TimeView::body() const {
  const QRect axis = axisArea();
  const int top = axis.top() + axis.height();
  return {m_gutter, top, axis.width(), std::max(1, height() - top - 1)};
}

void TimeView::layoutScroll() {
  const QRect area = body();
  const int content = contentHeight();
  m_scroll->setGeometry(width() - kScrollWidth - 1, area.top(), kScrollWidth, area.height());
  m_scroll->setRange(0, std::max(0, content - area.height()));
  m_scroll->setPageStep(area.height());
  m_scroll->setSingleStep(theme::kLane);
  m_scroll->setVisible(content > area.height());
}

void TimeView::paintEvent(QPaintEvent*) {
  const theme::Tokens& t = m_theme.tokens();
  QPainter painter(this);
  painter.fillRect(rect(), t.surface);
  const QRect area = body();
  painter.save();
  painter.setClipRect(area);
  paintBody(painter, area);
  painter.restore();
  if (ignoresClips(painter)) fillAround(painter, rect(), area, t.surface);
  paintAxis(painter, axisArea());
  if (!m_markers.empty()) paintMarkers(painter);
  if (!m_measured.empty()) paintRuler(painter, axisArea(), area);
  if (m_minimap) {
    const QRect map = minimapArea();
    painter.save();
    painter.setClipRect(map);
    paintOverview(painter, map);
    paintMarkersOnMap(painter, map);
    painter.restore();
  }
  painter.save();
  painter.setClipRect(QRect(0, area.top(), m_gutter, area.height()));
  paintGutter(painter, QRect(0, area.top(), m_gutter, area.height()));
  painter.restore();
  painter.setPen(t.grid);
  painter.drawLine(m_gutter - 1, axisArea().top(), m_gutter - 1, height());
  if (m_drag == Drag::Zone) {
    const TimeScale s = scale();
    const int a = area.left() + int(s.xOf(std::min(m_zoneFrom, m_zoneTo))),
              b = area.left() + int(s.xOf(std::max(m_zoneFrom, m_zoneTo)));
    QColor fill = t.accent;
    fill.setAlpha(40);
    painter.fillRect(QRect(a, area.top(), b - a, area.height()), fill);
    painter.setPen(t.text);
    painter.setFont(m_theme.strong());
    painter.drawText(QRect(a - 200, area.top() + 6, b - a + 400, 20), Qt::AlignCenter,
                     durationText(std::abs(m_zoneTo - m_zoneFrom)));
  }
  paintFrame(painter, *this, m_theme);
}

void TimeView::paintAxis(QPainter& painter, const QRect& area) {
  const theme::Tokens& t = m_theme.tokens();
  const TimeScale s = scale();
  const QRect below = body();
  if (m_hoverTick < 0 && m_visible.contains(m_cursorTick)) {
    const int x = area.left() + int(s.xOf(m_cursorTick));
    painter.setPen(t.secondary);
    painter.drawLine(x, below.top(), x, below.bottom());
  }
  if (!m_axis) return;
  const TimeTicks ticks = m_nanoseconds ? nanosecondTicks(s) : timeTicks(s, m_format);
  painter.setFont(m_theme.small());
  painter.setPen(t.secondary);
  painter.drawText(QRect(0, area.top(), m_gutter - 10, area.height()), Qt::AlignRight | Qt::AlignVCenter, ticks.unit);
  for (const AxisTick& tick : ticks.ticks) {
    const int x = area.left() + int(s.xOf(tick.at));
    if (x < area.left() || x > area.right()) continue;
    if (x + 4 + painter.fontMetrics().horizontalAdvance(tick.label) > width() - 4) continue; // half a number misleads
    painter.setPen(t.grid);
    painter.drawLine(x, area.bottom() - 5, x, area.bottom());
    painter.setPen(t.secondary);
    painter.drawText(QRect(x + 4, area.top(), 200, area.height() - 2), Qt::AlignLeft | Qt::AlignVCenter, tick.label);
  }
  painter.setPen(t.line);
  painter.drawLine(0, area.bottom(), width(), area.bottom());
  if (m_hoverTick >= 0 && m_drag == Drag::None) {
    painter.setPen(t.secondary);
    painter.drawLine(m_hoverAt.x(), below.top(), m_hoverAt.x(), below.bottom());
    const QString text = m_nanoseconds             ? m_format.nanoseconds(reports::Nanoseconds(m_hoverTick))
                         : m_format.showsSeconds() ? m_format.cycles(reports::Cycles(m_hoverTick))
                                                   : theme::count(m_hoverTick);
    const int wide = painter.fontMetrics().horizontalAdvance(text) + 12;
    const int left = std::clamp(m_hoverAt.x() - wide / 2, area.left(), area.right() - wide);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.text);
    painter.drawRoundedRect(QRect(left, area.top() + 4, wide, area.height() - 9), 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(t.surface);
    painter.drawText(QRect(left, area.top() + 3, wide, area.height() - 8), Qt::AlignCenter, text);
  }
}

// Two lines through the data, and on the axis the distance between them, exact and as a time.
void TimeView::paintRuler(QPainter& painter, const QRect& axis, const QRect& area) {
  const theme::Tokens& t = m_theme.tokens();
  const TimeScale s = scale();
  const int left = axis.left() + int(std::clamp(s.xOf(m_measured.begin), -2.0, axis.width() + 2.0)),
            right = axis.left() + int(std::clamp(s.xOf(m_measured.end), -2.0, axis.width() + 2.0));
  painter.save();
  painter.setClipRect(QRect(axis.left(), axis.top(), axis.width(), area.bottom() - axis.top() + 1));
  QColor fill = t.accent;
  fill.setAlpha(26);
  painter.fillRect(QRect(left, area.top(), right - left, area.height()), fill);
  painter.setPen(QPen(t.accent, 1));
  for (const int x : {left, right}) painter.drawLine(x, axis.top(), x, area.bottom());
  if (!m_measured.overlaps(m_visible)) return painter.restore(); // its label would stand over what it does not measure
  painter.setFont(m_theme.small());
  const QString text = QStringLiteral("A–B ") + durationExact(m_measured.size());
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

OverviewFrame::Part TimeView::visiblePart() const {
  const double whole = double(m_extent.size());
  return {double(m_visible.begin - m_extent.begin) / whole, double(m_visible.end - m_extent.begin) / whole};
}

void TimeView::dragOverview(int x) {
  const auto part = m_overviewFrame.draggedTo(x);
  const double whole = double(m_extent.size());
  const int64_t begin = m_extent.begin + int64_t(part.begin * whole);
  if (m_overviewFrame.movesEnd())
    return changeVisible({m_pressVisible.begin, std::max(m_pressVisible.begin + 1, m_extent.begin + int64_t(part.end * whole))});
  if (!m_overviewFrame.keepsLength()) return changeVisible({std::min(begin, m_pressVisible.end - 1), m_pressVisible.end});
  const int64_t from = std::min(begin, m_extent.end - m_pressVisible.size());
  changeVisible({from, from + m_pressVisible.size()});
}

void TimeView::paintOverview(QPainter& painter, const QRect& area) {
  paintMinimap(painter, area);
  OverviewFrame::paint(painter, m_theme.tokens(), area, visiblePart());
  if (m_measured.empty()) return;
  QColor span = m_theme.tokens().accent;
  span.setAlpha(90);
  const TimeScale whole(m_extent, area.width());
  const int from = area.left() + int(whole.xOf(m_measured.begin)), to = area.left() + int(whole.xOf(m_measured.end));
  painter.fillRect(QRect(from, area.top(), std::max(2, to - from), area.height()), span);
}

void TimeView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  layoutScroll();
  visibleWasChanged();
}

void TimeView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  layoutScroll();
  visibleWasChanged();
}

void TimeView::wheelEvent(QWheelEvent* event) {
  const QPoint turn = event->angleDelta();
  event->accept();
  if (event->modifiers() & Qt::ShiftModifier || std::abs(turn.x()) > std::abs(turn.y())) {
    panBy(-(std::abs(turn.x()) > std::abs(turn.y()) ? turn.x() : turn.y()) / 120.0 * 80);
  } else if (event->modifiers() & Qt::ControlModifier || event->position().x() < m_gutter) {
    m_scroll->setValue(m_scroll->value() - turn.y() / 120 * 3 * theme::kLane);
  } else if (turn.y() != 0) {
    changeVisible(scale().zoomed(std::pow(kWheelZoom, -turn.y() / 120.0), event->position().x() - m_gutter, m_extent));
  }
}

void TimeView::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
  m_pressAt = event->pos(), m_pressVisible = m_visible, m_pressScroll = m_scroll->value(), m_moved = false;
  m_pressedMarker = event->button() == Qt::LeftButton ? markerAt(event->pos()) : -1;
  if (m_pressedMarker >= 0) return;
  if (m_minimap && minimapArea().contains(event->pos())) {
    m_drag = Drag::Minimap;
    m_overviewFrame.press(event->pos().x(), minimapArea(), visiblePart(), kLeastPart / double(m_extent.size()));
    dragOverview(event->pos().x());
  } else if (axisArea().contains(event->pos()) || (event->modifiers() & Qt::ControlModifier && body().contains(event->pos()))) {
    m_drag = Drag::Ruler;
    m_rulerFrom = snapped(event->pos(), scale().tickAt(event->pos().x() - m_gutter));
  } else if (event->modifiers() & Qt::AltModifier && event->pos().y() >= body().top()) {
    m_drag = Drag::Shift;
  } else if (event->modifiers() & Qt::ShiftModifier && body().contains(event->pos())) {
    m_drag = Drag::Zone;
    m_zoneFrom = m_zoneTo = scale().tickAt(event->pos().x() - m_gutter);
  } else if (event->button() == Qt::LeftButton && event->pos().x() < m_gutter && movesRow(event->pos())) {
    m_drag = Drag::Row;
  } else {
    m_drag = Drag::Pan;
  }
}

void TimeView::mouseMoveEvent(QMouseEvent* event) {
  const QPoint at = event->pos();
  if (m_drag != Drag::None && (at - m_pressAt).manhattanLength() >= kDragSlop) m_moved = true;
  switch (m_drag) {
  case Drag::Pan:
    if (!m_moved) return;
    setCursor(Qt::ClosedHandCursor);
    m_scroll->setValue(m_pressScroll - (at.y() - m_pressAt.y()));
    changeVisible(TimeScale(m_pressVisible, body().width()).panned(m_pressAt.x() - at.x(), m_extent));
    return;
  case Drag::Shift:
    if (m_moved) emit shiftDragged(m_pressAt, int64_t((at.x() - m_pressAt.x()) * scale().ticksPerPixel()), false);
    return;
  case Drag::Zone:
    m_zoneTo = scale().tickAt(std::clamp(at.x() - m_gutter, 0, body().width()));
    update();
    return;
  case Drag::Ruler: {
    if (!m_moved) return;
    const QPoint inside(std::clamp(at.x(), m_gutter, m_gutter + body().width()), at.y());
    const int64_t to = snapped(inside, scale().tickAt(inside.x() - m_gutter));
    const auto [from, end] = std::minmax(m_rulerFrom, to);
    setMeasured(reports::TickRange{from, end}.clippedTo(m_extent));
    return;
  }
  case Drag::Minimap: return dragOverview(at.x());
  case Drag::Row:
    if (!m_moved) return;
    setCursor(Qt::ClosedHandCursor);
    hoverCard().hide();
    return rowDragged(m_pressAt, at, false);
  case Drag::None: break;
  }
  hoverAt(at);
}

void TimeView::hoverAgain() {
  if (m_hoverTick >= 0 && m_drag == Drag::None) hoverAt(m_hoverAt);
}

void TimeView::hoverAt(const QPoint& at) {
  m_hoverAt = at;
  m_hoverTick = body().contains(at) ? scale().tickAt(at.x() - m_gutter) : -1;
  emit tickHovered(m_hoverTick);
  if (const int marker = markerAt(at); marker >= 0) {
    const Marker& m = m_markers[std::size_t(marker)];
    hoverCard().showAt({m.text,
                        {{tr("from"), durationExact(m.ticks.begin), {}}, {tr("shows"), durationExact(m.ticks.size()), {}}},
                        tr("Click goes there, B to the next")},
                       at);
    setCursor(Qt::PointingHandCursor);
  } else {
    if (m_minimap && minimapArea().contains(at))
      setCursor(OverviewFrame::cursorAt(at.x(), minimapArea(), visiblePart()));
    else if (cursor().shape() != Qt::ArrowCursor)
      unsetCursor();
    hovered(at);
  }
  update();
}

void TimeView::zoomToZone() {
  const auto [from, to] = std::minmax(m_zoneFrom, m_zoneTo);
  if (to > from) changeVisible(reports::TickRange{from, to}.clippedTo(m_extent));
}

void TimeView::mouseReleaseEvent(QMouseEvent* event) {
  unsetCursor();
  if (const int marker = std::exchange(m_pressedMarker, -1); marker >= 0) {
    if (markerAt(event->pos()) == marker) emit markerChosen(marker);
    return;
  }
  const Drag drag = std::exchange(m_drag, Drag::None);
  if (drag == Drag::Ruler && (m_moved || axisArea().contains(event->pos())))
    measure(m_moved || m_measured.contains(scale().tickAt(event->pos().x() - m_gutter)) ? m_measured : reports::TickRange());
  else if (drag == Drag::Zone && m_moved)
    zoomToZone();
  else if (drag == Drag::Shift && m_moved)
    emit shiftDragged(m_pressAt, int64_t((event->pos().x() - m_pressAt.x()) * scale().ticksPerPixel()), true);
  else if (drag == Drag::Row && m_moved)
    rowDragged(m_pressAt, event->pos(), true);
  else if (drag != Drag::None && drag != Drag::Minimap && !m_moved && event->button() == Qt::LeftButton)
    clicked(event->pos(), event->modifiers());
  hoverAt(event->pos());
}

void TimeView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (m_minimap && minimapArea().contains(event->pos()))
    fit();
  else if (markerArea().contains(event->pos()))
    return; // its first click went there already
  else if (axisArea().contains(event->pos()) && !m_measured.empty())
    changeVisible(m_measured);
  else if (!axisArea().contains(event->pos()))
    doubleClicked(event->pos());
}

void TimeView::leaveEvent(QEvent* event) {
  m_hoverTick = -1;
  emit tickHovered(-1);
  hoverCard().hide();
  update();
  QWidget::leaveEvent(event);
}

bool TimeView::keyPressed(QKeyEvent*) { return false; }
bool TimeView::movesRow(const QPoint&) const { return false; }
void TimeView::rowDragged(const QPoint&, const QPoint&, bool) {}

void TimeView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && !m_measured.empty()) return measure({}); // the ruler first, then the selection
  if (keyPressed(event)) return;
  if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) return QWidget::keyPressEvent(event);
  const double page = body().width() * (event->modifiers() & Qt::ShiftModifier ? 0.8 : kKeyPan);
  switch (event->key()) {
  case Qt::Key_W:
  case Qt::Key_Plus:
  case Qt::Key_Equal: return zoomBy(1 / kKeyZoom);
  case Qt::Key_S:
  case Qt::Key_Minus: return zoomBy(kKeyZoom);
  case Qt::Key_A: return panBy(-page);
  case Qt::Key_D: return panBy(page);
  case Qt::Key_F:
  case Qt::Key_Home: return fit();
  case Qt::Key_B:
    if (!goToMarker(!(event->modifiers() & Qt::ShiftModifier))) QWidget::keyPressEvent(event);
    return;
  case Qt::Key_Up: return m_scroll->setValue(m_scroll->value() - 3 * theme::kLane);
  case Qt::Key_Down: return m_scroll->setValue(m_scroll->value() + 3 * theme::kLane);
  default: QWidget::keyPressEvent(event);
  }
}

} // namespace ui::plot
