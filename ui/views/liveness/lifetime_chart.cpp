#include "ui/views/liveness/lifetime_chart.h"

#include "ui/shell/report_text.h"
#include "ui/theme/elide.h"
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
  setAccessibleName(tr("Lifetimes of the largest variables"));
  setProperty("picture", true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  viewport()->setAutoFillBackground(false);
  connect(&theme, &theme::Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

void LifetimeChart::setLifetimes(std::vector<analyser::liveness::Lifetime> lifetimes, int64_t steps) {
  m_lifetimes = std::move(lifetimes);
  m_hovered = -1;
  if (m_visible.empty()) m_visible = {0, std::max<int64_t>(1, steps)};
  QStringList words;
  for (std::size_t i = 0; i < std::min<std::size_t>(m_lifetimes.size(), 8); ++i)
    words << shell::reportText(m_lifetimes[i].variable.name) + ' ' + m_format.bytes(m_lifetimes[i].variable.bytes);
  setAccessibleDescription(words.join(", "));
  layoutScroll();
  viewport()->update();
}

void LifetimeChart::setFormat(const theme::Format& format) {
  m_format = format;
  viewport()->update();
}

void LifetimeChart::setVisibleSteps(reports::Range<int64_t> range) {
  m_visible = range;
  viewport()->update();
}

void LifetimeChart::setStep(int64_t step) {
  m_step = step;
  viewport()->update();
}

void LifetimeChart::setSelectedVariable(reports::VariableId variable) {
  m_selected = variable;
  viewport()->update();
}

int LifetimeChart::gutter() const { return std::clamp(viewport()->width() * 2 / 5, 160, 520); }

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

void LifetimeChart::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  const theme::Tokens& t = m_theme.tokens();
  painter.fillRect(viewport()->rect(), t.surface);
  const int left = gutter(), wide = viewport()->width() - left - 8, scroll = verticalScrollBar()->value();
  const QFontMetrics metrics(m_theme.mono()), small(m_theme.small());
  const auto top = [&](int row) { return kHead + row * kRow - scroll; };
  const std::vector<int> alive = rowsAliveAt(m_lifetimes, m_step);
  painter.setClipRect(0, kHead, viewport()->width(), viewport()->height() - kHead);
  for (int row = scroll / kRow; row < int(m_lifetimes.size()) && top(row) < viewport()->height(); ++row) {
    const auto& v = m_lifetimes[std::size_t(row)].variable;
    const QRect line(0, top(row), viewport()->width(), kRow);
    if (v.variable == m_selected)
      painter.fillRect(line, t.selection);
    else if (row == m_hovered)
      painter.fillRect(line, t.hover);
    const bool isAlive = std::binary_search(alive.begin(), alive.end(), row);
    const QString bytes = m_format.bytes(v.bytes);
    const int bytesWide = QFontMetrics(m_theme.text()).horizontalAdvance(bytes);
    painter.setFont(m_theme.text());
    painter.setPen(isAlive ? t.text : t.secondary);
    painter.drawText(QRect(left - bytesWide - 12, line.top(), bytesWide, kRow), Qt::AlignRight | Qt::AlignVCenter, bytes);
    painter.setFont(m_theme.mono());
    painter.drawText(QRect(8, line.top(), left - bytesWide - 28, kRow), Qt::AlignLeft | Qt::AlignVCenter,
                     theme::elided(metrics, shell::reportText(v.name), left - bytesWide - 28));
  }
  for (const LifetimeBar& bar : lifetimeBars(m_lifetimes, m_visible, wide)) {
    if (top(bar.row) + kRow < kHead || top(bar.row) > viewport()->height()) continue;
    const auto& v = m_lifetimes[std::size_t(bar.row)].variable;
    const bool isAlive = std::binary_search(alive.begin(), alive.end(), bar.row);
    const QColor colour = m_theme.memory(v.category);
    painter.fillRect(QRectF(left + bar.left, top(bar.row) + 4, bar.right - bar.left, kRow - 8),
                     isAlive || m_step < 0 ? colour : theme::mix(colour, t.surface, 0.5));
  }
  painter.setClipping(false);
  // The axis: first, middle and last visible step, and the selected one.
  painter.setFont(m_theme.small());
  painter.setPen(t.grid);
  painter.drawLine(left, kHead - 1, viewport()->width(), kHead - 1);
  painter.setPen(t.secondary);
  painter.drawText(QRect(8, 0, left - 12, kHead), Qt::AlignLeft | Qt::AlignVCenter,
                   tr("Largest variables that are not always live"));
  if (m_visible.empty()) return;
  const auto xOf = [&](int64_t step) { return left + (double(step - m_visible.begin) + 0.5) / double(m_visible.size()) * wide; };
  const bool stepShown = m_visible.contains(m_step);
  for (const int64_t step : {m_visible.begin, m_visible.begin + m_visible.size() / 2, m_visible.end - 1}) {
    if (stepShown && std::abs(xOf(step) - xOf(m_step)) < 70) continue;
    const QString text = theme::count(step);
    painter.drawText(QRectF(std::clamp(xOf(step) - 40, double(left), double(viewport()->width() - 80)), 0, 80, kHead),
                     (step == m_visible.begin     ? Qt::AlignLeft
                      : step == m_visible.end - 1 ? Qt::AlignRight
                                                  : Qt::AlignHCenter) |
                         Qt::AlignVCenter,
                     text);
  }
  if (!stepShown) return;
  painter.setPen(QPen(t.accent, 1));
  painter.drawLine(QPointF(xOf(m_step), kHead - 4), QPointF(xOf(m_step), viewport()->height()));
  painter.drawText(QRectF(std::clamp(xOf(m_step) - 50, double(left), double(viewport()->width() - 100)), 0, 100, kHead),
                   Qt::AlignCenter, tr("step %1").arg(theme::count(m_step)));
}

void LifetimeChart::resizeEvent(QResizeEvent*) { layoutScroll(); }

void LifetimeChart::hover(const QPoint& at) {
  m_hovered = rowAt(at.y());
  plot::Card card;
  if (m_hovered >= 0) {
    const auto& life = m_lifetimes[std::size_t(m_hovered)];
    int64_t steps = 0;
    for (const auto& i : life.intervals) steps += i.size();
    card.title = shell::reportText(life.variable.name);
    card.rows.push_back({shell::reportText(reports::memoryCategoryTitle(life.variable.category)),
                         m_format.bytesExact(life.variable.bytes), m_theme.memory(life.variable.category)});
    card.rows.push_back({tr("most on a tile"), m_format.bytesExact(life.variable.maxTile), {}});
    card.rows.push_back({tr("alive in"), theme::plural(steps, tr("step"), tr("steps")), {}});
    if (!life.intervals.empty())
      card.rows.push_back(
          {tr("from, to"),
           tr("step %1, step %2").arg(theme::count(life.intervals.front().begin), theme::count(life.intervals.back().end - 1)),
           {}});
    if (!life.variable.operation.empty()) card.rows.push_back({tr("operation"), shell::reportText(life.variable.operation), {}});
    card.hint = tr("Click selects the variable, and in the bars the step");
  }
  m_card->showAt(card, at);
  viewport()->update();
}

bool LifetimeChart::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::MouseMove) hover(static_cast<QMouseEvent*>(event)->pos());
  if (event->type() == QEvent::Leave) hover(QPoint(0, -1));
  if (event->type() == QEvent::MouseButtonPress) {
    const QPoint at = static_cast<QMouseEvent*>(event)->pos();
    const int row = rowAt(at.y()), left = gutter();
    if (row >= 0) emit variableClicked(variableOf(row));
    if (row >= 0 && at.x() > left)
      emit stepClicked(std::clamp(m_visible.begin + int64_t(double(at.x() - left) / std::max(1, viewport()->width() - left - 8) *
                                                            double(m_visible.size())),
                                  m_visible.begin, std::max(m_visible.begin, m_visible.end - 1)));
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
