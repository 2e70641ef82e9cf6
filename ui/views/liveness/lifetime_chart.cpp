#include "ui/views/liveness/lifetime_chart.h"

#include "ui/plot/spoken.h"
#include "ui/theme/elide.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace ui::liveness {

namespace {
constexpr int kRow = 20;
constexpr int kHead = 22; // the step axis
} // namespace

LifetimeChart::LifetimeChart(const theme::Theme& theme, QWidget* parent)
    : QAbstractScrollArea(parent), m_theme(theme), m_card(new plot::HoverCard(theme, viewport())) {
  plot::makeSpokenBySelection(*this);
  setAccessibleName(tr("Lifetimes of the largest variables"));
  setProperty("picture", true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  viewport()->setAutoFillBackground(false);
  connect(&theme, &theme::Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

void LifetimeChart::setLifetimes(std::vector<analyser::liveness::Lifetime> lifetimes) {
  m_lifetimes = std::move(lifetimes);
  m_hovered = -1;
  QStringList words;
  for (std::size_t i = 0; i < std::min<std::size_t>(m_lifetimes.size(), 8); ++i)
    words << theme::reportText(m_lifetimes[i].variable.name) + ' ' + m_format.bytes(m_lifetimes[i].variable.bytes);
  setAccessibleDescription(words.join(", "));
  layoutScroll();
  viewport()->update();
}

void LifetimeChart::setFormat(const theme::Format& format) {
  m_format = format;
  viewport()->update();
}

void LifetimeChart::setAxis(std::function<StepAxis()> axis) { m_axis = std::move(axis); }

void LifetimeChart::setStep(int64_t step) {
  m_step = step;
  viewport()->update();
}

void LifetimeChart::setSelectedVariable(reports::VariableId variable) {
  m_selected = variable;
  viewport()->update();
}

void LifetimeChart::layoutScroll() {
  verticalScrollBar()->setRange(0, std::max(0, int(m_lifetimes.size()) * kRow + kHead - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(kRow);
}

int LifetimeChart::rowAt(int y) const {
  if (y < kHead) return -1;
  const int row = (y - kHead + verticalScrollBar()->value()) / kRow;
  return row < int(m_lifetimes.size()) ? row : -1;
}

reports::VariableId LifetimeChart::variableOf(int row) const {
  return row >= 0 && row < int(m_lifetimes.size()) ? m_lifetimes[std::size_t(row)].variable.variable : reports::VariableId{};
}

int LifetimeChart::topOf(int row) const { return kHead + row * kRow - verticalScrollBar()->value(); }

LifetimeChart::Place LifetimeChart::place() const {
  Place p;
  if (m_axis) p.axis = m_axis();
  p.first = verticalScrollBar()->value() / kRow;
  p.last = std::min(int(m_lifetimes.size()), p.first + viewport()->height() / kRow + 2) - 1;
  p.alive = rowsAliveAt(m_lifetimes, m_step);
  return p;
}

void LifetimeChart::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), m_theme.tokens().surface);
  const Place p = place();
  if (p.axis.isEmpty()) return;
  painter.setClipRect(0, kHead, viewport()->width(), viewport()->height() - kHead);
  paintRows(painter, p);
  paintStep(painter, p);
  paintBars(painter, p);
  painter.setClipping(false);
  paintHead(painter, p);
}

QColor LifetimeChart::groundOf(int row) const {
  const theme::Tokens& t = m_theme.tokens();
  if (variableOf(row) == m_selected) return t.selection;
  return row == m_hovered ? t.hover : t.surface;
}

// The background of a row, and its bytes where the plot above has its value labels.
void LifetimeChart::paintRows(QPainter& painter, const Place& p) const {
  const theme::Tokens& t = m_theme.tokens();
  painter.setFont(m_theme.small());
  for (int row = p.first; row <= p.last; ++row) {
    const auto& v = m_lifetimes[std::size_t(row)].variable;
    const QRect line(0, topOf(row), viewport()->width(), kRow);
    painter.fillRect(line, groundOf(row));
    painter.setPen(std::binary_search(p.alive.begin(), p.alive.end(), row) ? t.text : t.secondary);
    painter.drawText(QRectF(2, line.top(), p.axis.left - 8, kRow), Qt::AlignRight | Qt::AlignVCenter, m_format.bytes(v.bytes));
  }
}

bool LifetimeChart::isStepShown(const Place& p) const {
  const double middle = double(m_step) + 0.5;
  return m_step >= 0 && middle >= p.axis.begin && middle <= p.axis.end;
}

// Painted below bars and names, which stay readable.
void LifetimeChart::paintStep(QPainter& painter, const Place& p) const {
  if (!isStepShown(p)) return;
  const double x = p.axis.xOf(double(m_step) + 0.5);
  painter.setPen(QPen(m_theme.tokens().accent, 1));
  painter.drawLine(QPointF(x, kHead), QPointF(x, viewport()->height()));
}

void LifetimeChart::paintBars(QPainter& painter, const Place& p) const {
  const theme::Tokens& t = m_theme.tokens();
  const std::vector<LifetimeBar> bars = lifetimeBars(m_lifetimes, p.axis);
  for (const LifetimeBar& bar : bars) {
    const auto row = std::size_t(bar.row);
    if (bar.row < p.first || bar.row > p.last) continue;
    const bool isAlive = std::binary_search(p.alive.begin(), p.alive.end(), bar.row);
    const QColor colour = m_theme.memory(m_lifetimes[row].variable.category);
    painter.fillRect(QRectF(bar.left, topOf(bar.row) + 4, bar.right - bar.left, kRow - 8),
                     isAlive || m_step < 0 ? colour : theme::mix(colour, t.surface, 0.5));
  }
  for (int row = p.first; row <= p.last; ++row) {
    const auto [first, last] = std::equal_range(bars.begin(), bars.end(), LifetimeBar{row, 0, 0},
                                                [](const auto& a, const auto& b) { return a.row < b.row; });
    paintName(painter, p, row, {first, last});
  }
}

// Painted beside the bars: with a column for names, the bars would not be aligned with the curve.
void LifetimeChart::paintName(QPainter& painter, const Place& p, int row, std::span<const LifetimeBar> bars) const {
  const theme::Tokens& t = m_theme.tokens();
  const auto& v = m_lifetimes[std::size_t(row)].variable;
  const QFontMetrics metrics(m_theme.mono());
  const QString name = theme::reportText(v.name);
  const NamePlace at = namePlace(p.axis, bars, metrics.horizontalAdvance(name) + 1);
  const bool isAlive = std::binary_search(p.alive.begin(), p.alive.end(), row);
  painter.setFont(m_theme.mono());
  const QColor bar = isAlive || m_step < 0 ? m_theme.memory(v.category) : theme::mix(m_theme.memory(v.category), t.surface, 0.5);
  const QString shown = theme::elided(metrics, name, int(at.room));
  const Qt::Alignment side = (at.isBefore ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
  const QRectF place(at.left, topOf(row), at.room, kRow);
  // A name interrupts the line of the selected step.
  if (!at.isOnBar) painter.fillRect(painter.boundingRect(place, int(side), shown), groundOf(row));
  painter.setPen(at.isOnBar ? theme::textOn(bar) : isAlive ? t.text : t.secondary);
  painter.drawText(place, side, shown);
}

// The plot above draws the axis; the head has a title and the selected step.
void LifetimeChart::paintHead(QPainter& painter, const Place& p) const {
  const theme::Tokens& t = m_theme.tokens();
  painter.setFont(m_theme.small());
  painter.setPen(t.grid);
  painter.drawLine(QPointF(p.axis.left, kHead - 1), QPointF(p.axis.right, kHead - 1));
  painter.setPen(t.secondary);
  const QString title = tr("Largest variables that are not always live");
  const double titleRight = p.axis.left + painter.fontMetrics().horizontalAdvance(title) + 16;
  painter.drawText(QRectF(p.axis.left, 0, titleRight - p.axis.left, kHead), Qt::AlignLeft | Qt::AlignVCenter, title);
  if (!isStepShown(p)) return;
  painter.setPen(t.accent);
  const double x = p.axis.xOf(double(m_step) + 0.5);
  const QString step = tr("step %1").arg(theme::count(m_step));
  const double wide = painter.fontMetrics().horizontalAdvance(step) + 4;
  const double left = std::clamp(x - wide / 2, p.axis.left, p.axis.right - wide);
  if (left >= titleRight) painter.drawText(QRectF(left, 0, wide, kHead), Qt::AlignCenter, step);
}

void LifetimeChart::resizeEvent(QResizeEvent*) { layoutScroll(); }

plot::Card LifetimeChart::cardOf(int row) const {
  plot::Card card;
  const auto& life = m_lifetimes[std::size_t(row)];
  const auto& v = life.variable;
  int64_t steps = 0;
  for (const auto& i : life.intervals) steps += i.size();
  card.title = theme::reportText(v.name);
  card.rows.push_back(
      {theme::reportText(reports::memoryCategoryTitle(v.category)), m_format.bytesExact(v.bytes), m_theme.memory(v.category)});
  card.rows.push_back({tr("maximum per tile"), m_format.bytesExact(v.maxTile), {}});
  card.rows.push_back({tr("live during"), theme::plural(steps, tr("step"), tr("steps")), {}});
  if (!life.intervals.empty())
    card.rows.push_back(
        {tr("from, to"),
         tr("step %1, step %2").arg(theme::count(life.intervals.front().begin), theme::count(life.intervals.back().end - 1)),
         {}});
  if (!v.operation.empty()) card.rows.push_back({tr("operation"), theme::reportText(v.operation), {}});
  card.hint = tr("Click selects the variable and the step");
  return card;
}

void LifetimeChart::hover(const QPoint& at) {
  m_hovered = rowAt(at.y());
  m_card->showAt(m_hovered >= 0 ? cardOf(m_hovered) : plot::Card(), at);
  viewport()->update();
}

bool LifetimeChart::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::MouseMove) hover(static_cast<QMouseEvent*>(event)->pos());
  if (event->type() == QEvent::Leave) hover(QPoint(0, -1));
  if (event->type() == QEvent::MouseButtonPress) {
    const QPoint at = static_cast<QMouseEvent*>(event)->pos();
    const int row = rowAt(at.y());
    const StepAxis axis = place().axis;
    if (row >= 0) emit variableClicked(variableOf(row));
    if (row >= 0 && at.x() >= axis.left && at.x() < axis.right) emit stepClicked(axis.stepAt(at.x()));
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void LifetimeChart::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Up && event->key() != Qt::Key_Down) return QAbstractScrollArea::keyPressEvent(event);
  int row = -1;
  for (std::size_t i = 0; i < m_lifetimes.size(); ++i)
    if (m_lifetimes[i].variable.variable == m_selected) row = int(i);
  row = std::clamp(row + (event->key() == Qt::Key_Down ? 1 : -1), 0, std::max(0, int(m_lifetimes.size()) - 1));
  if (m_lifetimes.empty()) return;
  emit variableClicked(variableOf(row));
  verticalScrollBar()->setValue(
      std::clamp(verticalScrollBar()->value(), (row + 1) * kRow + kHead - viewport()->height(), row * kRow));
}

} // namespace ui::liveness
