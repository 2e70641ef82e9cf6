// Clicks and keys on a timeline: select slices and step from one to the next.
#include "ui/plot/spoken.h"
#include "ui/plot/timeline.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>

namespace ui::plot {

void Timeline::select(const Hit& hit) {
  m_selectedId = hit.slice.id, m_selectedTicks = {hit.slice.begin, hit.slice.end};
  for (std::size_t i = 0; i < m_rows.size(); ++i)
    if (m_rows[i].track == hit.track && m_rows[i].lane == hit.lane) m_selectedRow = int(i);
  if (m_source)
    speak(*this, QStringLiteral("%1: %2").arg(titleOf(hit.track), wordsOf(m_source->card(hit.track, hit.lane, hit.slice))));
  emit sliceClicked(hit.track, hit.lane, hit.slice);
  update();
}

void Timeline::clicked(const QPoint& at, Qt::KeyboardModifiers) {
  if (at.x() < body().left() && at.y() >= body().top()) {
    const int track = trackAt(at.y() - body().top() + scrolled());
    if (track >= 0 && m_tracks[std::size_t(track)].lanes > 1) setFolded(track, !isFolded(track));
    return;
  }
  if (const auto hit = hitAt(at)) return select(*hit);
  m_selectedId = -1;
  emit selectionCleared();
  update();
}

// A click may have said which slice of several that are drawn as one is meant. The longest of them may reach beyond what is drawn.
reports::TickRange Timeline::meantBy(const Slice& drawn) const {
  const reports::TickRange whole{drawn.begin, drawn.end};
  const bool stands = whole.begin <= m_selectedTicks.begin && m_selectedTicks.end <= whole.end;
  const bool isLongest = drawn.count > 1 && drawn.id == m_selectedId && whole.overlaps(m_selectedTicks);
  return !m_selectedTicks.empty() && (stands || isLongest) ? m_selectedTicks : whole;
}

void Timeline::doubleClicked(const QPoint& at) {
  if (at.x() < body().left()) return clicked(at, {}); // two clicks on a title
  const auto hit = hitAt(at);
  if (!hit) return fit();
  showExactly(meantBy(hit->slice));
  hoverCard().hide(); // of what was there before
  emit sliceActivated(hit->track, hit->lane, hit->slice);
}

// The drawn slice of a lane that is selected, or that stands for the selected one among others; end: none.
std::vector<Slice>::const_iterator Timeline::selectedIn(const std::vector<Slice>& lane) const {
  const auto here = std::find_if(lane.begin(), lane.end(), [this](const Slice& s) { return s.id == m_selectedId; });
  if (here != lane.end() || m_selectedTicks.empty()) return here;
  return std::find_if(lane.begin(), lane.end(),
                      [this](const Slice& s) { return s.begin <= m_selectedTicks.begin && m_selectedTicks.begin < s.end; });
}

// Selects the slice of the next lane above or below that runs where the selected one begins, or the one nearest to it.
void Timeline::stepLane(int direction) {
  if (!m_lanes || m_selectedRow < 0 || m_selectedId < 0) return;
  const auto lanes = std::min(m_rows.size(), m_lanes->lanes.size());
  if (std::size_t(m_selectedRow) >= lanes) return;
  const auto& own = m_lanes->lanes[std::size_t(m_selectedRow)];
  const auto here = selectedIn(own);
  const int64_t tick = here == own.end() ? visibleRange().begin : std::max(here->begin, visibleRange().begin);
  for (int row = m_selectedRow + direction; row >= 0 && std::size_t(row) < lanes; row += direction) {
    const auto& lane = m_lanes->lanes[std::size_t(row)];
    auto next = std::partition_point(lane.begin(), lane.end(), [&](const Slice& s) { return s.end <= tick; });
    if (next == lane.end() && next != lane.begin()) --next;
    if (next == lane.end() || !visibleRange().overlaps({next->begin, next->end})) continue; // an empty lane is passed over
    const LaneRow& to = m_rows[std::size_t(row)];
    setFolded(to.track, false);
    select({to.track, to.lane, *next});
    m_selectedRow = row;
    return scrollTo(m_rows[std::size_t(row)].top, theme::kLane);
  }
}

// Selects the next or previous slice of the selected lane.
void Timeline::step(int direction) {
  if (!m_lanes || m_rows.empty()) return;
  const auto row = std::size_t(std::clamp(m_selectedRow, 0, int(m_rows.size()) - 1));
  if (row >= m_lanes->lanes.size()) return;
  const auto& lane = m_lanes->lanes[row];
  const auto here = selectedIn(lane);
  auto next = here;
  if (here == lane.end())
    next = std::find_if(lane.begin(), lane.end(), [this](const Slice& s) { return s.end > visibleRange().begin; });
  else if (direction > 0)
    ++next;
  else if (here == lane.begin())
    return;
  else
    --next;
  if (next == lane.end()) return;
  if (!visibleRange().overlaps({next->begin, next->end})) panBy(direction * body().width() / 2.0);
  select({m_rows[row].track, m_rows[row].lane, *next});
}

bool Timeline::keyPressed(QKeyEvent* event) {
  switch (event->key()) {
  case Qt::Key_E:
    if (event->modifiers() & Qt::ShiftModifier || m_selectedRow < 0)
      setAllFolded(std::find(m_folded.begin(), m_folded.end(), true) == m_folded.end());
    else
      setFolded(m_rows[std::size_t(m_selectedRow)].track, !isFolded(m_rows[std::size_t(m_selectedRow)].track));
    return true;
  case Qt::Key_Left: step(-1); return true;
  case Qt::Key_Right: step(1); return true;
  case Qt::Key_Up:
  case Qt::Key_Down:
    if (m_selectedId < 0) return false; // scrolls
    if (event->modifiers() & Qt::ControlModifier) {
      scrollBar().setValue(scrollBar().value() + (event->key() == Qt::Key_Up ? -3 : 3) * theme::kLane);
      return true;
    }
    stepLane(event->key() == Qt::Key_Up ? -1 : 1);
    return true;
  case Qt::Key_Escape:
    m_selectedId = -1;
    emit selectionCleared();
    update();
    return true;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (!m_lanes || m_selectedId < 0) return true;
    for (std::size_t i = 0; i < m_rows.size() && i < m_lanes->lanes.size(); ++i)
      for (const Slice& slice : m_lanes->lanes[i])
        if (slice.id == m_selectedId) {
          showExactly(meantBy(slice));
          emit sliceActivated(m_rows[i].track, m_rows[i].lane, slice);
          return true;
        }
    if (!m_selectedTicks.empty()) showExactly(m_selectedTicks); // too small to be drawn by itself
    return true;
  default: return false;
  }
}

} // namespace ui::plot
