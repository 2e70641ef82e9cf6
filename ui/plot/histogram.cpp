#include "ui/plot/histogram.h"

#include "ui/plot/spoken.h"
#include "ui/theme/format.h"
#include "ui/theme/theme.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui::plot {

namespace {
constexpr int kTop = 20;    // room for the number over the highest bar
constexpr int kBottom = 22; // axis labels
constexpr int kSide = 4;
} // namespace

std::vector<HistogramBar> histogramOf(const std::vector<int64_t>& values, int64_t grain, int most) {
  if (values.empty() || most < 1) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  int64_t width = std::max<int64_t>(1, grain);
  const auto first = [&, &low = low] { return int64_t(std::floor(double(*low) / double(width))) * width; };
  // Doubling the width keeps the edges round in binary units.
  while ((*high - first()) / width + 1 > most) width *= 2;
  const int64_t begin = first();
  std::vector<HistogramBar> bars(std::size_t((*high - begin) / width + 1));
  for (std::size_t i = 0; i < bars.size(); ++i) bars[i] = {begin + int64_t(i) * width, begin + int64_t(i + 1) * width, 0};
  for (const int64_t v : values) ++bars[std::size_t((v - begin) / width)].count;
  return bars;
}

int64_t decimalStep(const std::vector<int64_t>& values, int most) {
  if (values.empty()) return 1;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  for (int64_t decade = 1;; decade *= 10)
    for (const int64_t factor : {1, 2, 5})
      if (const int64_t step = decade * factor; *high / step - *low / step + 1 <= most || step > *high / 2) return step;
}

Histogram::Histogram(const theme::Theme& theme, const QString& name, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_text([](int64_t v) { return theme::count(v); }), m_card(new HoverCard(theme, this)) {
  makeSpoken(*this); // before the name is set
  setAccessibleName(name);
  setProperty("picture", true);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
}

void Histogram::setBars(std::vector<HistogramBar> bars, const QString& noun) {
  m_bars = std::move(bars);
  m_noun = noun;
  m_largest = 0;
  for (const HistogramBar& bar : m_bars) m_largest = std::max(m_largest, bar.count);
  m_hovered = -1;
  QStringList words;
  for (const HistogramBar& bar : m_bars)
    if (bar.count) words << tr("%1 to %2: %3 %4").arg(m_text(bar.begin), m_text(bar.end), theme::count(bar.count), m_noun);
  describe(*this, words.isEmpty() ? tr("Nothing is shown") : words.join("; "),
           tr("Arrow keys move between bars, Enter selects, Ctrl+Shift+T lists the figures in a table"));
  update();
}

void Histogram::setCaptionShown(bool shown) {
  m_captionShown = shown;
  update();
}

void Histogram::setValueText(std::function<QString(int64_t)> text) {
  m_text = std::move(text);
  update();
}

void Histogram::setLimit(int64_t limit, const QString& label) {
  m_limit = limit, m_limitLabel = label;
  update();
}

bool Histogram::hasLimit() const {
  return m_limit > 0 && m_limit <= axisEnd() && !m_bars.empty() && m_limit >= m_bars.front().begin;
}

// The histogram's name and the label of the limit are on one line above the numbers of the bars.
QRectF Histogram::area() const {
  const int top = kTop + QFontMetrics(m_theme.small()).height();
  return QRectF(kSide, top, width() - 2 * kSide, std::max(1, height() - top - kBottom));
}

int64_t Histogram::axisEnd() const {
  const int64_t end = m_bars.empty() ? 1 : m_bars.back().end;
  return m_limit > end && m_limit <= 2 * end ? m_limit : end;
}

double Histogram::xOf(int64_t value) const {
  const int64_t begin = m_bars.empty() ? 0 : m_bars.front().begin;
  return area().left() + double(value - begin) / double(std::max<int64_t>(1, axisEnd() - begin)) * area().width();
}

QRectF Histogram::barRect(int bar) const {
  const HistogramBar& b = m_bars[std::size_t(bar)];
  const double left = std::round(xOf(b.begin)), right = std::max(left + 1, std::round(xOf(b.end)) - 1);
  // A single tile among thousands still has a visible bar.
  const double high = b.count ? std::max(2.0, double(b.count) / double(std::max<int64_t>(1, m_largest)) * area().height()) : 0;
  return QRectF(left, area().bottom() - high, right - left, high);
}

int Histogram::barAt(const QPointF& at) const {
  for (int i = 0; i < int(m_bars.size()); ++i) {
    const QRectF bar = barRect(i);
    if (at.x() >= bar.left() && at.x() <= bar.right() + 1) return i;
  }
  return -1;
}

void Histogram::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(m_theme.small());
  paintCaption(painter);
  paintLimit(painter);
  paintBars(painter);
  painter.setPen(m_theme.tokens().line);
  const QRectF plot = area();
  painter.drawLine(QPointF(plot.left(), plot.bottom() + 0.5), QPointF(plot.right(), plot.bottom() + 0.5));
  paintEdges(painter);
  if (!hasFocus()) return;
  painter.setPen(m_theme.tokens().accent);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

// Draws the name if the label of the limit leaves room for it.
void Histogram::paintCaption(QPainter& painter) const {
  if (!m_captionShown) return;
  const QFontMetrics metrics = painter.fontMetrics();
  const double end = kSide + metrics.horizontalAdvance(accessibleName()) + 8;
  if (hasLimit() && xOf(m_limit) - metrics.horizontalAdvance(m_limitLabel) - 6 < end) return;
  painter.setPen(m_theme.tokens().secondary);
  painter.drawText(QPointF(kSide, metrics.ascent()), accessibleName());
}

void Histogram::paintBars(QPainter& painter) const {
  const theme::Tokens& t = m_theme.tokens();
  const QFontMetrics metrics = painter.fontMetrics();
  double free = -1e9; // right end of the last printed number
  for (int i = 0; i < int(m_bars.size()); ++i) {
    const QRectF bar = barRect(i);
    painter.fillRect(bar, i == m_hovered ? t.accent : theme::mix(t.surface, t.accent, t.dark ? 0.62 : 0.78));
    const QString text = theme::count(m_bars[std::size_t(i)].count);
    const int wide = metrics.horizontalAdvance(text);
    const double left = std::clamp(bar.center().x() - wide / 2.0, 0.0, double(width() - wide));
    if (!m_bars[std::size_t(i)].count || left < free + 4) continue;
    // The text has its own background, because the line of the limit may cross it.
    painter.fillRect(QRectF(left - 1, bar.top() - 3 - metrics.ascent(), wide + 2, metrics.ascent()), t.surface);
    painter.setPen(t.secondary);
    painter.drawText(QPointF(left, bar.top() - 4), text);
    free = left + wide;
  }
}

// Labels at bar edges, every one or at equal distances.
void Histogram::paintEdges(QPainter& painter) const {
  const QFontMetrics metrics = painter.fontMetrics();
  painter.setPen(m_theme.tokens().secondary);
  std::vector<QString> edges;
  int widest = 1;
  for (std::size_t i = 0; i <= m_bars.size() && !m_bars.empty(); ++i) {
    edges.push_back(theme::withoutZeros(m_text(i < m_bars.size() ? m_bars[i].begin : m_bars.back().end)));
    widest = std::max(widest, metrics.horizontalAdvance(edges.back()));
  }
  const double apart = m_bars.empty() ? 1 : std::max(1.0, xOf(m_bars.front().end) - xOf(m_bars.front().begin));
  std::size_t stride = 1;
  while (double(stride) * apart < widest + 16) stride *= 2;
  const auto leftOf = [&](std::size_t i) {
    const int wide = metrics.horizontalAdvance(edges[i]);
    const double at = xOf(i < m_bars.size() ? m_bars[i].begin : m_bars.back().end);
    return std::clamp(at - wide / 2.0, 0.0, double(width() - wide));
  };
  // The last label is moved into the plot; a label before it that would then be too close is left out.
  constexpr double kBetween = 8;
  const std::size_t last = edges.empty() ? 0 : (edges.size() - 1) / stride * stride;
  for (std::size_t i = 0; i < edges.size(); i += stride)
    if (i == last || leftOf(i) + metrics.horizontalAdvance(edges[i]) + kBetween <= leftOf(last))
      painter.drawText(QPointF(leftOf(i), height() - 6), edges[i]);
}

void Histogram::paintLimit(QPainter& painter) const {
  if (!hasLimit()) return;
  const QRectF plot = area();
  const double x = std::min(std::round(xOf(m_limit)), plot.right()) - 0.5;
  painter.setPen(QPen(m_theme.tokens().bad, 1, Qt::DashLine));
  painter.drawLine(QPointF(x, 0), QPointF(x, plot.bottom()));
  const QFontMetrics metrics = painter.fontMetrics();
  const int wide = metrics.horizontalAdvance(m_limitLabel);
  painter.drawText(QPointF(x - wide - 6 > 0 ? x - wide - 6 : x + 6, metrics.ascent()), m_limitLabel);
}

Card Histogram::cardOf(int at) const {
  if (at < 0) return {};
  const HistogramBar& bar = m_bars[std::size_t(at)];
  int64_t total = 0;
  for (const HistogramBar& b : m_bars) total += b.count;
  Card card;
  card.title = tr("%1 to %2").arg(m_text(bar.begin), m_text(bar.end));
  card.rows.push_back({m_noun, theme::count(bar.count), {}});
  card.rows.push_back({tr("share"), theme::percent(total ? double(bar.count) / double(total) : 0), {}});
  return card;
}

void Histogram::mouseMoveEvent(QMouseEvent* event) {
  m_hovered = barAt(event->position());
  m_card->showAt(cardOf(m_hovered), event->pos());
  update();
}

// The arrow keys skip empty bars.
void Histogram::keyPressEvent(QKeyEvent* event) {
  const int by = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  const bool chooses = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space;
  if (m_bars.empty() || (by == 0 && !chooses)) return QWidget::keyPressEvent(event);
  if (chooses) {
    if (m_hovered >= 0) emit barClicked(m_bars[std::size_t(m_hovered)].begin, m_bars[std::size_t(m_hovered)].end);
    return;
  }
  const int count = int(m_bars.size());
  int next = m_hovered < 0 ? (by > 0 ? 0 : count - 1) : m_hovered + by;
  while (next >= 0 && next < count && m_bars[std::size_t(next)].count == 0) next += by;
  if (next < 0 || next >= count) return;
  m_hovered = next;
  const Card card = cardOf(next);
  m_card->showAt(card, barRect(next).center().toPoint());
  speak(*this, wordsOf(card));
  update();
}

void Histogram::focusOutEvent(QFocusEvent* event) {
  m_hovered = -1;
  m_card->showAt({}, {});
  update();
  QWidget::focusOutEvent(event);
}

void Histogram::mousePressEvent(QMouseEvent* event) {
  const int bar = barAt(event->position());
  if (bar >= 0) emit barClicked(m_bars[std::size_t(bar)].begin, m_bars[std::size_t(bar)].end);
}

void Histogram::leaveEvent(QEvent*) {
  m_hovered = -1;
  m_card->showAt({}, {});
  update();
}

} // namespace ui::plot
