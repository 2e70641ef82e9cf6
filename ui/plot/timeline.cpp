#include "ui/plot/timeline.h"

#include "ui/plot/spoken.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>
#include <utility>

namespace ui::plot {

Timeline::Timeline(const theme::Theme& theme, const QString& name, jobs::JobBoard* board, QWidget* parent)
    : TimeView(theme, name, parent), m_slices(m_rows, name, board), m_painter(theme, m_rows, m_slices, m_selection) {
  connect(&m_rows, &TimelineRows::foldsChanged, this, [this] {
    m_slices.forgetRequest(); // other lanes became visible
    relayout();
  });
  connect(&m_slices, &TimelineSlices::read, this, [this] {
    hoverAgain(); // the tooltip may describe slices that were drawn as one
    update();
  });
  connect(&m_slices, &TimelineSlices::overviewRead, this, qOverload<>(&QWidget::update));
  connect(&m_slices, &TimelineSlices::busyChanged, this, &TimeView::busyChanged);
  connect(&m_slices, &TimelineSlices::failed, this, &Timeline::failed);
}

Timeline::~Timeline() = default;

void Timeline::setSource(std::shared_ptr<const SliceSource> source) {
  m_slices.setSource(source);
  m_painter.forgetSource();
  if (!m_rows.setTracks(source ? source->tracks() : std::vector<Track>())) {
    m_selection.id = -1, m_selection.row = -1;
    setSelectedTicks({}); // else F would zoom to a selection of the previous source
  }
  setExtent(source ? source->extent() : reports::TickRange{0, 1});
  m_slices.fetchOverview(extent());
  describeIt();
  visibleWasChanged();
  update();
}

void Timeline::refetch() {
  m_slices.forgetRequest();
  visibleWasChanged();
}

void Timeline::recolour() {
  refetch();
  m_slices.fetchOverview(extent());
}

void Timeline::setHiddenColours(std::set<int> colours) {
  m_slices.setHiddenColours(std::move(colours));
  update();
}

void Timeline::setSelectedId(int64_t id) {
  if (id == m_selection.id) return;
  m_selection = {id, -1, {}};
  setSelectedTicks({});
  update();
}

void Timeline::narrowSelection(int64_t id, reports::TickRange ticks) {
  m_selection.id = id, m_selection.ticks = ticks;
  setSelectedTicks(ticks);
  update();
}

void Timeline::selectSlice(int track, int lane, int64_t id) {
  if (id != m_selection.id) m_rows.setFolded(track, false); // others may hide it on a folded track; a clicked one is visible
  setSelectedId(id);
  if (const int row = m_rows.indexOf(track, lane); row >= 0) m_selection.row = row;
  scrollToSelected();
}

void Timeline::scrollToSelected() {
  if (m_selection.row >= 0) scrollTo(m_rows.lanes()[std::size_t(m_selection.row)].top, theme::kLane);
}

// The selected slice stays visible when a panel below takes some of the height.
void Timeline::resizeEvent(QResizeEvent* event) {
  const int lost = event->oldSize().isValid() ? event->oldSize().height() - event->size().height() : 0;
  const bool isChosen = m_selection.row >= 0 && std::size_t(m_selection.row) < m_rows.lanes().size();
  const int at = isChosen ? m_rows.lanes()[std::size_t(m_selection.row)].top - scrolled() : -1;
  TimeView::resizeEvent(event);
  if (at >= 0 && at + theme::kLane <= body().height() + lost) scrollToSelected();
}

void Timeline::showInterval(reports::TickRange interval) {
  const int64_t margin = std::max<int64_t>(interval.size() / 8, 4);
  showExactly({interval.begin - margin, interval.end + margin});
}

void Timeline::showExactly(reports::TickRange interval) {
  const reports::TickRange before = visibleRange();
  setVisibleRange(interval);
  if (visibleRange() != before) emit visibleChanged(visibleRange());
}

void Timeline::reveal(int track) {
  m_rows.setFolded(track, false);
  int top = -1, bottom = 0;
  for (const TimelineRows::Lane& row : m_rows.lanes())
    if (row.track == track) top = top < 0 ? row.top : top, bottom = row.top + theme::kLane;
  if (top >= 0) scrollTo(top, std::min(bottom - top, body().height()));
}

int Timeline::trackAtPoint(const QPoint& at) const { return m_rows.trackFrom(contentYOf(at)); }

void Timeline::visibleWasChanged() {
  if (isVisible()) m_slices.fetch(scene());
}

void Timeline::paintBody(QPainter& painter, const QRect&) { m_painter.paintBody(painter, scene()); }

void Timeline::paintGutter(QPainter& painter, const QRect& area) {
  m_painter.paintGutter(painter, area, scene());
  if (m_landingGap >= 0) m_painter.paintLanding(painter, area, scene(), m_draggedTrack, m_landingGap);
}

void Timeline::paintMinimap(QPainter& painter, const QRect& area) { m_painter.paintMinimap(painter, area, scene()); }

int64_t Timeline::snapped(const QPoint& at, int64_t tick) const { return m_slices.edgeNear(at, tick, scene()); }

int Timeline::foldableAt(const QPoint& at) const {
  const int track = isInGutter(at) ? m_rows.trackAt(contentYOf(at)) : -1;
  return track >= 0 && m_rows.tracks()[std::size_t(track)].lanes > 1 ? track : -1;
}

void Timeline::hovered(const QPoint& at) {
  if (const int track = foldableAt(at); track >= 0) {
    const Track& t = m_rows.tracks()[std::size_t(track)];
    setCursor(Qt::PointingHandCursor);
    return hoverCard().showAt(
        {t.title,
         {{t.detail, {}, {}}},
         m_rows.isFolded(track) ? tr("Click shows its lanes (E)") : tr("Click collapses it to one lane (E)")},
        at);
  }
  unsetCursor();
  const auto hit = m_slices.source() ? hitAt(at) : std::nullopt;
  hoverCard().showAt(hit ? m_slices.source()->card(hit->track, hit->lane, hit->slice) : Card(), at);
}

// "IPU 0, IPU 1. Cycle 0 to 1,234 of 5,678"
QString Timeline::shows() const {
  const QString titles = m_rows.titles();
  return titles.isEmpty() ? tr("Nothing is shown") : QStringLiteral("%1. %2").arg(titles, TimeView::shows());
}

QString Timeline::arrowKeys() const { return tr("Arrow keys select slices, Enter zooms to the selected one."); }

bool Timeline::movesRow(const QPoint& from) const {
  const int track = titleAt(from);
  return m_landing && track >= 0 && m_landing(track, track) >= 0;
}

// A dropped row goes to the gap nearest to the pointer. Near the edge of the plot the rows scroll.
void Timeline::rowDragged(const QPoint& from, const QPoint& to, bool ended) {
  if (m_draggedTrack < 0) m_draggedTrack = titleAt(from);
  if (m_draggedTrack < 0) return;
  const QRect area = body();
  if (!ended && to.y() < area.top() + theme::kLane)
    scrollBar().setValue(scrollBar().value() - theme::kLane);
  else if (!ended && to.y() > area.bottom() - theme::kLane)
    scrollBar().setValue(scrollBar().value() + theme::kLane);
  m_landingGap = m_landing(m_draggedTrack, m_rows.gapAt(contentYOf(to)));
  if (ended) {
    const int track = std::exchange(m_draggedTrack, -1), landing = std::exchange(m_landingGap, -1);
    if (landing >= 0) emit rowDropped(track, landing);
  }
  update();
}

void Timeline::select(const Hit& hit) {
  m_selection.id = hit.slice.id, m_selection.ticks = {hit.slice.begin, hit.slice.end};
  setSelectedTicks(m_selection.ticks);
  if (const int row = m_rows.indexOf(hit.track, hit.lane); row >= 0) m_selection.row = row;
  if (const SliceSource* source = m_slices.source())
    speak(*this, QStringLiteral("%1: %2").arg(m_rows.titleOf(hit.track), wordsOf(source->card(hit.track, hit.lane, hit.slice))));
  emit sliceClicked(hit.track, hit.lane, hit.slice);
  update();
}

void Timeline::clearSelection() {
  m_selection.id = -1;
  setSelectedTicks({});
  emit selectionCleared();
  update();
}

void Timeline::clicked(const QPoint& at, Qt::KeyboardModifiers) {
  if (isInGutter(at)) {
    if (const int track = foldableAt(at); track >= 0) m_rows.setFolded(track, !m_rows.isFolded(track));
  } else if (const auto hit = hitAt(at)) {
    select(*hit);
  } else {
    clearSelection();
  }
}

void Timeline::doubleClicked(const QPoint& at) {
  if (at.x() < body().left()) return clicked(at, {}); // two clicks on a title
  const auto hit = hitAt(at);
  if (!hit) return fit();
  showExactly(m_selection.meantBy(hit->slice));
  hoverCard().hide(); // the tooltip describes the slice before the zoom
  emit sliceActivated(hit->track, hit->lane, hit->slice);
}

void Timeline::activateSelected() {
  if (m_slices.size() == 0 || m_selection.id < 0) return;
  for (std::size_t i = 0; i < m_slices.size(); ++i)
    for (const Slice& slice : m_slices[i])
      if (slice.id == m_selection.id) {
        showExactly(m_selection.meantBy(slice));
        emit sliceActivated(m_rows.lanes()[i].track, m_rows.lanes()[i].lane, slice);
        return;
      }
  if (!m_selection.ticks.empty()) showExactly(m_selection.ticks); // too small to be drawn by itself
}

bool Timeline::keyPressed(QKeyEvent* event) {
  const int direction = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up ? -1 : 1;
  switch (event->key()) {
  case Qt::Key_E:
    if (event->modifiers() & Qt::ShiftModifier || m_selection.row < 0) {
      m_rows.setAllFolded(!m_rows.isAnyFolded());
    } else {
      const int track = m_rows.lanes()[std::size_t(m_selection.row)].track;
      m_rows.setFolded(track, !m_rows.isFolded(track));
    }
    return true;
  case Qt::Key_Left:
  case Qt::Key_Right:
    if (const auto next = m_selection.next(m_rows, m_slices, visibleRange(), direction)) {
      if (!visibleRange().overlaps({next->slice.begin, next->slice.end})) panBy(direction * body().width() / 2.0);
      select(*next);
    }
    return true;
  case Qt::Key_Up:
  case Qt::Key_Down:
    if (m_selection.id < 0) return false; // scrolls
    if (event->modifiers() & Qt::ControlModifier) {
      scrollBar().setValue(scrollBar().value() + direction * 3 * theme::kLane);
    } else if (const auto next = m_selection.nextLane(m_rows, m_slices, visibleRange(), direction)) {
      m_rows.setFolded(next->track, false);
      select(*next);
      scrollToSelected();
    }
    return true;
  case Qt::Key_Escape: clearSelection(); return true;
  case Qt::Key_Return:
  case Qt::Key_Enter: activateSelected(); return true;
  default: return false;
  }
}

} // namespace ui::plot
