#include "ui/plot/step_canvas.h"

#include "ui/plot/frame.h"
#include "ui/plot/plot_axes.h"
#include "ui/plot/step_painter.h"
#include "ui/plot/step_tickers.h"
#include "ui/theme/theme.h"

namespace ui::plot {

namespace {
constexpr int kAboveAxes = 32, kBelowAxes = 40; // pixels; the caption stays clear of the highest label
} // namespace

StepCanvas::StepCanvas(const theme::Theme& theme, const StepScene& scene, QWidget& plot, std::function<void()> resized)
    : QCustomPlot(&plot), m_theme(theme), m_scene(scene), m_plot(plot), m_resized(std::move(resized)),
      m_cursor(new QCPItemStraightLine(this)), m_caption(new QCPItemText(this)) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  setPlottingHint(QCP::phFastPolylines, true);
  new StepPainter(*this, theme, m_scene); // owned by the plot
  xAxis->setTicker(positionTicker(*axisRect(), theme, m_scene));
  yAxis->setTicker(valueTicker(*axisRect(), m_scene));
  yAxis->setTickLabelPadding(6);
  axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom);
  axisRect()->setMargins(QMargins(0, kAboveAxes, 16, 0));
  setGutter(56);
  layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered);
  m_cursor->setLayer(QStringLiteral("overlay"));
  m_cursor->setVisible(false);
  m_caption->setClipToAxisRect(false);
  m_caption->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
  m_caption->position->setType(QCPItemPosition::ptViewportRatio);
  m_caption->position->setCoords(0, 0);
  m_caption->setPadding(QMargins(14, 7, 0, 0));
}

void StepCanvas::restyle() {
  const theme::Tokens& t = m_theme.tokens();
  styleAxes(*this, m_theme);
  m_cursor->setPen(QPen(t.secondary, 1));
  m_caption->setColor(t.secondary);
  m_caption->setFont(m_theme.small());
  replot(rpQueuedReplot);
}

void StepCanvas::setLogarithmic(bool logarithmic) {
  yAxis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  yAxis->setTicker(valueTicker(*axisRect(), m_scene));
}

void StepCanvas::setGutter(int pixels) { axisRect()->setMinimumMargins(QMargins(pixels, kAboveAxes, 16, kBelowAxes)); }

void StepCanvas::showCursor(int64_t position) {
  m_cursor->setVisible(position >= 0);
  if (position < 0) return;
  m_cursor->point1->setCoords(double(position), 0);
  m_cursor->point2->setCoords(double(position), 1);
}

void StepCanvas::resizeEvent(QResizeEvent* event) {
  QCustomPlot::resizeEvent(event);
  m_resized();
}

void StepCanvas::paintEvent(QPaintEvent* event) {
  QCustomPlot::paintEvent(event);
  QPainter painter(this);
  paintFrame(painter, m_plot, m_theme);
}

} // namespace ui::plot
