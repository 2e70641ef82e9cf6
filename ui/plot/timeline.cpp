#include "ui/plot/timeline.h"

#include "ui/plot/lane_painter.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>

namespace ui::plot {

namespace {
constexpr int kHeading = 26, kTrackGap = 8, kTitle = 20;
constexpr int kLabelWidth = 40, kLabelBudget = 300;
constexpr int kOverviewPixels = 1500;
constexpr int kShortLabel = 120;    // pixels: below, the beginning of a name says more than both its ends
constexpr int kOverviewTracks = 24; // more would be thinner than a pixel of the minimap
} // namespace

Timeline::Timeline(const theme::Theme& theme, const QString& name, jobs::JobBoard* board, QWidget* parent)
    : TimeView(theme, name, parent), m_job(tr("Reading %1").arg(name.toLower()), board, this),
      m_overviewJob(tr("Reading the overview of %1").arg(name.toLower()), board, this) {
  connect(&m_job, &jobs::JobBase::busyChanged, this, &TimeView::busyChanged);
}

Timeline::~Timeline() = default;

void Timeline::setSource(std::shared_ptr<const SliceSource> source) {
  m_source = std::move(source);
  m_lanes.reset(), m_overview.reset();
  m_requested = {};
  m_palette.clear();
  m_tracks = m_source ? m_source->tracks() : std::vector<Track>();
  layoutLanes();
  setExtent(m_source ? m_source->extent() : reports::TickRange{0, 1});
  fetchOverview();
  visibleWasChanged();
  update();
}

void Timeline::setHiddenColours(std::set<int> colours) {
  m_hidden = std::move(colours);
  update();
}

void Timeline::setSelectedId(int64_t id) {
  if (id == m_selectedId) return;
  m_selectedId = id, m_selectedRow = -1;
  update();
}

void Timeline::selectSlice(int track, int lane, int64_t id) {
  setSelectedId(id);
  for (std::size_t i = 0; i < m_rows.size(); ++i)
    if (m_rows[i].track == track && m_rows[i].lane == lane) m_selectedRow = int(i);
  if (m_selectedRow >= 0) scrollTo(m_rows[std::size_t(m_selectedRow)].top, theme::kLane);
}

int Timeline::preferredHeight() const { return body().top() + m_height + 2; }

void Timeline::showInterval(reports::TickRange interval) {
  const int64_t margin = std::max<int64_t>(interval.size() / 8, 4);
  const reports::TickRange before = visibleRange();
  setVisibleRange({interval.begin - margin, interval.end + margin});
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
    for (int lane = 0; lane < m_tracks[i].lanes; ++lane, y += theme::kLane) m_rows.push_back({int(i), lane, y});
    y += kTrackGap;
  }
  m_height = y;
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
        update();
      },
      [this](const reports::Error& error) { emit failed(QString::fromStdString(error.message())); });
}

void Timeline::fetchOverview() {
  if (!m_source) return;
  m_overviewJob.start(
      [source = m_source, rows = m_rows, range = extent()](std::stop_token stop, reports::Progress&) {
        Overview tracks;
        for (const LaneRow& row : rows) {
          reports::throwIfStopped(stop);
          if (row.lane == 0 && tracks.size() == kOverviewTracks) break;
          if (row.lane == 0) tracks.emplace_back();
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
  const theme::Tokens& t = theme().tokens();
  if (m_palette.empty() || m_paletteDark != theme().isDark()) {
    m_paletteDark = theme().isDark();
    m_palette.clear();
    for (const QColor& c : m_source->palette(m_paletteDark)) m_palette.push_back(c.rgb());
  }
  if (m_image.size() != body.size()) m_image = QImage(body.size(), QImage::Format_RGB32);
  m_image.fill(t.surface.rgb());
  const TimeScale s = scale();
  LanePainter lane(s, m_palette, m_hidden, t.surface.rgb(), t.grid.rgb());
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    const int top = m_rows[i].top - scrolled();
    if (top + theme::kLane < 0 || top >= body.height()) continue;
    if (m_lanes && i < m_lanes->lanes.size() && m_lanes->fetched[i])
      lane.paint(m_image, top, theme::kLane - 1, m_lanes->lanes[i]);
  }
  painter.drawImage(body.topLeft(), m_image);
  paintLabels(painter, body);
  paintSelection(painter, body);
}

void Timeline::paintLabels(QPainter& painter, const QRect& body) {
  if (!m_lanes) return;
  const TimeScale s = scale();
  painter.setFont(theme().small());
  const QFontMetrics metrics = painter.fontMetrics();
  int budget = kLabelBudget;
  for (std::size_t i = 0; i < m_rows.size() && budget > 0; ++i) {
    const int top = m_rows[i].top - scrolled();
    if (top + theme::kLane < 0 || top >= body.height() || i >= m_lanes->lanes.size()) continue;
    for (const Slice& slice : m_lanes->lanes[i]) {
      if (slice.label.isEmpty() || m_hidden.contains(slice.colour) || !s.visible().overlaps({slice.begin, slice.end})) continue;
      const double left = std::max(0.0, s.xOf(slice.begin)), right = std::min(double(body.width()), s.xOf(slice.end));
      if (right - left < kLabelWidth || --budget < 0) continue;
      const QRect box(body.left() + int(left) + theme::kHalf, body.top() + top, int(right - left) - 2 * theme::kHalf,
                      theme::kLane - 1);
      const auto colour =
          std::size_t(slice.colour) < m_palette.size() ? QColor(m_palette[std::size_t(slice.colour)]) : theme().tokens().text;
      painter.setPen(slice.share < 0.6f ? theme().tokens().text : theme::textOn(colour));
      painter.drawText(
          box, Qt::AlignLeft | Qt::AlignVCenter,
          metrics.elidedText(slice.label, box.width() < kShortLabel ? Qt::ElideRight : Qt::ElideMiddle, box.width()));
    }
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
  const theme::Tokens& t = theme().tokens();
  int y = area.top() + kTrackGap / 2 - scrolled();
  const int width = area.width() - 20;
  for (const Track& track : m_tracks) {
    const int height = track.heading ? kHeading : track.lanes * theme::kLane;
    if (y + height >= area.top() && y <= area.bottom()) {
      painter.setFont(track.heading ? theme().strong() : theme().small());
      painter.setPen(track.heading ? t.secondary : t.text);
      const QFontMetrics metrics = painter.fontMetrics();
      const int line = track.heading ? kHeading : theme::kLane - 1;
      const int detail =
          track.detail.isEmpty() || track.lanes > 1 ? 0 : QFontMetrics(theme().small()).horizontalAdvance(track.detail) + 8;
      painter.drawText(QRect(12, y, width - detail, line), Qt::AlignVCenter,
                       metrics.elidedText(track.title, Qt::ElideMiddle, width - detail));
      if (!track.detail.isEmpty()) {
        painter.setFont(theme().small());
        painter.setPen(t.secondary);
        if (track.lanes > 1 && !track.heading)
          painter.drawText(QRect(12, y + theme::kLane, width, theme::kLane), Qt::AlignVCenter, track.detail);
        else
          painter.drawText(QRect(12, y, width, line), Qt::AlignVCenter | Qt::AlignRight, track.detail);
      }
      if (!track.heading) {
        painter.setPen(t.grid);
        painter.drawLine(0, y + height + kTrackGap / 2 - 1, area.width(), y + height + kTrackGap / 2 - 1);
      }
    }
    y += height + (track.heading ? 0 : kTrackGap);
  }
}

void Timeline::paintMinimap(QPainter& painter, const QRect& area) {
  if (!m_overview || m_overview->empty() || m_palette.empty()) return;
  QImage image(area.width(), area.height(), QImage::Format_RGB32);
  image.fill(theme().tokens().surface.rgb());
  const TimeScale whole(extent(), area.width());
  LanePainter lane(whole, m_palette, m_hidden, theme().tokens().surface.rgb(), theme().tokens().grid.rgb());
  const int count = int(m_overview->size()), inner = area.height() - 6;
  for (int i = 0; i < count; ++i) {
    const int top = 3 + inner * i / count, bottom = 3 + inner * (i + 1) / count;
    lane.paintStacked(image, top, std::max(1, bottom - top - (inner / count > 4 ? 1 : 0)), (*m_overview)[std::size_t(i)]);
  }
  painter.drawImage(area.topLeft(), image);
}

std::optional<Timeline::Hit> Timeline::hitAt(const QPoint& at) const {
  const QRect area = body();
  if (!m_lanes || !area.contains(at)) return std::nullopt;
  const int y = at.y() - area.top() + scrolled();
  const TimeScale s = scale();
  const int column = at.x() - area.left();
  for (std::size_t i = 0; i < m_rows.size() && i < m_lanes->lanes.size(); ++i) {
    if (y < m_rows[i].top || y >= m_rows[i].top + theme::kLane) continue;
    const Slice* best = nullptr;
    int distance = 2; // a pixel beside a thin slice still counts
    for (const Slice& slice : m_lanes->lanes[i]) {
      if (m_hidden.contains(slice.colour)) continue;
      const auto columns = s.columnsOf({slice.begin, slice.end});
      if (columns.empty()) continue;
      const int away = column < columns.begin ? columns.begin - column : column >= columns.end ? column - columns.end + 1 : 0;
      if (away < distance || (away == distance && best && slice.end - slice.begin > best->end - best->begin))
        best = &slice, distance = away;
    }
    if (best) return Hit{m_rows[i].track, m_rows[i].lane, *best};
  }
  return std::nullopt;
}

void Timeline::hovered(const QPoint& at) {
  const auto hit = hitAt(at);
  hoverCard().showAt(hit ? m_source->card(hit->track, hit->lane, hit->slice) : Card(), at);
}

void Timeline::select(const Hit& hit) {
  m_selectedId = hit.slice.id;
  for (std::size_t i = 0; i < m_rows.size(); ++i)
    if (m_rows[i].track == hit.track && m_rows[i].lane == hit.lane) m_selectedRow = int(i);
  emit sliceClicked(hit.track, hit.lane, hit.slice);
  update();
}

void Timeline::clicked(const QPoint& at, Qt::KeyboardModifiers) {
  if (const auto hit = hitAt(at)) return select(*hit);
  m_selectedId = -1;
  emit selectionCleared();
  update();
}

void Timeline::doubleClicked(const QPoint& at) {
  const auto hit = hitAt(at);
  if (!hit) return fit();
  showInterval({hit->slice.begin, hit->slice.end});
  emit sliceActivated(hit->track, hit->lane, hit->slice);
}

// Selects the next or previous slice of the selected lane.
void Timeline::step(int direction) {
  if (!m_lanes || m_rows.empty()) return;
  const auto row = std::size_t(std::clamp(m_selectedRow, 0, int(m_rows.size()) - 1));
  if (row >= m_lanes->lanes.size()) return;
  const auto& lane = m_lanes->lanes[row];
  const auto here = std::find_if(lane.begin(), lane.end(), [this](const Slice& s) { return s.id == m_selectedId; });
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
  case Qt::Key_Left: step(-1); return true;
  case Qt::Key_Right: step(1); return true;
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
          showInterval({slice.begin, slice.end});
          emit sliceActivated(m_rows[i].track, m_rows[i].lane, slice);
          return true;
        }
    return true;
  default: return false;
  }
}

} // namespace ui::plot
