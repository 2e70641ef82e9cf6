#include "ui/plot/timeline_slices.h"

#include "ui/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace ui::plot {

namespace {
constexpr int kOverviewPixels = 1500;
constexpr double kSnap = 6;         // pixels from the edge of a slice within which the pointer snaps to it
constexpr int kOverviewTracks = 24; // more tracks would be thinner than a pixel of the minimap
} // namespace

TimelineSlices::TimelineSlices(const TimelineRows& rows, const QString& name, jobs::JobBoard* board)
    : m_rows(rows), m_job(tr("Reading %1").arg(name.toLower()), board, this),
      m_overviewJob(tr("Reading the overview of %1").arg(name.toLower()), board, this) {
  for (jobs::JobBase* job : std::initializer_list<jobs::JobBase*>{&m_job, &m_overviewJob})
    connect(job, &jobs::JobBase::busyChanged, this, &TimelineSlices::busyChanged);
  connect(&m_job, &jobs::JobBase::cancelled, this, [this] { m_requested = {}; });
}

void TimelineSlices::setSource(std::shared_ptr<const SliceSource> source) {
  m_job.cancel(), m_overviewJob.cancel(); // their slices belong to the previous source
  m_source = std::move(source);
  m_lanes.reset(), m_overview.reset();
  m_requested = {};
}

std::size_t TimelineSlices::size() const { return m_lanes ? std::min(m_rows.lanes().size(), m_lanes->lanes.size()) : 0; }

bool TimelineSlices::covers(const TimeScene& scene) const {
  if (m_requested.empty() || m_requestedWidth <= 0) return false;
  const reports::TickRange now = scene.visible;
  if (now.begin < m_requested.begin || now.end > m_requested.end) return false;
  const double asked = double(m_requested.size()) / m_requestedWidth;
  const double wanted = scene.scale().ticksPerPixel();
  const bool sharp = wanted <= asked * 1.01 ? wanted >= asked * 0.51 || asked <= 0.25 : wanted <= asked * 2;
  const int drift = std::abs(scene.scrolled - m_requestedTop);
  return sharp && drift <= scene.layout.body().height();
}

void TimelineSlices::fetch(const TimeScene& scene) {
  if (!m_source || covers(scene)) return;
  const reports::TickRange now = scene.visible;
  // Three times the width and one page of rows above and below, so that a pan finds its slices ready.
  reports::TickRange wide{now.begin - now.size(), now.end + now.size()};
  wide = wide.clippedTo(scene.extent);
  const int page = scene.layout.body().height(), top = scene.scrolled - page, bottom = scene.scrolled + 2 * page;
  const int pixels = std::max(1, int(double(wide.size()) / scene.scale().ticksPerPixel() * scene.ratio));
  const auto labelTicks = int64_t(scene.scale().ticksPerPixel() * kLabelWidth / 2);
  m_requested = wide, m_requestedWidth = std::max(1, int(double(wide.size()) / scene.scale().ticksPerPixel()));
  m_requestedTop = scene.scrolled;
  m_job.start(
      [source = m_source, rows = m_rows.lanes(), wide, top, bottom, pixels, labelTicks](std::stop_token stop,
                                                                                        reports::Progress& progress) {
        Lanes lanes{wide, std::vector<std::vector<Slice>>(rows.size()), std::vector<bool>(rows.size())};
        for (std::size_t i = 0; i < rows.size(); ++i) {
          if (rows[i].top + theme::kLane < top || rows[i].top > bottom) continue;
          reports::throwIfStopped(stop);
          progress.update(double(i) / double(rows.size()));
          lanes.lanes[i] = source->slices(rows[i].track, rows[i].lane, wide, pixels, labelTicks, stop);
          lanes.fetched[i] = true;
        }
        return lanes;
      },
      [this](const Lanes&) {
        m_lanes = m_job.result();
        emit read();
      },
      [this](const reports::Error& error) {
        m_requested = {}; // the next move requests again
        emit failed(QString::fromStdString(error.message()));
      });
}

void TimelineSlices::fetchOverview(reports::TickRange extent) {
  if (!m_source) return;
  std::vector<int> slicesOf;
  for (int track = 0; track < int(m_rows.tracks().size()); ++track) slicesOf.push_back(m_rows.slicesLanes(track));
  m_overviewJob.start(
      [source = m_source, rows = m_rows.lanes(), slicesOf = std::move(slicesOf), range = extent](std::stop_token stop,
                                                                                                 reports::Progress&) {
        Overview tracks;
        for (const TimelineRows::Lane& row : rows) {
          reports::throwIfStopped(stop);
          if (row.lane == 0 && tracks.size() == kOverviewTracks) break;
          if (row.lane == 0) tracks.emplace_back();
          if (row.lane >= slicesOf[std::size_t(row.track)]) continue; // marks
          tracks.back().push_back(source->slices(row.track, row.lane, range, kOverviewPixels, range.size() + 1, stop));
        }
        return tracks;
      },
      [this](const Overview&) {
        m_overview = m_overviewJob.result();
        emit overviewRead();
      });
}

std::vector<TimelineSlices::DrawnLane> TimelineSlices::drawnLanes(const TimeScene& scene) const {
  std::vector<DrawnLane> drawn;
  const auto& rows = m_rows.lanes();
  for (std::size_t i = 0, next = 0; i < size(); i = next) {
    const bool folded = m_rows.isFolded(rows[i].track);
    for (next = i + 1; folded && next < rows.size() && rows[next].track == rows[i].track;) ++next;
    const std::size_t shown = folded ? std::min(next, i + std::size_t(m_rows.slicesLanes(rows[i].track))) : next;
    const int top = rows[i].top - scene.scrolled;
    if (top + theme::kLane < 0 || top >= scene.layout.body().height() || !m_lanes->fetched[i]) continue;
    drawn.push_back({top, std::span(m_lanes->lanes).subspan(i, shown - i), folded});
  }
  return drawn;
}

// Whether a slice of a deeper lane is drawn in front of this one.
bool TimelineSlices::isCovered(std::size_t row, const Slice& slice) const {
  if (!m_rows.isFolded(m_rows.lanes()[row].track)) return false;
  for (std::size_t i = row + 1;
       i < m_rows.lanes().size() && m_rows.lanes()[i].track == m_rows.lanes()[row].track && !m_rows.isHidden(m_rows.lanes()[i]);
       ++i) {
    const auto& lane = m_lanes->lanes[i];
    const auto after = std::partition_point(lane.begin(), lane.end(), [&](const Slice& s) { return s.end <= slice.begin; });
    if (after != lane.end() && after->begin < slice.end) return true;
  }
  return false;
}

std::optional<TimelineSlices::Hit> TimelineSlices::deepestAt(int track, int64_t tick) const {
  for (std::size_t i = size(); i-- > 0;) {
    if (m_rows.lanes()[i].track != track) continue;
    const auto& lane = m_lanes->lanes[i];
    const auto at = std::partition_point(lane.begin(), lane.end(), [&](const Slice& s) { return s.end <= tick; });
    if (at != lane.end() && at->begin <= tick) return Hit{track, m_rows.lanes()[i].lane, *at};
  }
  return {};
}

const Slice* TimelineSlices::sliceNear(std::size_t row, const QPoint& at, const TimeScene& scene) const {
  const TimeScale s = scene.scale();
  const int column = at.x() - scene.layout.gutter;
  const Slice* best = nullptr;
  int distance = 2; // a pixel beside a thin slice still counts
  for (const Slice& slice : m_lanes->lanes[row]) {
    if (m_hidden.contains(slice.colour)) continue;
    const auto columns = s.columnsOf({slice.begin, slice.end});
    if (columns.empty()) continue;
    const int away = column < columns.begin ? columns.begin - column : column >= columns.end ? column - columns.end + 1 : 0;
    if (away < distance || (away == distance && best && slice.end - slice.begin > best->end - best->begin))
      best = &slice, distance = away;
  }
  return best;
}

std::optional<TimelineSlices::Hit> TimelineSlices::hitAt(const QPoint& at, const TimeScene& scene) const {
  const QRect area = scene.layout.body();
  if (!area.contains(at)) return std::nullopt;
  const int y = at.y() - area.top() + scene.scrolled;
  // Searches from the deepest lane on, because that is in front on a collapsed track.
  for (std::size_t i = size(); i-- > 0;) {
    if (y < m_rows.lanes()[i].top || y >= m_rows.lanes()[i].top + theme::kLane || m_rows.isHidden(m_rows.lanes()[i])) continue;
    if (const Slice* best = sliceNear(i, at, scene)) return Hit{m_rows.lanes()[i].track, m_rows.lanes()[i].lane, *best};
  }
  return std::nullopt;
}

int64_t TimelineSlices::edgeNear(const QPoint& at, int64_t tick, const TimeScene& scene) const {
  if (!m_source) return tick;
  const TimeScale s = scene.scale();
  const int x = at.x() - scene.layout.body().left(), y = at.y() - scene.layout.body().top() + scene.scrolled;
  int64_t best = tick;
  double distance = kSnap;
  for (std::size_t i = 0; i < size(); ++i) {
    if (y < m_rows.lanes()[i].top || y >= m_rows.lanes()[i].top + theme::kLane) continue;
    for (const Slice& slice : m_lanes->lanes[i])
      for (const int64_t edge : {slice.begin, slice.end})
        if (const double away = std::abs(s.xOf(edge) - x); away < distance) best = edge, distance = away;
  }
  return best;
}

} // namespace ui::plot
