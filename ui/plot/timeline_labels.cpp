// The words on the slices of timeline.h, and its lanes as shapes.
#include "ui/plot/lane_painter.h"
#include "ui/plot/timeline.h"
#include "ui/theme/elide.h"
#include "ui/theme/theme.h"

#include <QPainter>

#include <algorithm>

namespace ui::plot {

// Four columns a pixel: a picture that is made larger has more to show.
bool Timeline::paintShapes(QPainter& painter, const QRect& body) const {
  constexpr std::size_t kMostShapes = 20'000;
  constexpr int kFine = 4;
  const theme::Tokens& t = theme().tokens();
  LanePainter lane({visibleRange(), body.width() * kFine}, m_palette, m_hidden, t.surface.rgb(), t.grid.rgb());
  std::vector<std::pair<int, std::vector<LanePainter::Run>>> all; // by top
  std::size_t shapes = 0;
  for (const auto& [top, slices, folded] : drawnLanes(body.height())) {
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

namespace {
constexpr int kLabelBudget = 300;
constexpr int kShortLabel = 120; // pixels: below, the beginning of a name says more than both its ends
} // namespace

// Whether a slice of a deeper lane is drawn in front of it.
bool Timeline::isCovered(std::size_t row, const Slice& slice) const {
  if (!isFolded(m_rows[row].track)) return false;
  for (std::size_t i = row + 1; i < m_rows.size() && m_rows[i].track == m_rows[row].track && !isHidden(m_rows[i]); ++i) {
    const auto& lane = m_lanes->lanes[i];
    const auto after = std::partition_point(lane.begin(), lane.end(), [&](const Slice& s) { return s.end <= slice.begin; });
    if (after != lane.end() && after->begin < slice.end) return true;
  }
  return false;
}

// The end of a path says most, its beginning which of several layers it is.
QString Timeline::shortLabel(const QFontMetrics& metrics, const QString& label, int width) {
  return metrics.elidedText(theme::endOfPath(metrics, label, width), width < kShortLabel ? Qt::ElideRight : Qt::ElideMiddle,
                            width);
}

void Timeline::paintLabels(QPainter& painter, const QRect& body) {
  if (!m_lanes) return;
  const TimeScale s = scale();
  painter.setFont(theme().small());
  int budget = kLabelBudget;
  for (std::size_t i = 0; i < m_rows.size() && budget > 0; ++i) {
    const int top = m_rows[i].top - scrolled();
    if (top + theme::kLane < 0 || top >= body.height() || i >= m_lanes->lanes.size()) continue;
    for (const Slice& slice : m_lanes->lanes[i]) {
      if (slice.label.isEmpty() || m_hidden.contains(slice.colour) || !s.visible().overlaps({slice.begin, slice.end})) continue;
      const double left = std::max(0.0, s.xOf(slice.begin)), right = std::min(double(body.width()), s.xOf(slice.end));
      if (right - left < kLabelWidth || isCovered(i, slice) || --budget < 0) continue;
      const QRect box(body.left() + int(left) + theme::kHalf, body.top() + top, int(right - left) - 2 * theme::kHalf,
                      theme::kLane - 1);
      const auto colour =
          std::size_t(slice.colour) < m_palette.size() ? QColor(m_palette[std::size_t(slice.colour)]) : theme().tokens().text;
      painter.setPen(slice.share < 0.6f ? theme().tokens().text : theme::textOn(colour));
      m_labels.draw(painter, box, slice.label);
    }
  }
}

} // namespace ui::plot
