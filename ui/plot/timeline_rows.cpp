// Rows of a timeline: those that are dragged by their titles to another place, and the folded ones by their titles.
#include "ui/plot/timeline.h"
#include "ui/theme/theme.h"

#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <utility>

namespace ui::plot {

namespace {
constexpr qsizetype kMostFolds = 64; // bands that a link names
}

// "IPU 0, IPU 1. Cycle 0 to 1,234 of 5,678"
QString Timeline::shows() const {
  constexpr int kNamed = 8;
  QStringList titles;
  int64_t bands = 0;
  for (const Track& track : m_tracks)
    if (!track.heading && ++bands <= kNamed) titles << track.title;
  if (titles.isEmpty()) return tr("Nothing is shown");
  if (bands > kNamed) titles << tr("%1 more").arg(theme::count(bands - kNamed));
  return QStringLiteral("%1. %2").arg(titles.join(QStringLiteral(", ")), TimeView::shows());
}

QString Timeline::arrowKeys() const { return tr("Arrow keys select slices, Enter zooms to the selected one."); }

// What a track is called in links: its key, or its place.
QString Timeline::idOf(std::size_t track) const {
  const int64_t key = m_tracks[track].key;
  return key >= 0 ? QStringLiteral("#%1").arg(key) : QStringLiteral("@%1").arg(track);
}

std::optional<QStringList> Timeline::folds() const {
  QStringList ids;
  bool isFirst = true;
  for (std::size_t i = 0; i < m_tracks.size(); ++i) {
    isFirst = isFirst && m_folded[i] == m_tracks[i].folded;
    if (m_folded[i]) ids << idOf(i);
  }
  return isFirst || ids.size() > kMostFolds ? std::nullopt : std::optional(ids); // a link has an end
}

void Timeline::setFolds(const std::optional<QStringList>& ids) {
  std::vector<bool> folded;
  for (std::size_t i = 0; i < m_tracks.size(); ++i)
    folded.push_back(ids ? ids->contains(idOf(i)) || ids->contains(m_tracks[i].title) : m_tracks[i].folded);
  if (folded == m_folded) return;
  m_folded = std::move(folded);
  layoutLanes();
  m_requested = {};
  relayout();
  emit foldsChanged();
}

QString Timeline::titleOf(int track) const {
  return track >= 0 && track < int(m_tracks.size()) ? m_tracks[std::size_t(track)].title : QString();
}

int Timeline::topOf(int track) const {
  int y = kTrackGap / 2;
  for (int i = 0; i < track && i < int(m_tracks.size()); ++i)
    y += m_tracks[std::size_t(i)].heading ? kHeading : lanesShown(std::size_t(i)) * theme::kLane + kTrackGap;
  return y;
}

int Timeline::titleAt(const QPoint& at) const {
  const int y = at.y() - body().top() + scrolled();
  if (at.x() >= body().left() || at.y() < body().top() || y < 0 || y >= m_height) return -1;
  int track = 0;
  while (track + 1 < int(m_tracks.size()) && y >= topOf(track + 1) - kTrackGap / 2) ++track;
  return m_tracks.empty() ? -1 : track;
}

bool Timeline::movesRow(const QPoint& from) const {
  const int track = titleAt(from);
  return m_landing && track >= 0 && m_landing(track, track) >= 0;
}

// A row lands in the gap nearest to the pointer. Near the edge of the picture the rows scroll along.
void Timeline::rowDragged(const QPoint& from, const QPoint& to, bool ended) {
  if (m_draggedTrack < 0) m_draggedTrack = titleAt(from);
  if (m_draggedTrack < 0) return;
  const QRect area = body();
  if (!ended && to.y() < area.top() + theme::kLane)
    scrollBar().setValue(scrollBar().value() - theme::kLane);
  else if (!ended && to.y() > area.bottom() - theme::kLane)
    scrollBar().setValue(scrollBar().value() + theme::kLane);
  const int y = to.y() - area.top() + scrolled(), count = int(m_tracks.size());
  int gap = 0;
  while (gap < count && y > (topOf(gap) + topOf(gap + 1)) / 2) ++gap;
  m_landingGap = m_landing(m_draggedTrack, gap);
  if (ended) {
    const int track = std::exchange(m_draggedTrack, -1), landing = std::exchange(m_landingGap, -1);
    if (landing >= 0) emit rowDropped(track, landing);
  }
  update();
}

// The dragged title steps back, and a line shows where it would land.
void Timeline::paintLanding(QPainter& painter, const QRect& area) const {
  const theme::Tokens& t = theme().tokens();
  QColor veil = t.accent;
  veil.setAlpha(40);
  const int top = area.top() + topOf(m_draggedTrack) - scrolled();
  painter.fillRect(QRect(0, top, area.width(), m_tracks[std::size_t(m_draggedTrack)].heading ? kHeading : theme::kLane), veil);
  const int y = std::clamp(area.top() + topOf(m_landingGap) - scrolled() - kTrackGap / 2, area.top() + 1, area.bottom() - 1);
  painter.setPen(QPen(t.accent, 2));
  painter.drawLine(2, y, area.width() - 2, y);
}

} // namespace ui::plot
