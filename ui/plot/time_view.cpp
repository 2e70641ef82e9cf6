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
constexpr double kKeyZoom = 1.5, kKeyPan = 0.15;
} // namespace

TimeView::TimeView(const theme::Theme& theme, const QString& name, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_scroll(new QScrollBar(Qt::Vertical, this)), m_card(new HoverCard(theme, this)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  makeSpoken(*this); // before the name is set
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
  hoverAgain(); // the resting pointer is over another time now
  update();
}

void TimeView::changeVisible(reports::TickRange range) {
  if (range == m_visible) return;
  setVisibleRange(range);
  emit visibleChanged(m_visible);
}

void TimeView::fit() { changeVisible(m_extent); }

void TimeView::frame() {
  const int64_t margin = std::max<int64_t>(m_selectedTicks.size() / 8, 4);
  std::vector<reports::TickRange> order;
  if (!m_selectedTicks.empty())
    order.push_back(reports::TickRange{m_selectedTicks.begin - margin, m_selectedTicks.end + margin}.clippedTo(m_extent));
  if (!m_measured.empty()) order.push_back(m_measured.clippedTo(m_extent));
  order.push_back(m_extent);
  const auto shown = std::find(order.begin(), order.end(), m_visible);
  changeVisible(shown == order.end() || shown + 1 == order.end() ? order.front() : *(shown + 1));
}

void TimeView::zoomBy(double factor) { changeVisible(scale().zoomed(factor, body().width() / 2.0, m_extent)); }
void TimeView::panBy(double pixels) { changeVisible(scale().panned(pixels, m_extent)); }

void TimeView::setFormat(const theme::Format& format) {
  m_format.format = format;
  update();
}

void TimeView::setCursorTick(int64_t tick) {
  if (std::exchange(m_pointer.linkedTick, tick) != tick) update();
}

void TimeView::setMeasured(reports::TickRange range) {
  if (std::exchange(m_measured, range) != range) update();
}

void TimeView::setMarkers(std::vector<Marker> markers) {
  if (m_markers.set(std::move(markers))) relayout();
}

void TimeView::measure(reports::TickRange range) {
  setMeasured(range);
  emit rangeMeasured(range);
}

void TimeView::setGutter(int width) {
  m_layout.gutter = width;
  visibleWasChanged();
  update();
}

void TimeView::setMinimapShown(bool shown) {
  m_layout.hasMinimap = shown;
  layoutScroll();
  update();
}

void TimeView::setAxisShown(bool shown) {
  m_layout.hasAxis = shown;
  layoutScroll();
  update();
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

TimeLayout TimeView::bands() const {
  TimeLayout now = m_layout;
  now.size = size(), now.hasMarkers = !m_markers.isEmpty();
  return now;
}

void TimeView::layoutScroll() {
  const QRect area = body();
  const int content = contentHeight();
  m_scroll->setGeometry(width() - TimeLayout::kScrollWidth - 1, area.top(), TimeLayout::kScrollWidth, area.height());
  m_scroll->setRange(0, std::max(0, content - area.height()));
  m_scroll->setPageStep(area.height());
  m_scroll->setSingleStep(theme::kLane);
  m_scroll->setVisible(content > area.height());
}

void TimeView::paintEvent(QPaintEvent*) {
  const theme::Tokens& t = m_theme.tokens();
  const TimeScene now = scene();
  QPainter painter(this);
  painter.fillRect(rect(), t.surface);
  const QRect area = now.layout.body();
  painter.save();
  painter.setClipRect(area);
  paintBody(painter, area);
  painter.restore();
  if (ignoresClips(painter)) fillAround(painter, rect(), area, t.surface);
  paintTimeAxis(painter, now, m_pointer, m_drag.kind() != TimeDrag::Kind::None);
  if (!m_markers.isEmpty()) m_markers.paint(painter, now);
  if (!m_measured.empty()) paintTimeRuler(painter, now, m_measured);
  if (now.layout.hasMinimap) paintOverview(painter);
  const QRect beside(0, area.top(), area.left(), area.height());
  painter.save();
  painter.setClipRect(beside);
  paintGutter(painter, beside);
  painter.restore();
  painter.setPen(t.grid);
  painter.drawLine(area.left() - 1, now.layout.axis().top(), area.left() - 1, height());
  if (m_drag.kind() == TimeDrag::Kind::Zone) m_drag.paintZone(painter, now);
  paintFrame(painter, *this, m_theme);
}

void TimeView::paintOverview(QPainter& painter) {
  const TimeScene now = scene();
  const QRect map = now.layout.minimap();
  painter.save();
  painter.setClipRect(map);
  paintMinimap(painter, map);
  OverviewFrame::paint(painter, m_theme.tokens(), map, now.visiblePart());
  if (!m_measured.empty()) paintTimeRulerOnMap(painter, now, m_measured);
  m_markers.paintOnMap(painter, now);
  painter.restore();
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
  } else if (event->modifiers() & Qt::ControlModifier || event->position().x() < m_layout.gutter) {
    m_scroll->setValue(m_scroll->value() - turn.y() / 120 * 3 * theme::kLane);
  } else if (turn.y() != 0) {
    changeVisible(scale().zoomed(std::pow(kWheelZoom, -turn.y() / 120.0), event->position().x() - m_layout.gutter, m_extent));
  }
}

void TimeView::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
  const TimeScene now = scene();
  const int marker = event->button() == Qt::LeftButton ? m_markers.at(event->pos(), now) : -1;
  m_markers.press(marker);
  if (marker >= 0) return;
  m_drag.press(*event, now, m_scroll->value(), *this);
  if (m_drag.kind() == TimeDrag::Kind::Minimap) changeVisible(m_drag.overviewTo(event->pos().x(), now));
}

void TimeView::mouseMoveEvent(QMouseEvent* event) {
  using Kind = TimeDrag::Kind;
  const QPoint at = event->pos();
  const TimeScene now = scene();
  const QPoint inside(std::clamp(at.x(), now.layout.gutter, now.layout.gutter + body().width()), at.y());
  m_drag.moveTo(at);
  switch (m_drag.kind()) {
  case Kind::Pan:
    if (!m_drag.hasMoved()) return;
    setCursor(Qt::ClosedHandCursor);
    m_scroll->setValue(m_drag.scrolledTo(at));
    return changeVisible(m_drag.pannedTo(at, now));
  case Kind::Shift:
    if (m_drag.hasMoved()) emit shiftDragged(m_drag.from(), m_drag.shiftedTo(at, now), false);
    return;
  case Kind::Zone: m_drag.spanTo(now.tickAt(inside.x())); return update();
  case Kind::Ruler:
    if (m_drag.hasMoved()) setMeasured(m_drag.spanTo(snapped(inside, now.tickAt(inside.x()))).clippedTo(m_extent));
    return;
  case Kind::Minimap: return changeVisible(m_drag.overviewTo(at.x(), now));
  case Kind::Row:
    if (!m_drag.hasMoved()) return;
    setCursor(Qt::ClosedHandCursor);
    hoverCard().hide();
    return rowDragged(m_drag.from(), at, false);
  case Kind::None: return hoverAt(at);
  }
}

void TimeView::hoverAgain() {
  if (m_pointer.tick >= 0 && m_drag.kind() == TimeDrag::Kind::None) hoverAt(m_pointer.at);
}

void TimeView::hoverAt(const QPoint& at) {
  const TimeScene now = scene();
  const QRect map = now.layout.minimap();
  m_pointer.at = at;
  m_pointer.tick = body().contains(at) ? now.tickAt(at.x()) : -1;
  emit tickHovered(m_pointer.tick);
  if (const int marker = m_markers.at(at, now); marker >= 0) {
    const Marker& m = m_markers[marker];
    hoverCard().showAt({m.text,
                        {{tr("from"), m_format.exact(m.ticks.begin), {}}, {tr("shows"), m_format.exact(m.ticks.size()), {}}},
                        tr("Click goes there, B to the next")},
                       at);
    setCursor(Qt::PointingHandCursor);
  } else {
    if (now.layout.hasMinimap && map.contains(at))
      setCursor(OverviewFrame::cursorAt(at.x(), map, now.visiblePart()));
    else if (cursor().shape() != Qt::ArrowCursor)
      unsetCursor();
    hovered(at);
  }
  update();
}

void TimeView::mouseReleaseEvent(QMouseEvent* event) {
  using Kind = TimeDrag::Kind;
  const QPoint at = event->pos();
  const TimeScene now = scene();
  unsetCursor();
  if (const int marker = m_markers.release(); marker >= 0) {
    if (m_markers.at(at, now) == marker) emit markerChosen(marker);
    return;
  }
  const Kind drag = m_drag.release();
  const bool moved = m_drag.hasMoved();
  if (drag == Kind::Ruler && (moved || now.layout.axis().contains(at)))
    measure(moved || m_measured.contains(now.tickAt(at.x())) ? m_measured : reports::TickRange());
  else if (drag == Kind::Zone && moved && !m_drag.span().empty())
    changeVisible(m_drag.span().clippedTo(m_extent));
  else if (drag == Kind::Shift && moved)
    emit shiftDragged(m_drag.from(), m_drag.shiftedTo(at, now), true);
  else if (drag == Kind::Row && moved)
    rowDragged(m_drag.from(), at, true);
  else if (drag != Kind::None && drag != Kind::Minimap && !moved && event->button() == Qt::LeftButton)
    clicked(at, event->modifiers());
  hoverAt(at);
}

void TimeView::mouseDoubleClickEvent(QMouseEvent* event) {
  const TimeLayout now = bands();
  if (now.hasMinimap && now.minimap().contains(event->pos()))
    fit();
  else if (now.markers().contains(event->pos()))
    return; // the first click has already moved to the flag
  else if (now.axis().contains(event->pos()) && !m_measured.empty())
    changeVisible(m_measured);
  else if (!now.axis().contains(event->pos()))
    doubleClicked(event->pos());
}

void TimeView::leaveEvent(QEvent* event) {
  m_pointer.tick = -1;
  emit tickHovered(-1);
  hoverCard().hide();
  update();
  QWidget::leaveEvent(event);
}

void TimeView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && !m_measured.empty()) return measure({}); // Escape clears the ruler, then the selection
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
  case Qt::Key_F: return frame();
  case Qt::Key_Home: return fit();
  case Qt::Key_B: {
    const int marker = m_markers.next(!(event->modifiers() & Qt::ShiftModifier), scene());
    if (marker < 0) return QWidget::keyPressEvent(event);
    emit markerChosen(marker);
    return m_markers.wentTo(marker);
  }
  case Qt::Key_Up: return m_scroll->setValue(m_scroll->value() - 3 * theme::kLane);
  case Qt::Key_Down: return m_scroll->setValue(m_scroll->value() + 3 * theme::kLane);
  default: QWidget::keyPressEvent(event);
  }
}

// "Cycle 0 to 1,234 of 5,678"
QString TimeView::shows() const {
  if (m_format.amount)
    return tr("%1 to %2, of %3")
        .arg(m_format.duration(m_visible.begin), m_format.duration(m_visible.end), m_format.duration(m_extent.size()));
  return tr("%1 %2 to %3, of %4")
      .arg(m_format.isWithoutUnit   ? tr("Tick")
           : m_format.isNanoseconds ? tr("Nanosecond")
                                    : tr("Cycle"),
           theme::count(m_visible.begin), theme::count(m_visible.end), m_format.duration(m_extent.size()));
}

void TimeView::describeIt() {
  describe(*this, shows(),
           tr("W and S zoom, A and D pan, F shows the selection, Home everything, Ctrl+Shift+T lists it in a table. %1")
               .arg(arrowKeys()));
}

} // namespace ui::plot
