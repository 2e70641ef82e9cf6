#include "ui/plot/timeline_rows.h"

#include "ui/theme/format.h"
#include "ui/theme/theme.h"

#include <algorithm>
#include <map>

namespace ui::plot {

namespace {
constexpr qsizetype kMostFolds = 64; // most tracks that a link names
} // namespace

bool TimelineRows::setTracks(std::vector<Track> tracks) {
  const bool same =
      std::equal(tracks.begin(), tracks.end(), m_tracks.begin(), m_tracks.end(),
                 [](const Track& a, const Track& b) { return a.title == b.title && a.lanes == b.lanes && a.key == b.key; });
  if (!same) {
    std::map<int64_t, bool> folds; // by track key, because the order of the tracks may have changed
    for (std::size_t i = 0; i < m_tracks.size(); ++i)
      if (m_tracks[i].key >= 0) folds[m_tracks[i].key] = m_folded[i];
    m_folded.clear();
    for (const Track& track : tracks) {
      const auto known = folds.find(track.key);
      m_folded.push_back(known == folds.end() ? track.folded : known->second);
    }
  }
  m_tracks = std::move(tracks);
  layOut();
  return same;
}

void TimelineRows::layOut() {
  m_lanes.clear();
  int y = kTrackGap / 2;
  for (std::size_t i = 0; i < m_tracks.size(); ++i) {
    if (m_tracks[i].heading) {
      y += kHeading;
      continue;
    }
    // A track with one lane shows its name beside the lane; a deeper one has space below it.
    for (int lane = 0; lane < m_tracks[i].lanes; ++lane)
      m_lanes.push_back({int(i), lane, y + (m_folded[i] ? 0 : lane * theme::kLane)});
    y += lanesShown(i) * theme::kLane + kTrackGap;
  }
  m_height = y;
}

int TimelineRows::slicesLanes(int track) const {
  const Track& t = m_tracks[std::size_t(track)];
  return t.lanes > t.markLanes ? t.lanes - t.markLanes : t.lanes;
}

bool TimelineRows::isHidden(const Lane& row) const { return isFolded(row.track) && row.lane >= slicesLanes(row.track); }

int TimelineRows::lanesShown(std::size_t track) const {
  return m_folded[track] ? std::min(1, m_tracks[track].lanes) : m_tracks[track].lanes;
}

bool TimelineRows::isFolded(int track) const {
  return track >= 0 && track < int(m_folded.size()) && m_folded[std::size_t(track)];
}

bool TimelineRows::canFold() const {
  return std::any_of(m_tracks.begin(), m_tracks.end(), [](const Track& track) { return track.lanes > 1; });
}

bool TimelineRows::isAnyFolded() const { return std::find(m_folded.begin(), m_folded.end(), true) != m_folded.end(); }

void TimelineRows::setFolded(int track, bool folded) {
  if (track < 0 || track >= int(m_folded.size()) || m_folded[std::size_t(track)] == folded) return;
  m_folded[std::size_t(track)] = folded;
  layOut();
  emit foldsChanged();
}

void TimelineRows::setAllFolded(bool folded) {
  m_folded.assign(m_tracks.size(), folded);
  layOut();
  emit foldsChanged();
}

// The id of a track in links: its key, or its index.
QString TimelineRows::idOf(std::size_t track) const {
  const int64_t key = m_tracks[track].key;
  return key >= 0 ? QStringLiteral("#%1").arg(key) : QStringLiteral("@%1").arg(track);
}

std::optional<QStringList> TimelineRows::folds() const {
  QStringList ids;
  bool isFirst = true;
  for (std::size_t i = 0; i < m_tracks.size(); ++i) {
    isFirst = isFirst && m_folded[i] == m_tracks[i].folded;
    if (m_folded[i]) ids << idOf(i);
  }
  return isFirst || ids.size() > kMostFolds ? std::nullopt : std::optional(ids); // more would make a link too long
}

void TimelineRows::setFolds(const std::optional<QStringList>& ids) {
  std::vector<bool> folded;
  for (std::size_t i = 0; i < m_tracks.size(); ++i)
    folded.push_back(ids ? ids->contains(idOf(i)) || ids->contains(m_tracks[i].title) : m_tracks[i].folded);
  if (folded == m_folded) return;
  m_folded = std::move(folded);
  layOut();
  emit foldsChanged();
}

QString TimelineRows::titleOf(int track) const {
  return track >= 0 && track < int(m_tracks.size()) ? m_tracks[std::size_t(track)].title : QString();
}

QString TimelineRows::titles() const {
  constexpr int kNamed = 8;
  QStringList titles;
  int64_t bands = 0;
  for (const Track& track : m_tracks)
    if (!track.heading && ++bands <= kNamed) titles << track.title;
  if (bands > kNamed) titles << tr("%1 more").arg(theme::count(bands - kNamed));
  return titles.join(QStringLiteral(", "));
}

int TimelineRows::indexOf(int track, int lane) const {
  for (std::size_t i = 0; i < m_lanes.size(); ++i)
    if (m_lanes[i].track == track && m_lanes[i].lane == lane) return int(i);
  return -1;
}

int TimelineRows::trackAt(int y) const {
  for (const Lane& row : m_lanes)
    if (y >= row.top - kTrackGap / 2 && y < row.top + theme::kLane + kTrackGap / 2) return row.track;
  return -1;
}

int TimelineRows::trackFrom(int y) const {
  if (y < 0) return -1;
  if (const int track = trackAt(y); track >= 0) return track;
  for (const Lane& lane : m_lanes)
    if (lane.top > y) return lane.track;
  return -1;
}

int TimelineRows::topOf(int track) const {
  int y = kTrackGap / 2;
  for (int i = 0; i < track && i < int(m_tracks.size()); ++i)
    y += m_tracks[std::size_t(i)].heading ? kHeading : lanesShown(std::size_t(i)) * theme::kLane + kTrackGap;
  return y;
}

int TimelineRows::titleAt(int y) const {
  if (y < 0 || y >= m_height) return -1;
  int track = 0;
  while (track + 1 < int(m_tracks.size()) && y >= topOf(track + 1) - kTrackGap / 2) ++track;
  return m_tracks.empty() ? -1 : track;
}

int TimelineRows::gapAt(int y) const {
  int gap = 0;
  while (gap < int(m_tracks.size()) && y > (topOf(gap) + topOf(gap + 1)) / 2) ++gap;
  return gap;
}

} // namespace ui::plot
