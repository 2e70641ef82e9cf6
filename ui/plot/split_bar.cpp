#include "ui/plot/split_bar.h"

#include "ui/plot/spoken.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ui::plot {

namespace {
constexpr int kBar = 20;
constexpr int kKeyGap = 8;
constexpr int kKeyLine = 22;
constexpr int kEntry = 360; // least width of a column of entries
} // namespace

std::vector<int> splitWidths(const std::vector<double>& amounts, int width) {
  std::vector<int> widths(amounts.size(), 0);
  const double sum =
      std::accumulate(amounts.begin(), amounts.end(), 0.0, [](double s, double a) { return s + std::max(0.0, a); });
  if (sum <= 0 || width <= 0) return widths;
  int used = 0;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    if (amounts[i] <= 0) continue;
    widths[i] = std::max(2, int(std::floor(amounts[i] / sum * width)));
    used += widths[i];
  }
  // The widest part absorbs the rounding: it gets the remaining pixels, or loses the pixels that small parts gain by their least
  // width.
  while (used != width) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    const int change = used < width ? width - used : -std::min(used - width, *widest - 1);
    if (change == 0) break;
    *widest += change, used += change;
  }
  return widths;
}

SplitBar::SplitBar(const theme::Theme& theme, const QString& name, QWidget* parent) : QWidget(parent), m_theme(theme) {
  makeSpoken(*this); // before the name is set
  setAccessibleName(name);
  setProperty("picture", true);
  setMouseTracking(true);
  setFocusPolicy(Qt::TabFocus);
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
}

void SplitBar::setParts(std::vector<SplitPart> parts, double whole) {
  m_parts = std::move(parts);
  m_whole = whole;
  m_hovered = std::min(m_hovered, int(m_parts.size()) - 1);
  if (m_whole <= 0)
    for (const SplitPart& part : m_parts) m_whole += part.amount;
  QStringList words;
  for (const SplitPart& part : m_parts) words << QStringLiteral("%1 %2").arg(part.title, part.value);
  describe(*this, words.isEmpty() ? tr("Nothing is shown") : words.join(", "));
  updateGeometry();
  update();
}

int SplitBar::columnsFor(int width) const { return std::clamp(width / kEntry, 1, 2); }

int SplitBar::heightForWidth(int width) const {
  const int columns = columnsFor(width);
  return kBar + kKeyGap + (int(m_parts.size()) + columns - 1) / columns * kKeyLine;
}

QSize SplitBar::sizeHint() const { return {480, heightForWidth(480)}; }
QSize SplitBar::minimumSizeHint() const { return {240, heightForWidth(std::max(240, width()))}; }

QRect SplitBar::entryRect(int part) const {
  const int columns = columnsFor(width()), rows = (int(m_parts.size()) + columns - 1) / columns;
  const int wide = (width() - (columns - 1) * 32) / columns;
  return QRect(part / std::max(1, rows) * (wide + 32), kBar + kKeyGap + part % std::max(1, rows) * kKeyLine, wide, kKeyLine);
}

void SplitBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const theme::Tokens& t = m_theme.tokens();
  std::vector<double> amounts;
  for (const SplitPart& part : m_parts) amounts.push_back(part.amount);
  const double sum = std::accumulate(amounts.begin(), amounts.end(), 0.0);
  const int filled = m_whole > 0 ? int(std::lround(std::min(1.0, sum / m_whole) * width())) : 0;
  painter.fillRect(QRect(0, 0, width(), kBar), t.grid);
  const std::vector<int> widths = splitWidths(amounts, filled);
  int x = 0;
  for (std::size_t i = 0; i < m_parts.size(); ++i) {
    if (!widths[i]) continue;
    QColor colour = m_parts[i].colour();
    if (m_hovered >= 0 && m_hovered != int(i)) colour = theme::mix(colour, t.surface, 0.55);
    painter.fillRect(QRect(x, 0, std::max(1, widths[i] - 1), kBar), colour);
    x += widths[i];
  }
  const QFontMetrics metrics(m_theme.text());
  const auto shareOf = [&](const SplitPart& part) { return theme::percent(m_whole > 0 ? part.amount / m_whole : 0); };
  int shareWide = metrics.horizontalAdvance(QStringLiteral("100.0 %"));
  for (const SplitPart& part : m_parts) shareWide = std::max(shareWide, metrics.horizontalAdvance(shareOf(part)));
  shareWide += 4;
  for (int i = 0; i < int(m_parts.size()); ++i) {
    const SplitPart& part = m_parts[std::size_t(i)];
    const QRect row = entryRect(i);
    painter.fillRect(QRect(row.left(), row.center().y() - 4, 10, 10), part.colour());
    const int valueWide = std::max(metrics.horizontalAdvance(part.value), 84);
    const QRect share(row.right() - shareWide, row.top(), shareWide, row.height());
    const QRect value(share.left() - valueWide - 4, row.top(), valueWide, row.height());
    const QRect title(row.left() + 18, row.top(), value.left() - row.left() - 22, row.height());
    painter.setFont(i == m_hovered ? m_theme.strong() : m_theme.text());
    painter.setPen(t.text);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(part.title, Qt::ElideRight, title.width()));
    painter.setFont(m_theme.text());
    painter.drawText(value, Qt::AlignRight | Qt::AlignVCenter, part.value);
    painter.setPen(t.secondary);
    painter.drawText(share, Qt::AlignRight | Qt::AlignVCenter, shareOf(part));
  }
}

int SplitBar::partAt(const QPoint& at) const {
  if (at.y() >= kBar) {
    for (int i = 0; i < int(m_parts.size()); ++i)
      if (entryRect(i).contains(at)) return i;
    return -1;
  }
  std::vector<double> amounts;
  for (const SplitPart& part : m_parts) amounts.push_back(part.amount);
  const double sum = std::accumulate(amounts.begin(), amounts.end(), 0.0);
  const std::vector<int> widths =
      splitWidths(amounts, m_whole > 0 ? int(std::lround(std::min(1.0, sum / m_whole) * width())) : 0);
  int x = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (at.x() >= x && at.x() < x + widths[i]) return int(i);
    x += widths[i];
  }
  return -1;
}

void SplitBar::setHovered(int part) {
  m_hovered = part;
  update();
}

void SplitBar::mousePressEvent(QMouseEvent* event) {
  const int part = event->button() == Qt::LeftButton ? partAt(event->pos()) : -1;
  if (part >= 0)
    emit partClicked(part);
  else
    QWidget::mousePressEvent(event);
}

void SplitBar::keyPressEvent(QKeyEvent* event) {
  const int last = int(m_parts.size()) - 1, key = event->key();
  if (last >= 0 && (key == Qt::Key_Down || key == Qt::Key_Right))
    setHovered(std::min(m_hovered + 1, last));
  else if (last >= 0 && (key == Qt::Key_Up || key == Qt::Key_Left))
    setHovered(std::max(m_hovered - 1, 0));
  else if (m_hovered >= 0 && (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space))
    emit partClicked(m_hovered);
  else
    return QWidget::keyPressEvent(event);
  if (m_hovered >= 0)
    speak(*this, QStringLiteral("%1 %2").arg(m_parts[std::size_t(m_hovered)].title, m_parts[std::size_t(m_hovered)].value));
}

void SplitBar::focusInEvent(QFocusEvent* event) {
  if (m_hovered < 0 && !m_parts.empty()) setHovered(0);
  QWidget::focusInEvent(event);
}

void SplitBar::focusOutEvent(QFocusEvent* event) {
  setHovered(-1);
  QWidget::focusOutEvent(event);
}

void SplitBar::mouseMoveEvent(QMouseEvent* event) {
  setHovered(partAt(event->pos()));
  setCursor(m_hovered >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (m_hovered >= 0) {
    const SplitPart& part = m_parts[std::size_t(m_hovered)];
    QToolTip::showText(event->globalPosition().toPoint(), theme::tipText(part.title + '\n' + part.tip), this);
  } else {
    QToolTip::hideText();
  }
}

void SplitBar::leaveEvent(QEvent*) { setHovered(-1); }

} // namespace ui::plot
