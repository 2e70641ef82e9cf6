#include "ui/views/operations/roofline.h"

#include "ui/plot/spoken.h"
#include "ui/theme/elide.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui::operations {

namespace {
constexpr int kLeft = 84, kRight = 16, kTop = 12, kBottom = 40;

QString intensityText(double v) { return theme::withoutZeros(theme::significant(v)); }
} // namespace

Roofline::Roofline(const theme::Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_card(new plot::HoverCard(theme, this)) {
  plot::makeSpokenBySelection(*this);
  setAccessibleName(tr("Roofline of the operations"));
  setProperty("picture", true);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
}

void Roofline::setRoofs(const Roofs& roofs) {
  m_roofs = roofs;
  update();
}

void Roofline::setPoints(std::vector<RooflinePoint> points) {
  std::erase_if(points, [](const RooflinePoint& p) { return !(p.rate > 0); });
  std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  m_points = std::move(points);
  m_hovered = -1;
  double lowX = 1, highX = 10, lowY = 1e12, highY = m_roofs.highest();
  const auto include = [&](double intensity, double rate) {
    if (std::isfinite(intensity) && intensity > 0) lowX = std::min(lowX, intensity), highX = std::max(highX, intensity);
    lowY = std::min(lowY, rate), highY = std::max(highY, rate);
  };
  for (const RooflinePoint& p : m_points) {
    include(p.intensity, p.rate);
    if (p.before) include(p.before->first, p.before->second);
  }
  // The ridge of the roof is visible, and operations without exchange have a separate column at the right.
  if (m_roofs.bytesPerSecond > 0) highX = std::max(highX, m_roofs.highest() / m_roofs.bytesPerSecond);
  m_lowX = std::floor(std::log10(lowX)), m_highX = std::ceil(std::log10(highX)) + 1;
  m_lowY = std::floor(std::log10(std::max(1.0, lowY))), m_highY = std::ceil(std::log10(std::max(10.0, highY)) + 0.2);
  setAccessibleDescription(tr("%1 with FLOPs").arg(theme::plural(int64_t(m_points.size()), tr("operation"), tr("operations"))));
  update();
}

void Roofline::setSelected(int64_t id) {
  m_selected = id;
  update();
}

QRectF Roofline::area() const {
  return QRectF(kLeft, kTop, std::max(1, width() - kLeft - kRight), std::max(1, height() - kTop - kBottom));
}

double Roofline::xOf(double intensity) const {
  const double power =
      std::isfinite(intensity) ? std::clamp(std::log10(std::max(1e-12, intensity)), m_lowX, m_highX - 0.5) : m_highX - 0.25;
  return area().left() + (power - m_lowX) / (m_highX - m_lowX) * area().width();
}

double Roofline::yOf(double rate) const {
  const double power = std::clamp(std::log10(std::max(1.0, rate)), m_lowY, m_highY);
  return area().bottom() - (power - m_lowY) / (m_highY - m_lowY) * area().height();
}

double Roofline::radiusOf(const RooflinePoint& p) const {
  return std::clamp(3 + 22 * std::sqrt(std::max(0.0, p.share)), 3.0, 22.0);
}

double Roofline::roofAt(const RooflinePoint& p) const {
  const double peak = p.isOfB ? m_roofs.ofB : m_roofs.own;
  return std::isfinite(p.intensity) && m_roofs.bytesPerSecond > 0 ? std::min(peak, p.intensity * m_roofs.bytesPerSecond) : peak;
}

QPointF Roofline::placeOf(int64_t id) const {
  for (const RooflinePoint& p : m_points)
    if (p.id == id) return pointOf(p);
  return {};
}

int Roofline::pointAt(const QPointF& at) const {
  int best = -1;
  double nearest = 1e18;
  for (std::size_t i = 0; i < m_points.size(); ++i) {
    const QPointF d = pointOf(m_points[i]) - at;
    const double distance = std::hypot(d.x(), d.y()) - radiusOf(m_points[i]);
    if (distance < 4 && distance + radiusOf(m_points[i]) < nearest) nearest = distance + radiusOf(m_points[i]), best = int(i);
  }
  return best;
}

void Roofline::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(m_theme.small());
  painter.fillRect(rect(), m_theme.tokens().surface);
  paintGrid(painter);
  if (m_points.empty()) {
    painter.setPen(m_theme.tokens().secondary);
    painter.drawText(area(), Qt::AlignCenter, tr("No operation in this list has FLOPs"));
    return;
  }
  painter.setRenderHint(QPainter::Antialiasing);
  paintRoofs(painter);
  paintPoints(painter);
}

void Roofline::paintGrid(QPainter& painter) const {
  const theme::Tokens& t = m_theme.tokens();
  const QRectF a = area();
  const QFontMetrics metrics(m_theme.small());
  for (int power = int(m_lowX); power <= int(m_highX) - 1; ++power) {
    const double x = xOf(std::pow(10.0, power));
    painter.setPen(t.grid);
    painter.drawLine(QPointF(x, a.top()), QPointF(x, a.bottom()));
    painter.setPen(t.secondary);
    const QString text = intensityText(std::pow(10.0, power));
    painter.drawText(QPointF(x - metrics.horizontalAdvance(text) / 2.0, a.bottom() + metrics.ascent() + 4), text);
  }
  // In a low plot every second power of ten is labelled.
  const int each = a.height() < (m_highY - m_lowY) * (metrics.height() + 4) ? 2 : 1;
  for (int power = int(m_lowY); power <= int(m_highY); power += each) {
    const double y = yOf(std::pow(10.0, power));
    painter.setPen(t.grid);
    painter.drawLine(QPointF(a.left(), y), QPointF(a.right(), y));
    painter.setPen(t.secondary);
    painter.drawText(QRectF(0, y - 10, kLeft - 8, 20), Qt::AlignRight | Qt::AlignVCenter,
                     theme::withoutZeros(theme::flopsRate(std::pow(10.0, power))));
  }
  const double none = xOf(std::numeric_limits<double>::infinity());
  painter.setPen(t.secondary);
  const QString noExchange = tr("no exchange");
  painter.drawText(
      QPointF(std::min(none - metrics.horizontalAdvance(noExchange) / 2.0, width() - 2.0 - metrics.horizontalAdvance(noExchange)),
              a.bottom() + metrics.ascent() + 4),
      noExchange);
  painter.drawText(QRectF(a.left(), height() - 20, a.width(), 18), Qt::AlignCenter, tr("FLOP per byte exchanged"));
  const QString legend = m_roofs.ofB > 0 ? tr("Ring: in A, point: in B") : tr("Area of a point: its share of the cycles");
  if (a.width() > 2 * metrics.horizontalAdvance(legend) + metrics.horizontalAdvance(tr("FLOP per byte exchanged")) + 32)
    painter.drawText(QRectF(a.left(), height() - 20, a.width(), 18), Qt::AlignRight | Qt::AlignVCenter, legend);
}

void Roofline::paintRoofs(QPainter& painter) const {
  const theme::Tokens& t = m_theme.tokens();
  const QRectF a = area();
  const QFontMetrics metrics(m_theme.small());
  double above = 0; // the previous, higher peak
  for (const auto& [peak, name] :
       {std::pair{m_roofs.fp8, tr("fp8 peak")}, {m_roofs.fp16, tr("fp16 peak")}, {m_roofs.fp32, tr("fp32 peak")}}) {
    if (!(peak > 0)) continue;
    const bool isOwn = peak == m_roofs.own || peak == m_roofs.ofB;
    const double ridge = m_roofs.bytesPerSecond > 0 ? xOf(peak / m_roofs.bytesPerSecond) : a.left();
    painter.setPen(QPen(isOwn ? t.text : t.disabled, isOwn ? 1.5 : 1, isOwn ? Qt::SolidLine : Qt::DashLine));
    painter.drawLine(QPointF(ridge, yOf(peak)), QPointF(a.right(), yOf(peak)));
    const QString text = name + QStringLiteral(" ") + theme::flopsRate(peak);
    painter.setPen(isOwn ? t.text : t.secondary);
    // In a low plot the lower peak is labelled below its line.
    const bool isBelow = above > 0 && yOf(peak) - yOf(above) < metrics.height() + 4;
    above = peak;
    const QPointF foot(a.right() - metrics.horizontalAdvance(text) - 4,
                       isBelow ? yOf(peak) + metrics.ascent() + 2 : yOf(peak) - 4);
    // The label has a background, so that grid lines do not cross it.
    painter.fillRect(
        QRectF(foot.x() - 2, foot.y() - metrics.ascent() + 1, metrics.horizontalAdvance(text) + 4, metrics.height() - 3),
        t.surface);
    painter.drawText(foot, text);
  }
  const double peak = m_roofs.highest();
  if (!(m_roofs.bytesPerSecond > 0) || !(peak > 0)) return;
  // The slanted roof, from the edge of the plot to the highest peak.
  const double from = std::max(std::pow(10.0, m_lowX), std::pow(10.0, m_lowY) / m_roofs.bytesPerSecond),
               to = peak / m_roofs.bytesPerSecond;
  if (from >= to) return;
  const QPointF begin(xOf(from), yOf(from * m_roofs.bytesPerSecond)), end(xOf(to), yOf(peak));
  painter.setPen(QPen(t.text, 1.5));
  painter.drawLine(begin, end);
  painter.save();
  painter.translate((begin + end) / 2);
  painter.rotate(std::atan2(end.y() - begin.y(), end.x() - begin.x()) * 180 / M_PI);
  painter.drawText(QPointF(-60, -5),
                   tr("exchange %1/s").arg(theme::Format().bytes(reports::Bytes(int64_t(m_roofs.bytesPerSecond)))));
  painter.restore();
}

// Paints a point. In a comparison, a line leads to it from its position in A, a small ring. A point that only A has is a ring.
void Roofline::paintPoint(QPainter& painter, const RooflinePoint& p, bool isMarked) const {
  const theme::Tokens& t = m_theme.tokens();
  QColor fill = m_theme.activity(reports::Activity::Compute);
  if (p.before) {
    const QPointF before(xOf(p.before->first), yOf(p.before->second));
    painter.setPen(QPen(isMarked ? t.text : t.secondary, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawLine(before, pointOf(p));
    painter.drawEllipse(before, 3, 3);
  }
  fill.setAlphaF(isMarked ? 0.9f : 0.55f);
  painter.setBrush(p.isGone ? QBrush(Qt::NoBrush) : QBrush(fill));
  painter.setPen(QPen(p.id == m_selected ? t.accent
                      : isMarked         ? t.text
                      : p.isGone         ? t.secondary
                                         : t.surface,
                      p.id == m_selected ? 2.5 : 1));
  painter.drawEllipse(pointOf(p), radiusOf(p), radiusOf(p));
}

void Roofline::paintPoints(QPainter& painter) const {
  const theme::Tokens& t = m_theme.tokens();
  for (std::size_t i = 0; i < m_points.size(); ++i)
    paintPoint(painter, m_points[i], m_points[i].id == m_selected || int(i) == m_hovered);
  // The points with the largest shares are labelled if there is space.
  const QFontMetrics metrics(m_theme.small());
  std::vector<QRectF> taken;
  painter.setPen(t.text);
  for (std::size_t i = 0; i < std::min<std::size_t>(5, m_points.size()); ++i) {
    const RooflinePoint& p = m_points[i];
    const QString name = theme::elided(metrics, p.title, 180);
    const double wide = metrics.horizontalAdvance(name);
    double left = pointOf(p).x() + radiusOf(p) + 4;
    if (left + wide > width() - 4) left = pointOf(p).x() - radiusOf(p) - 4 - wide;
    const QRectF box(left, pointOf(p).y() - metrics.height() / 2.0, wide, metrics.height());
    if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(box); })) continue;
    const auto isUnder = [&](const RooflinePoint& other) { // the label would cover its circle
      const QPointF at = pointOf(other);
      const double x = std::clamp(at.x(), box.left(), box.right()), y = std::clamp(at.y(), box.top(), box.bottom());
      return std::hypot(at.x() - x, at.y() - y) < radiusOf(other);
    };
    if (std::any_of(m_points.begin(), m_points.end(), isUnder)) continue;
    painter.drawText(box.bottomLeft() - QPointF(0, metrics.descent()), name);
    taken.push_back(box);
  }
}

void Roofline::mouseMoveEvent(QMouseEvent* event) {
  m_hovered = pointAt(event->position());
  plot::Card card;
  if (m_hovered >= 0) {
    const RooflinePoint& p = m_points[std::size_t(m_hovered)];
    card.title = p.title;
    if (p.before) card.rows.push_back({tr("reached in A"), theme::flopsRate(p.before->second), {}});
    card.rows.push_back({p.isGone ? tr("reached in A, not in B") : tr("reaches"), theme::flopsRate(p.rate), {}});
    card.rows.push_back(
        {tr("roof"), tr("%1, %2 of it").arg(theme::flopsRate(roofAt(p)), theme::percent(p.rate / roofAt(p))), {}});
    card.rows.push_back({tr("FLOP per byte"), std::isfinite(p.intensity) ? intensityText(p.intensity) : tr("no exchange"), {}});
    card.rows.push_back({tr("share"), tr("%1 of the cycles").arg(theme::percent(p.share)), {}});
    card.hint = tr("Click selects");
  }
  m_card->showAt(card, event->pos());
  update();
}

void Roofline::mousePressEvent(QMouseEvent* event) {
  if (const int at = pointAt(event->position()); at >= 0 && event->button() == Qt::LeftButton)
    emit pointClicked(m_points[std::size_t(at)].id);
}

void Roofline::leaveEvent(QEvent*) {
  m_hovered = -1;
  m_card->showAt({}, {});
  update();
}

// Moves from the largest share to the smallest.
void Roofline::keyPressEvent(QKeyEvent* event) {
  const bool next = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
  const bool before = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
  if ((!next && !before) || m_points.empty()) return QWidget::keyPressEvent(event);
  const auto at = std::find_if(m_points.begin(), m_points.end(), [&](const auto& p) { return p.id == m_selected; });
  const int index = at == m_points.end() ? -1 : int(at - m_points.begin());
  emit pointClicked(m_points[std::size_t(std::clamp(index + (next ? 1 : -1), 0, int(m_points.size()) - 1))].id);
}

} // namespace ui::operations
