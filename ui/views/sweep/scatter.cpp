#include "ui/views/sweep/scatter.h"

#include "ui/plot/spoken.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace ui::sweep {

namespace {
constexpr int kLeft = 76, kBottom = 40, kTop = 24, kRight = 24;
constexpr double kRadius = 4.5, kReach = 10; // of a point; largest distance of a click
constexpr int kTicks = 4;

// The next of 1, 2, 2.5, 5, 10 … at or above `value`.
double roundUp(double value) {
  if (!(value > 0)) return 1;
  const double ten = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 1.2, 1.6, 2.0, 2.4, 3.2, 4.0, 5.0, 6.0, 8.0})
    if (step * ten >= value) return step * ten;
  return 10 * ten;
}
} // namespace

Scatter::Scatter(const theme::Theme& theme, const QString& name, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_card(new plot::HoverCard(theme, this)) {
  plot::makeSpoken(*this);
  setAccessibleName(name);
  setProperty("picture", true);
  setFocusPolicy(Qt::StrongFocus);
  describeIt();
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
}

void Scatter::setPoints(std::vector<ScatterPoint> points) {
  m_points = std::move(points);
  double x = 0, y = 0;
  const bool anyFits = std::any_of(m_points.begin(), m_points.end(), [](const ScatterPoint& p) { return p.fits; });
  for (const ScatterPoint& p : m_points)
    if (p.fits || !anyFits) x = std::max(x, p.x), y = std::max(y, p.y);
  m_xEnd = roundUp(x * 1.05 / m_x.unit) * m_x.unit, m_yEnd = roundUp(y * 1.05 / m_y.unit) * m_y.unit;
  m_cursor = -1;
  describeIt();
  update();
}

QString Scatter::emptyText() const {
  return tr("Runs appear here as points: “%1” grows to the right, “%2” upwards").arg(m_x.title, m_y.title);
}

void Scatter::describeIt() {
  QStringList words;
  for (const ScatterPoint& p : m_points)
    if (p.isOptimal) words.append(p.card.title);
  plot::describe(*this,
                 m_points.empty()
                     ? emptyText()
                     : tr("%1 runs; on the Pareto front: %2").arg(m_points.size()).arg(words.join(QStringLiteral("; "))),
                 tr("Arrow keys move between runs, Enter selects one, Ctrl+Shift+T goes to the table"));
}

void Scatter::setAxes(ScatterAxis x, ScatterAxis y) { m_x = std::move(x), m_y = std::move(y); }

void Scatter::setSelected(std::vector<int64_t> ids) {
  m_selected = std::move(ids);
  update();
}

QRectF Scatter::area() const { return QRectF(kLeft, kTop, width() - kLeft - kRight, height() - kTop - kBottom); }

QPointF Scatter::positionOf(const ScatterPoint& p) const {
  const QRectF plot = area();
  return {plot.left() + std::min(1.0, p.x / m_xEnd) * plot.width(), plot.bottom() - std::min(1.0, p.y / m_yEnd) * plot.height()};
}

const ScatterPoint* Scatter::at(const QPointF& place) const {
  const ScatterPoint* nearest = nullptr;
  double least = kReach;
  for (const ScatterPoint& p : m_points)
    if (const double d = QLineF(place, positionOf(p)).length(); d <= least) least = d, nearest = &p;
  return nearest;
}

void Scatter::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(m_theme.small());
  if (hasFocus()) {
    painter.setPen(m_theme.tokens().accent);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
  if (m_points.empty()) {
    painter.setPen(m_theme.tokens().secondary);
    painter.drawText(rect(), Qt::AlignCenter, emptyText());
    return;
  }
  paintAxes(painter);
  painter.setRenderHint(QPainter::Antialiasing);
  paintFront(painter);
  paintPoints(painter);
  paintLabels(painter);
  paintBeyond(painter);
}

void Scatter::paintAxes(QPainter& painter) const {
  const theme::Tokens& t = m_theme.tokens();
  const QRectF plot = area();
  const QFontMetrics metrics = painter.fontMetrics();
  for (int i = 0; i <= kTicks; ++i) {
    const double share = double(i) / kTicks, x = std::round(plot.left() + share * plot.width()) + 0.5,
                 y = std::round(plot.bottom() - share * plot.height()) + 0.5;
    painter.setPen(i == 0 ? t.line : t.grid);
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter.setPen(t.secondary);
    const QString xText = m_x.text ? m_x.text(share * m_xEnd) : QString(),
                  yText = m_y.text ? m_y.text(share * m_yEnd) : QString();
    const int wide = metrics.horizontalAdvance(xText);
    painter.drawText(QPointF(std::min(x - wide / 2.0, width() - wide - 4.0), plot.bottom() + metrics.ascent() + 4), xText);
    painter.drawText(QPointF(plot.left() - 8 - metrics.horizontalAdvance(yText), y + metrics.ascent() / 2.0 - 1), yText);
  }
  painter.drawText(QPointF(plot.left(), metrics.ascent() + 2), m_y.title);
  painter.drawText(QPointF(plot.right() - metrics.horizontalAdvance(m_x.title), height() - 6), m_x.title);
}

// A staircase: no run has fewer cycles and less memory than a point on it.
void Scatter::paintFront(QPainter& painter) const {
  std::vector<const ScatterPoint*> front;
  for (const ScatterPoint& p : m_points)
    if (p.isOptimal) front.push_back(&p);
  std::sort(front.begin(), front.end(), [](const auto* a, const auto* b) { return a->x < b->x; });
  QPainterPath path;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const QPointF place = positionOf(*front[i]);
    if (i == 0)
      path.moveTo(place);
    else
      path.lineTo(place.x(), positionOf(*front[i - 1]).y()), path.lineTo(place);
  }
  QColor line = m_theme.tokens().accent;
  line.setAlphaF(0.5f);
  painter.setPen(QPen(line, 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(path);
}

void Scatter::paintPoints(QPainter& painter) const {
  const theme::Tokens& t = m_theme.tokens();
  std::vector<ScatterPoint> points = m_points; // optimal points last, so that equal points do not hide them
  std::stable_partition(points.begin(), points.end(), [](const ScatterPoint& p) { return !p.isOptimal; });
  for (const ScatterPoint& p : points) {
    const QPointF place = positionOf(p);
    const bool chosen = std::find(m_selected.begin(), m_selected.end(), p.id) != m_selected.end();
    if (hasFocus() && m_cursor >= 0 && m_points[std::size_t(m_cursor)].id == p.id) {
      painter.setPen(QPen(t.text, 1));
      painter.setBrush(Qt::NoBrush);
      painter.drawEllipse(place, kRadius + 6, kRadius + 6);
    }
    if (chosen) {
      painter.setPen(QPen(t.accent, 2));
      painter.setBrush(t.selection);
      painter.drawEllipse(place, kRadius + 4, kRadius + 4);
    }
    if (!p.fits) {
      painter.setPen(QPen(p.colour ? p.colour() : t.bad, 1.8));
      painter.drawLine(place + QPointF(-4, -4), place + QPointF(4, 4));
      painter.drawLine(place + QPointF(-4, 4), place + QPointF(4, -4));
      continue;
    }
    const QColor colour = p.colour ? p.colour() : p.isOptimal ? t.accent : t.secondary;
    painter.setPen(QPen(colour, 1.5));
    painter.setBrush(p.isOptimal ? colour : t.surface);
    painter.drawEllipse(place, kRadius, kRadius);
  }
}

// Labels that would cover another label are left out; the tooltip has all values.
void Scatter::paintLabels(QPainter& painter) const {
  constexpr double kBeside = kRadius + 4;
  const QFontMetrics metrics = painter.fontMetrics();
  std::vector<QRectF> taken;
  painter.setPen(m_theme.tokens().secondary);
  for (const ScatterPoint& p : m_points) {
    if (p.label.isEmpty()) continue;
    const QPointF place = positionOf(p);
    QRectF box(place.x() + kBeside, place.y() - metrics.height() / 2.0, metrics.horizontalAdvance(p.label), metrics.height());
    if (box.right() > width()) box.moveRight(place.x() - kBeside);
    if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(box); })) continue;
    painter.drawText(QPointF(box.left(), box.top() + metrics.ascent()), p.label);
    taken.push_back(box);
  }
}

// Crosses beyond both axes overlap in the corner.
void Scatter::paintBeyond(QPainter& painter) const {
  const auto beyond =
      std::count_if(m_points.begin(), m_points.end(), [this](const ScatterPoint& p) { return p.x > m_xEnd || p.y > m_yEnd; });
  if (beyond < 2) return;
  const QString words = tr("%1 beyond the axes").arg(beyond);
  painter.setPen(m_theme.tokens().bad);
  painter.drawText(QPointF(area().right() - painter.fontMetrics().horizontalAdvance(words), area().top() - 8), words);
}

void Scatter::mouseMoveEvent(QMouseEvent* event) {
  const ScatterPoint* p = at(event->position());
  setCursor(p ? Qt::PointingHandCursor : Qt::ArrowCursor);
  m_card->showAt(p ? p->card : plot::Card(), event->pos());
}

void Scatter::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  std::vector<int64_t> ids;
  if (event->modifiers() & Qt::ControlModifier) ids = m_selected;
  if (const ScatterPoint* p = at(event->position())) {
    const auto found = std::find(ids.begin(), ids.end(), p->id);
    found == ids.end() ? ids.push_back(p->id) : void(ids.erase(found));
  }
  setSelected(ids);
  emit selected(ids);
}

void Scatter::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const ScatterPoint* p = at(event->position())) emit activated(p->id);
}

// Moves between runs in order from left to right.
void Scatter::keyPressEvent(QKeyEvent* event) {
  const int by = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  const bool chooses = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space;
  if (m_points.empty() || (by == 0 && !chooses)) return QWidget::keyPressEvent(event);
  if (chooses) {
    if (m_cursor < 0) return;
    setSelected({m_points[std::size_t(m_cursor)].id});
    return emit selected(m_selected);
  }
  std::vector<int> order;
  for (int i = 0; i < int(m_points.size()); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [this](int a, int b) { return m_points[std::size_t(a)].x < m_points[std::size_t(b)].x; });
  const auto here = std::find(order.begin(), order.end(), m_cursor);
  const auto last = int(order.size()) - 1;
  m_cursor = order[std::size_t(here == order.end() ? (by > 0 ? 0 : last) : std::clamp(int(here - order.begin()) + by, 0, last))];
  const ScatterPoint& p = m_points[std::size_t(m_cursor)];
  m_card->showAt(p.card, positionOf(p).toPoint());
  plot::speak(*this, plot::wordsOf(p.card));
  update();
}

void Scatter::focusOutEvent(QFocusEvent* event) {
  m_cursor = -1;
  m_card->showAt({}, {});
  update();
  QWidget::focusOutEvent(event);
}

void Scatter::leaveEvent(QEvent*) { m_card->showAt({}, {}); }

} // namespace ui::sweep
