#include "ui/plot/timeline_painter.h"

#include "ui/plot/arrow_painter.h"
#include "ui/plot/frame.h"
#include "ui/plot/lane_painter.h"
#include "ui/theme/elide.h"
#include "ui/theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui::plot {

namespace {
constexpr int kLabelBudget = 300;
constexpr int kShortLabel = 120; // pixels: below, the beginning of a name is more useful than both ends
} // namespace

void TimelinePainter::paintBody(QPainter& painter, const TimeScene& scene) {
  if (!m_slices.source()) return;
  if (m_palette.empty() || m_paletteDark != m_theme.isDark()) {
    m_paletteDark = m_theme.isDark();
    m_palette.clear();
    for (const QColor& c : m_slices.source()->palette(m_paletteDark)) m_palette.push_back(c.rgb());
  }
  paintLanes(painter, scene);
  paintLabels(painter, scene);
  paintSelection(painter, scene);
  paintArrows(painter, scene);
}

void TimelinePainter::paintArrows(QPainter& painter, const TimeScene& scene) const {
  const QRect body = scene.layout.body();
  std::vector<QLineF> ends;
  const auto middleOf = [&](int lane) { return m_rows.lanes()[std::size_t(lane)].top + theme::kLane / 2 - scene.scrolled; };
  for (const Arrow& arrow : m_arrows) {
    const int from = m_rows.indexOf(arrow.fromTrack, arrow.fromLane), to = m_rows.indexOf(arrow.toTrack, arrow.toLane);
    if (from < 0 || to < 0) continue;
    ends.emplace_back(scene.scale().xOf(arrow.fromTick), middleOf(from), scene.scale().xOf(arrow.toTick), middleOf(to));
  }
  plot::paintArrows(painter, body, ends, m_theme.tokens().text);
}

// Paints each lane into a small image: most of the body is empty, and an image of all of it would take longer to fill and copy.
void TimelinePainter::paintLanes(QPainter& painter, const TimeScene& scene) {
  const QRect body = scene.layout.body();
  if (m_slices.size() == 0 || (keepsShapes(painter) && paintShapes(painter, scene))) return;
  const theme::Tokens& t = m_theme.tokens();
  const double ratio = scene.ratio;
  const auto fine = [ratio](int v) { return int(std::lround(v * ratio)); }; // in screen pixels
  const QSize size(int(body.width() * ratio), fine(theme::kLane) + 1);
  if (m_lane.size() != size) m_lane = QImage(size, QImage::Format_RGB32);
  m_lane.setDevicePixelRatio(ratio);
  LanePainter lane({scene.visible, size.width()}, m_palette, m_slices.hiddenColours(), t.surface.rgb(), t.grid.rgb());
  for (const auto& [top, slices, folded] : m_slices.drawnLanes(scene)) {
    const int height = fine(top + theme::kLane - 1) - fine(top);
    if (folded)
      lane.paintStacked(m_lane, 0, height, slices);
    else
      lane.paint(m_lane, 0, height, slices.front());
    const QPointF at(body.left(), body.top() + fine(top) / ratio);
    if (ignoresClips(painter)) // ignores the source rectangle and would squeeze the whole image into the lane
      painter.drawImage(at, m_lane.copy(0, 0, size.width(), height));
    else
      painter.drawImage(at, m_lane, QRectF(0, 0, size.width(), height));
  }
}

// Four columns per pixel: an enlarged image can show more.
bool TimelinePainter::paintShapes(QPainter& painter, const TimeScene& scene) const {
  const QRect body = scene.layout.body();
  constexpr std::size_t kMostShapes = 20'000;
  constexpr int kFine = 4;
  const theme::Tokens& t = m_theme.tokens();
  LanePainter lane({scene.visible, body.width() * kFine}, m_palette, m_slices.hiddenColours(), t.surface.rgb(), t.grid.rgb());
  std::vector<std::pair<int, std::vector<LanePainter::Run>>> all; // by top
  std::size_t shapes = 0;
  for (const auto& [top, slices, folded] : m_slices.drawnLanes(scene)) {
    all.emplace_back(top, folded ? lane.stackedRuns(slices) : lane.runs(slices.front()));
    shapes += all.back().second.size();
    if (shapes > kMostShapes) return false;
  }
  for (const auto& [top, runs] : all)
    for (const LanePainter::Run& run : runs)
      painter.fillRect(
          QRectF(body.left() + double(run.begin) / kFine, body.top() + top, double(run.end - run.begin) / kFine, theme::kLane - 1)
              .intersected(QRectF(body)),
          QColor(run.colour));
  return true;
}

// Shortens a label. The function or the end of a path is its most specific part; a wide label also keeps the beginning, which
// distinguishes layers.
QString TimelinePainter::shortLabel(const QFontMetrics& metrics, const QString& label, int width) {
  return metrics.elidedText(theme::functionThatFits(metrics, label, width),
                            width < kShortLabel ? Qt::ElideRight : Qt::ElideMiddle, width);
}

void TimelinePainter::paintLabels(QPainter& painter, const TimeScene& scene) {
  const QRect body = scene.layout.body();
  const TimeScale s = scene.scale();
  painter.setFont(m_theme.small());
  int budget = kLabelBudget;
  for (std::size_t i = 0; i < m_slices.size() && budget > 0; ++i) {
    const int top = m_rows.lanes()[i].top - scene.scrolled;
    if (top + theme::kLane < 0 || top >= body.height()) continue;
    for (const Slice& slice : m_slices[i]) {
      if (slice.label.isEmpty() || m_slices.hiddenColours().contains(slice.colour) ||
          !s.visible().overlaps({slice.begin, slice.end}))
        continue;
      const double left = std::max(0.0, s.xOf(slice.begin)), right = std::min(double(body.width()), s.xOf(slice.end));
      if (right - left < TimelineSlices::kLabelWidth || m_slices.isCovered(i, slice) || --budget < 0) continue;
      const QRect box(body.left() + int(left) + theme::kHalf, body.top() + top, int(right - left) - 2 * theme::kHalf,
                      theme::kLane - 1);
      const auto colour =
          std::size_t(slice.colour) < m_palette.size() ? QColor(m_palette[std::size_t(slice.colour)]) : m_theme.tokens().text;
      painter.setPen(slice.share < 0.6f ? m_theme.tokens().text : theme::textOn(colour));
      m_labels.draw(painter, box, slice.label);
    }
  }
}

void TimelinePainter::paintSelection(QPainter& painter, const TimeScene& scene) const {
  const QRect body = scene.layout.body();
  if (m_selection.id < 0) return;
  const TimeScale s = scene.scale();
  for (std::size_t i = 0; i < m_slices.size(); ++i) {
    const int top = body.top() + m_rows.lanes()[i].top - scene.scrolled;
    for (const Slice& slice : m_slices[i]) {
      if (slice.id != m_selection.id || slice.count > 1 || !s.visible().overlaps({slice.begin, slice.end})) continue;
      const int left = std::max(-2, int(s.xOf(slice.begin))),
                right = std::min(body.width() + 2, std::max(left + 2, int(s.xOf(slice.end))));
      painter.setPen(QPen(m_theme.tokens().surface, 1));
      painter.drawRect(QRect(body.left() + left + 1, top + 1, right - left - 3, theme::kLane - 4));
      painter.setPen(QPen(m_theme.tokens().accent, 2));
      painter.drawRect(QRect(body.left() + left, top, right - left - 1, theme::kLane - 2));
    }
  }
}

void TimelinePainter::paintGutter(QPainter& painter, const QRect& area, const TimeScene& scene) {
  int y = area.top() + TimelineRows::kTrackGap / 2 - scene.scrolled;
  for (std::size_t i = 0; i < m_rows.tracks().size(); ++i) {
    const Track& track = m_rows.tracks()[i];
    const int height = track.heading ? TimelineRows::kHeading : m_rows.lanesShown(i) * theme::kLane;
    if (y + height >= area.top() && y <= area.bottom()) {
      paintTitle(painter, track, QRect(12, y, area.width() - 20, track.heading ? TimelineRows::kHeading : theme::kLane - 1),
                 m_rows.isFolded(int(i)));
      if (!track.heading) {
        painter.setPen(m_theme.tokens().grid);
        painter.drawLine(0, y + height + TimelineRows::kTrackGap / 2 - 1, area.width(),
                         y + height + TimelineRows::kTrackGap / 2 - 1);
      }
    }
    y += height + (track.heading ? 0 : TimelineRows::kTrackGap);
  }
}

void TimelinePainter::paintLanding(QPainter& painter, const QRect& area, const TimeScene& scene, int track, int gap) const {
  const theme::Tokens& t = m_theme.tokens();
  QColor veil = t.accent;
  veil.setAlpha(40);
  const int top = area.top() + m_rows.topOf(track) - scene.scrolled;
  painter.fillRect(
      QRect(0, top, area.width(), m_rows.tracks()[std::size_t(track)].heading ? TimelineRows::kHeading : theme::kLane), veil);
  const int y = std::clamp(area.top() + m_rows.topOf(gap) - scene.scrolled - TimelineRows::kTrackGap / 2, area.top() + 1,
                           area.bottom() - 1);
  painter.setPen(QPen(t.accent, 2));
  painter.drawLine(2, y, area.width() - 2, y);
}

void TimelinePainter::paintTitle(QPainter& painter, const Track& track, const QRect& line, bool folded) {
  const theme::Tokens& t = m_theme.tokens();
  const bool deep = track.lanes > 1 && !track.heading;
  int left = line.left();
  if (deep) {
    // An arrow that expands and collapses, as in a tree.
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
  painter.setFont(track.heading ? m_theme.strong() : m_theme.small());
  painter.setPen(track.heading ? t.secondary : t.text);
  const int room = line.right() + 1 - left;
  const int detail = track.detail.isEmpty() ? 0 : m_titles.widthOf(track.detail, m_theme.small()) + kBetween;
  const bool below = deep && !folded; // an expanded track has enough lines
  const bool beside = detail > 0 && !below && (!deep || words.widthOf(track.title, painter.font()) + detail <= room);
  const int width = room - (beside ? detail : 0);
  words.draw(painter, QRect(left, line.top(), width, line.height()), track.title);
  if (!below && !beside) return;
  painter.setFont(m_theme.small());
  painter.setPen(t.secondary);
  const QRect place = below ? line.translated(0, theme::kLane) : line.adjusted(line.width() + kBetween - detail, 0, 0, 0);
  m_titles.draw(painter, place, track.detail);
}

// The minimap is usually the same as in the previous frame.
void TimelinePainter::paintMinimap(QPainter& painter, const QRect& area, const TimeScene& scene) {
  const auto& overview = m_slices.overview();
  if (!overview || overview->empty() || m_palette.empty()) return;
  const MinimapOf wanted{
      overview, m_slices.hiddenColours(), m_palette, m_theme.tokens().surface.rgb(), area.size() * scene.ratio, scene.extent};
  if (!(m_minimapOf == wanted)) m_minimap = minimapOf(wanted), m_minimapOf = wanted;
  painter.drawImage(area, m_minimap);
}

QImage TimelinePainter::minimapOf(const MinimapOf& what) const {
  QImage image(what.pixels, QImage::Format_RGB32);
  image.fill(what.surface);
  const TimeScale whole(what.extent, image.width());
  LanePainter lane(whole, what.palette, what.hidden, what.surface, m_theme.tokens().grid.rgb());
  const int count = int(what.overview->size()), inner = image.height() - 6;
  for (int i = 0; i < count; ++i) {
    const int top = 3 + inner * i / count, bottom = 3 + inner * (i + 1) / count;
    lane.paintStacked(image, top, std::max(1, bottom - top - (inner / count > 4 ? 1 : 0)), (*what.overview)[std::size_t(i)]);
  }
  return image;
}

} // namespace ui::plot
