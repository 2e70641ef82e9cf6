#include "ui/plot/overviewed_plot.h"

#include "ui/plot/step_columns.h"
#include "ui/plot/step_plot.h"
#include "ui/theme/theme.h"

#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ui::plot {

namespace {
constexpr int kTallEnough = 280; // pixels of strip and plot: below, the strip is hidden
constexpr int kBetween = 4;      // pixels
constexpr int kLeast = 4;        // least number of positions in the plot
} // namespace

OverviewStrip::OverviewStrip(const theme::Theme& theme, StepPlot& plot) : m_theme(theme), m_plot(plot) {
  setFixedHeight(theme::kMinimap);
  setMouseTracking(true);
  setAccessibleName(tr("Overview of %1").arg(plot.accessibleName()));
  setAccessibleDescription(
      tr("A frame marks the positions that the plot shows. With the keyboard, W, S, A, D and F in the plot move it."));
  setToolTip(tr("All positions. Drag the frame or its ends; double-click shows everything."));
  connect(&plot, &StepPlot::valuesChanged, this, [this] {
    m_outlineIsOld = true;
    update();
  });
  connect(&plot, &StepPlot::painted, this, qOverload<>(&QWidget::update));
}

QRect OverviewStrip::area() const {
  const QRect axes = m_plot.axes();
  return {axes.left(), 1, std::max(1, axes.width()), height() - 2};
}

OverviewFrame::Part OverviewStrip::part() const {
  const double count = double(std::max<int64_t>(1, m_plot.scene().series.count()));
  const auto [begin, end] = m_plot.shownPositions();
  return {std::max(0.0, (begin + 0.5) / count), std::min(1.0, (end + 0.5) / count)};
}

void OverviewStrip::show(OverviewFrame::Part part) {
  const auto count = double(m_plot.scene().series.count());
  m_plot.setVisible({int64_t(std::llround(part.begin * count)), int64_t(std::llround(part.end * count))});
}

void OverviewStrip::readOutline() {
  m_outline = m_plot.scene().series.outline();
  m_outlineIsOld = false;
}

void OverviewStrip::paintOutline(QPainter& painter, const QRect& area) const {
  const QRect axes = m_plot.axes();
  const double count = double(m_outline.size()), perPixel = count / area.width();
  QColor fill = m_theme.tokens().secondary;
  fill.setAlpha(120);
  for (int x = 0; x < area.width(); ++x) {
    const auto first = int64_t(x * perPixel), last = std::max(first, int64_t(std::ceil((x + 1) * perPixel)) - 1);
    const int64_t peak = columnPeak(m_outline, first, last);
    if (peak < 0 || m_outline[std::size_t(peak)] <= 0) continue;
    const double share = (axes.bottom() - m_plot.pixelOf(double(m_outline[std::size_t(peak)]))) / std::max(1, axes.height());
    const int high = std::clamp(int(std::lround(share * area.height())), 1, area.height());
    painter.fillRect(area.left() + x, area.bottom() + 1 - high, 1, high, fill);
  }
}

void OverviewStrip::paintSelection(QPainter& painter, const QRect& area) const {
  const double count = double(std::max<int64_t>(1, m_plot.scene().series.count()));
  for (const auto& range : m_plot.scene().selection) {
    const int left = int(double(range.begin) / count * area.width()), right = int(double(range.end) / count * area.width());
    painter.fillRect(area.left() + left, area.top(), std::max(2, right - left), area.height(), m_theme.tokens().accent);
  }
}

void OverviewStrip::paintEvent(QPaintEvent*) {
  if (m_outlineIsOld) readOutline();
  const theme::Tokens& t = m_theme.tokens();
  QPainter painter(this);
  const QRect inside = area();
  painter.fillRect(inside, t.surface);
  paintOutline(painter, inside);
  OverviewFrame::paint(painter, t, inside, part());
  paintSelection(painter, inside);
  painter.setPen(t.line);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(inside.adjusted(-1, -1, 0, 0));
  const OverviewFrame::Part shown = part();
  if (shown.isAll()) return;
  painter.setPen(t.secondary);
  painter.setFont(m_theme.small());
  painter.drawText(QRect(0, 0, inside.left() - 6, height()), Qt::AlignRight | Qt::AlignVCenter,
                   theme::percent(shown.end - shown.begin));
}

void OverviewStrip::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || m_plot.scene().series.count() == 0) return;
  m_isDragging = true;
  m_frame.press(event->pos().x(), area(), part(), double(kLeast) / double(m_plot.scene().series.count()));
  show(m_frame.draggedTo(event->pos().x()));
}

void OverviewStrip::mouseMoveEvent(QMouseEvent* event) {
  if (m_isDragging)
    show(m_frame.draggedTo(event->pos().x()));
  else
    setCursor(OverviewFrame::cursorAt(event->pos().x(), area(), part()));
}

void OverviewStrip::mouseReleaseEvent(QMouseEvent* event) {
  setCursor(OverviewFrame::cursorAt(event->pos().x(), area(), part()));
}
void OverviewStrip::mouseDoubleClickEvent(QMouseEvent*) { m_plot.fit(); }

OverviewedPlot::OverviewedPlot(const theme::Theme& theme, StepPlot* plot)
    : m_plot(*plot), m_strip(new OverviewStrip(theme, *plot)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(kBetween);
  column->addWidget(m_strip);
  column->addWidget(plot, 1);
}

void OverviewedPlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_strip->setVisible(height() >= kTallEnough);
}

} // namespace ui::plot
