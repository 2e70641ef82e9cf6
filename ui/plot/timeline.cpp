#include "ui/plot/timeline.h"

#include "ui/plot/arrow_painter.h"
#include "ui/plot/frame.h"
#include "ui/plot/lane_painter.h"
#include "ui/theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <map>

namespace ui::plot {

namespace {
constexpr int kOverviewPixels = 1500;
constexpr double kSnap = 6;         // pixels between the pointer and the edge of a slice that it means
constexpr int kOverviewTracks = 24; // more would be thinner than a pixel of the minimap
} // namespace

Timeline::Timeline(const theme::Theme& theme, const QString& name, jobs::JobBoard* board, QWidget* parent)
    : TimeView(theme, name, parent), m_job(tr("Reading %1").arg(name.toLower()), board, this),
      m_overviewJob(tr("Reading the overview of %1").arg(name.toLower()), board, this) {
  for (jobs::JobBase* job : std::initializer_list<jobs::JobBase*>{&m_job, &m_overviewJob})
    connect(job, &jobs::JobBase::busyChanged, this, &TimeView::busyChanged);
  connect(&m_job, &jobs::JobBase::cancelled, this, [this] { m_requested = {}; });
}

Timeline::~Timeline() = default;

void Timeline::setSource(std::shared_ptr<const SliceSource> source) {
  m_job.cancel(), m_overviewJob.cancel(); // their slices are of the source before
  m_source = std::move(source);
  m_lanes.reset(), m_overview.reset(), m_minimapOf = {};
  m_requested = {};
  m_palette.clear();
  std::vector<Track> tracks = m_source ? m_source->tracks() : std::vector<Track>();
  const bool same =
      std::equal(tracks.begin(), tracks.end(), m_tracks.begin(), m_tracks.end(),
                 [](const Track& a, const Track& b) { return a.title == b.title && a.lanes == b.lanes && a.key == b.key; });
  if (!same) {
    m_selectedId = -1, m_selectedRow = -1;
    std::map<int64_t, bool> folds; // of tracks that are in another place now
    for (std::size_t i = 0; i < m_tracks.size(); ++i)
      if (m_tracks[i].key >= 0) folds[m_tracks[i].key] = m_folded[i];
    m_folded.clear();
    for (const Track& track : tracks) {
      const auto known = folds.find(track.key);
      m_folded.push_back(known == folds.end() ? track.folded : known->second);
    }
  }
  m_tracks = std::move(tracks);
  layoutLanes();
  setExtent(m_source ? m_source->extent() : reports::TickRange{0, 1});
  fetchOverview();
  describeIt();
  visibleWasChanged();
  update();
}

void Timeline::refetch() {
  m_requested = {};
  visibleWasChanged();
}

void Timeline::setHiddenColours(std::set<int> colours) {
  m_hidden = std::move(colours);
  update();
}

void Timeline::setSelectedId(int64_t id) {
  if (id == m_selectedId) return;
  m_selectedId = id, m_selectedRow = -1, m_selectedTicks = {};
  update();
}

void Timeline::narrowSelection(int64_t id, reports::TickRange ticks) {
  m_selectedId = id, m_selectedTicks = ticks;
  update();
}

void Timeline::selectSlice(int track, int lane, int64_t id) {
  if (id != m_selectedId) setFolded(track, false); // it may lie behind others; one that was clicked is seen already
  setSelectedId(id);
  for (std::size_t i = 0; i < m_rows.size(); ++i)
    if (m_rows[i].track == track && m_rows[i].lane == lane) m_selectedRow = int(i);
  if (m_selectedRow >= 0) scrollTo(m_rows[std::size_t(m_selectedRow)].top, theme::kLane);
}

// A slice that was chosen stays in sight when a panel below takes some of the height.
void Timeline::resizeEvent(QResizeEvent* event) {
  const int lost = event->oldSize().isValid() ? event->oldSize().height() - event->size().height() : 0;
  const bool isChosen = m_selectedRow >= 0 && std::size_t(m_selectedRow) < m_rows.size();
  const int at = isChosen ? m_rows[std::size_t(m_selectedRow)].top - scrolled() : -1;
  TimeView::resizeEvent(event);
  if (at >= 0 && at + theme::kLane <= body().height() + lost) scrollTo(m_rows[std::size_t(m_selectedRow)].top, theme::kLane);
}

int Timeline::preferredHeight() const { return body().top() + m_height + 2; }

void Timeline::showInterval(reports::TickRange interval) {
  const int64_t margin = std::max<int64_t>(interval.size() / 8, 4);
  showExactly({interval.begin - margin, interval.end + margin});
}

void Timeline::showExactly(reports::TickRange interval) {
  const reports::TickRange before = visibleRange();
  setVisibleRange(interval);
  if (visibleRange() != before) emit visibleChanged(visibleRange());
}

void Timeline::layoutLanes() {
  m_rows.clear();
  int y = kTrackGap / 2;
  for (std::size_t i = 0; i < m_tracks.size(); ++i) {
    if (m_tracks[i].heading) {
      y += kHeading;
      continue;
    }
    // A one-lane track puts its name beside the lane; a deeper one has room below it.
    for (int lane = 0; lane < m_tracks[i].lanes; ++lane)
      m_rows.push_back({int(i), lane, y + (m_folded[i] ? 0 : lane * theme::kLane)});
    y += lanesShown(i) * theme::kLane + kTrackGap;
  }
  m_height = y;
}

int Timeline::slicesLanes(int track) const {
  const Track& t = m_tracks[std::size_t(track)];
  return t.lanes > t.markLanes ? t.lanes - t.markLanes : t.lanes;
}

bool Timeline::isHidden(const LaneRow& row) const { return isFolded(row.track) && row.lane >= slicesLanes(row.track); }

int Timeline::lanesShown(std::size_t track) const {
  return m_folded[track] ? std::min(1, m_tracks[track].lanes) : m_tracks[track].lanes;
}

bool Timeline::isFolded(int track) const { return track >= 0 && track < int(m_folded.size()) && m_folded[std::size_t(track)]; }

bool Timeline::canFold() const {
  return std::any_of(m_tracks.begin(), m_tracks.end(), [](const Track& track) { return track.lanes > 1; });
}

void Timeline::setFolded(int track, bool folded) {
  if (track < 0 || track >= int(m_folded.size()) || m_folded[std::size_t(track)] == folded) return;
  m_folded[std::size_t(track)] = folded;
  layoutLanes();
  m_requested = {}; // other lanes came into sight
  relayout();
  emit foldsChanged();
}

void Timeline::setAllFolded(bool folded) {
  m_folded.assign(m_tracks.size(), folded);
  layoutLanes();
  m_requested = {};
  relayout();
  emit foldsChanged();
}

void Timeline::reveal(int track) {
  setFolded(track, false);
  int top = -1, bottom = 0;
  for (const LaneRow& row : m_rows)
    if (row.track == track) top = top < 0 ? row.top : top, bottom = row.top + theme::kLane;
  if (top >= 0) scrollTo(top, std::min(bottom - top, body().height()));
}

int Timeline::trackAtPoint(const QPoint& at) const {
  const int y = at.y() - body().top() + scrolled();
  if (y < 0) return -1;
  if (const int track = trackAt(y); track >= 0) return track;
  for (const LaneRow& row : m_rows)
    if (row.top > y) return row.track;
  return -1;
}

int Timeline::trackAt(int y) const {
  for (const LaneRow& row : m_rows)
    if (y >= row.top - kTrackGap / 2 && y < row.top + theme::kLane + kTrackGap / 2) return row.track;
  return -1;
}

int Timeline::contentHeight() const { return m_height; }

bool Timeline::covers() const {
  if (m_requested.empty() || m_requestedWidth <= 0) return false;
  const reports::TickRange now = visibleRange();
  if (now.begin < m_requested.begin || now.end > m_requested.end) return false;
  const double asked = double(m_requested.size()) / m_requestedWidth;
  const double wanted = scale().ticksPerPixel();
  const bool sharp = wanted <= asked * 1.01 ? wanted >= asked * 0.51 || asked <= 0.25 : wanted <= asked * 2;
  const int drift = std::abs(scrolled() - m_requestedTop);
  return sharp && drift <= body().height();
}

void Timeline::visibleWasChanged() {
  if (m_source && isVisible() && !covers()) fetch();
}

void Timeline::fetch() {
  const reports::TickRange now = visibleRange();
  // Three widths, so that a pan finds its picture ready; rows of one page above and below as well.
  reports::TickRange wide{now.begin - now.size(), now.end + now.size()};
  wide = wide.clippedTo(extent());
  const int page = body().height(), top = scrolled() - page, bottom = scrolled() + 2 * page;
  const int pixels = std::max(1, int(double(wide.size()) / scale().ticksPerPixel() * devicePixelRatioF()));
  const auto labelTicks = int64_t(scale().ticksPerPixel() * kLabelWidth / 2);
  m_requested = wide, m_requestedWidth = std::max(1, int(double(wide.size()) / scale().ticksPerPixel()));
  m_requestedTop = scrolled();
  m_job.start(
      [source = m_source, rows = m_rows, wide, top, bottom, pixels, labelTicks](std::stop_token stop,
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
        hoverAgain(); // the card may be of slices that were drawn as one
        update();
      },
      [this](const reports::Error& error) {
        m_requested = {}; // the next move asks again
        emit failed(QString::fromStdString(error.message()));
      });
}

void Timeline::fetchOverview() {
  if (!m_source) return;
  std::vector<int> slicesOf;
  for (int track = 0; track < int(m_tracks.size()); ++track) slicesOf.push_back(slicesLanes(track));
  m_overviewJob.start(
      [source = m_source, rows = m_rows, slicesOf = std::move(slicesOf), range = extent()](std::stop_token stop,
                                                                                           reports::Progress&) {
        Overview tracks;
        for (const LaneRow& row : rows) {
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
        update();
      });
}

void Timeline::paintBody(QPainter& painter, const QRect& body) {
  if (!m_source) return;
  if (m_palette.empty() || m_paletteDark != theme().isDark()) {
    m_paletteDark = theme().isDark();
    m_palette.clear();
    for (const QColor& c : m_source->palette(m_paletteDark)) m_palette.push_back(c.rgb());
  }
  paintLanes(painter, body);
  paintLabels(painter, body);
  paintSelection(painter, body);
  paintArrows(painter, body);
}

std::optional<int> Timeline::laneMiddle(int track, int lane) const {
  for (const LaneRow& row : m_rows)
    if (row.track == track && row.lane == lane) return row.top + theme::kLane / 2;
  return std::nullopt;
}

void Timeline::paintArrows(QPainter& painter, const QRect& body) const {
  std::vector<QLineF> ends;
  for (const Arrow& arrow : m_arrows) {
    const auto from = laneMiddle(arrow.fromTrack, arrow.fromLane), to = laneMiddle(arrow.toTrack, arrow.toLane);
    if (!from || !to) continue;
    ends.emplace_back(scale().xOf(arrow.fromTick), *from - scrolled(), scale().xOf(arrow.toTick), *to - scrolled());
  }
  plot::paintArrows(painter, body, ends, theme().tokens().text);
}

std::vector<Timeline::DrawnLane> Timeline::drawnLanes(int height) const {
  std::vector<DrawnLane> drawn;
  for (std::size_t i = 0, next = 0; i < m_rows.size() && i < m_lanes->lanes.size(); i = next) {
    const bool folded = isFolded(m_rows[i].track);
    for (next = i + 1; folded && next < m_rows.size() && m_rows[next].track == m_rows[i].track;) ++next;
    const std::size_t shown = folded ? std::min(next, i + std::size_t(slicesLanes(m_rows[i].track))) : next;
    const int top = m_rows[i].top - scrolled();
    if (top + theme::kLane < 0 || top >= height || !m_lanes->fetched[i]) continue;
    drawn.push_back({top, std::span(m_lanes->lanes).subspan(i, shown - i), folded});
  }
  return drawn;
}

// Each lane by itself: most of the body is empty, and to fill and copy that too takes longer than the lanes.
void Timeline::paintLanes(QPainter& painter, const QRect& body) {
  if (!m_lanes || (keepsShapes(painter) && paintShapes(painter, body))) return;
  const theme::Tokens& t = theme().tokens();
  const double ratio = devicePixelRatioF();
  const auto fine = [ratio](int v) { return int(std::lround(v * ratio)); }; // in pixels of the screen
  const QSize size(int(body.width() * ratio), fine(theme::kLane) + 1);
  if (m_lane.size() != size) m_lane = QImage(size, QImage::Format_RGB32);
  m_lane.setDevicePixelRatio(ratio);
  LanePainter lane({visibleRange(), size.width()}, m_palette, m_hidden, t.surface.rgb(), t.grid.rgb());
  for (const auto& [top, slices, folded] : drawnLanes(body.height())) {
    const int height = fine(top + theme::kLane - 1) - fine(top);
    if (folded)
      lane.paintStacked(m_lane, 0, height, slices);
    else
      lane.paint(m_lane, 0, height, slices.front());
    const QPointF at(body.left(), body.top() + fine(top) / ratio);
    if (ignoresClips(painter)) // it would squeeze the whole image into the place of its part
      painter.drawImage(at, m_lane.copy(0, 0, size.width(), height));
    else
      painter.drawImage(at, m_lane, QRectF(0, 0, size.width(), height));
  }
}

void Timeline::paintSelection(QPainter& painter, const QRect& body) {
  if (m_selectedId < 0 || !m_lanes) return;
  const TimeScale s = scale();
  for (std::size_t i = 0; i < m_rows.size() && i < m_lanes->lanes.size(); ++i) {
    const int top = body.top() + m_rows[i].top - scrolled();
    for (const Slice& slice : m_lanes->lanes[i]) {
      if (slice.id != m_selectedId || slice.count > 1 || !s.visible().overlaps({slice.begin, slice.end})) continue;
      const int left = std::max(-2, int(s.xOf(slice.begin))),
                right = std::min(body.width() + 2, std::max(left + 2, int(s.xOf(slice.end))));
      painter.setPen(QPen(theme().tokens().surface, 1));
      painter.drawRect(QRect(body.left() + left + 1, top + 1, right - left - 3, theme::kLane - 4));
      painter.setPen(QPen(theme().tokens().accent, 2));
      painter.drawRect(QRect(body.left() + left, top, right - left - 1, theme::kLane - 2));
    }
  }
}

void Timeline::paintGutter(QPainter& painter, const QRect& area) {
  int y = area.top() + kTrackGap / 2 - scrolled();
  for (std::size_t i = 0; i < m_tracks.size(); ++i) {
    const Track& track = m_tracks[i];
    const int height = track.heading ? kHeading : lanesShown(i) * theme::kLane;
    if (y + height >= area.top() && y <= area.bottom()) {
      paintTitle(painter, track, QRect(12, y, area.width() - 20, track.heading ? kHeading : theme::kLane - 1), m_folded[i]);
      if (!track.heading) {
        painter.setPen(theme().tokens().grid);
        painter.drawLine(0, y + height + kTrackGap / 2 - 1, area.width(), y + height + kTrackGap / 2 - 1);
      }
    }
    y += height + (track.heading ? 0 : kTrackGap);
  }
  if (m_landingGap >= 0) paintLanding(painter, area);
}

void Timeline::paintTitle(QPainter& painter, const Track& track, const QRect& line, bool folded) {
  const theme::Tokens& t = theme().tokens();
  const bool deep = track.lanes > 1 && !track.heading;
  int left = line.left();
  if (deep) {
    // An arrow that opens and folds, as in a tree.
    const QPointF at(left - 1, line.center().y() + 0.5);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.secondary, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(folded ? QPolygonF{at + QPointF(-1, -3.5), at + QPointF(2.5, 0), at + QPointF(-1, 3.5)}
                                : QPolygonF{at + QPointF(-3, -1.5), at + QPointF(0.5, 2), at + QPointF(4, -1.5)});
    painter.restore();
    left += 8;
  }
  constexpr int kBetween = 8; // title and detail
  ShapedWords& words = track.heading ? m_headings : m_titles;
  painter.setFont(track.heading ? theme().strong() : theme().small());
  painter.setPen(track.heading ? t.secondary : t.text);
  const int room = line.right() + 1 - left;
  const int detail = track.detail.isEmpty() ? 0 : m_titles.widthOf(track.detail, theme().small()) + kBetween;
  const bool below = deep && !folded; // an open track has lines to spare
  const bool beside = detail > 0 && !below && (!deep || words.widthOf(track.title, painter.font()) + detail <= room);
  const int width = room - (beside ? detail : 0);
  words.draw(painter, QRect(left, line.top(), width, line.height()), track.title);
  if (!below && !beside) return;
  painter.setFont(theme().small());
  painter.setPen(t.secondary);
  const QRect place = below ? line.translated(0, theme::kLane) : line.adjusted(line.width() + kBetween - detail, 0, 0, 0);
  m_titles.draw(painter, place, track.detail);
}

// A frame has the minimap of the one before, as a rule.
void Timeline::paintMinimap(QPainter& painter, const QRect& area) {
  if (!m_overview || m_overview->empty() || m_palette.empty()) return;
  const MinimapOf wanted{m_overview, m_hidden, m_palette, theme().tokens().surface.rgb(), area.size() * devicePixelRatioF()};
  if (!(m_minimapOf == wanted)) m_minimap = minimapOf(wanted), m_minimapOf = wanted;
  painter.drawImage(area, m_minimap);
}

QImage Timeline::minimapOf(const MinimapOf& what) const {
  QImage image(what.pixels, QImage::Format_RGB32);
  image.fill(what.surface);
  const TimeScale whole(extent(), image.width());
  LanePainter lane(whole, what.palette, what.hidden, what.surface, theme().tokens().grid.rgb());
  const int count = int(what.overview->size()), inner = image.height() - 6;
  for (int i = 0; i < count; ++i) {
    const int top = 3 + inner * i / count, bottom = 3 + inner * (i + 1) / count;
    lane.paintStacked(image, top, std::max(1, bottom - top - (inner / count > 4 ? 1 : 0)), (*what.overview)[std::size_t(i)]);
  }
  return image;
}

std::optional<Timeline::Hit> Timeline::deepestAt(int track, int64_t tick) const {
  if (!m_lanes) return {};
  for (std::size_t i = std::min(m_rows.size(), m_lanes->lanes.size()); i-- > 0;) {
    if (m_rows[i].track != track) continue;
    const auto& lane = m_lanes->lanes[i];
    const auto at = std::partition_point(lane.begin(), lane.end(), [&](const Slice& s) { return s.end <= tick; });
    if (at != lane.end() && at->begin <= tick) return Hit{track, m_rows[i].lane, *at};
  }
  return {};
}

const Slice* Timeline::sliceNear(std::size_t row, int column) const {
  const TimeScale s = scale();
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

std::optional<Timeline::Hit> Timeline::hitAt(const QPoint& at) const {
  const QRect area = body();
  if (!m_lanes || !area.contains(at)) return std::nullopt;
  const int y = at.y() - area.top() + scrolled();
  // From below: on a folded track the deepest lane is in front.
  for (std::size_t i = std::min(m_rows.size(), m_lanes->lanes.size()); i-- > 0;) {
    if (y < m_rows[i].top || y >= m_rows[i].top + theme::kLane || isHidden(m_rows[i])) continue;
    if (const Slice* best = sliceNear(i, at.x() - area.left())) return Hit{m_rows[i].track, m_rows[i].lane, *best};
  }
  return std::nullopt;
}

int64_t Timeline::snapped(const QPoint& at, int64_t tick) const {
  if (!m_lanes || !m_source) return tick;
  const TimeScale s = scale();
  const int x = at.x() - body().left(), y = at.y() - body().top() + scrolled();
  int64_t best = tick;
  double distance = kSnap;
  for (std::size_t i = 0; i < std::min(m_rows.size(), m_lanes->lanes.size()); ++i) {
    if (y < m_rows[i].top || y >= m_rows[i].top + theme::kLane) continue;
    for (const Slice& slice : m_lanes->lanes[i])
      for (const int64_t edge : {slice.begin, slice.end})
        if (const double away = std::abs(s.xOf(edge) - x); away < distance) best = edge, distance = away;
  }
  return best;
}

void Timeline::hovered(const QPoint& at) {
  const int track = at.x() < body().left() && at.y() >= body().top() ? trackAt(at.y() - body().top() + scrolled()) : -1;
  if (track >= 0 && m_tracks[std::size_t(track)].lanes > 1) {
    const Track& t = m_tracks[std::size_t(track)];
    setCursor(Qt::PointingHandCursor);
    return hoverCard().showAt(
        {t.title, {{t.detail, {}, {}}}, isFolded(track) ? tr("Click opens its lanes (E)") : tr("Click folds it to one lane (E)")},
        at);
  }
  unsetCursor();
  const auto hit = m_source ? hitAt(at) : std::nullopt;
  hoverCard().showAt(hit ? m_source->card(hit->track, hit->lane, hit->slice) : Card(), at);
}

} // namespace ui::plot
