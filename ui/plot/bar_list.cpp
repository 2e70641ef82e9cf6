#include "ui/plot/bar_list.h"

#include "ui/plot/spoken.h"

#include "ui/theme/elide.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QFocusEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace ui::plot {

namespace {
constexpr int kRowHeight = theme::kRow, kGap = 12, kPad = 8; // like the rows of a table beside it
constexpr int kLeastBar = 72;                                // pixels that names leave to the bars
} // namespace

BarList::BarList(const theme::Theme& theme, const QString& name, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  makeSpoken(*this); // before the name is set
  setAccessibleName(name);
  setProperty("picture", true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
}

void BarList::setBars(std::vector<Bar> bars, double full) {
  m_bars = std::move(bars), m_full = full;
  QString spoken;
  for (const Bar& bar : m_bars) {
    double sum = 0;
    for (const BarSegment& s : bar.segments) sum += s.value;
    if (full <= 0) m_full = std::max({m_full, sum, bar.other});
    spoken += QStringList{bar.title, bar.text, bar.share}.join(' ').trimmed() + QStringLiteral(". ");
  }
  describe(*this, spoken.isEmpty() ? tr("Nothing is shown") : spoken);
  m_hovered = -1, m_cursor = std::min(m_cursor, int(m_bars.size()) - 1);
  setFixedHeight(sizeHint().height()); // a scroll area with spare room does not follow a changed size hint
  update();
}

void BarList::setSelectedId(int64_t id) {
  m_selected = id;
  for (std::size_t i = 0; i < m_bars.size(); ++i)
    if (id >= 0 && m_bars[i].id == id) bringIntoSight(int(i));
  update();
}

void BarList::bringIntoSight(int row) {
  for (QWidget* above = parentWidget(); above; above = above->parentWidget())
    if (auto* area = qobject_cast<QScrollArea*>(above)) area->ensureVisible(0, row * kRowHeight + kRowHeight / 2, 0, kRowHeight);
}

QSize BarList::sizeHint() const { return {420, int(m_bars.size()) * kRowHeight}; }
QSize BarList::minimumSizeHint() const { return {220, int(m_bars.size()) * kRowHeight}; }

BarList::Layout BarList::layoutOf(const QFontMetrics& metrics) const {
  Layout l;
  for (const Bar& bar : m_bars) {
    l.names = std::max(l.names, metrics.horizontalAdvance(bar.title));
    l.values = std::max(l.values, metrics.horizontalAdvance(bar.text));
    l.shares = std::max(l.shares, metrics.horizontalAdvance(bar.share));
  }
  l.behind = l.values + (l.shares ? l.shares + kGap : 0) + kPad;
  const bool hasBars =
      std::any_of(m_bars.begin(), m_bars.end(), [](const Bar& b) { return !b.segments.empty() || b.other >= 0; });
  const int room = width() - kPad - 2 * kGap - l.behind - (hasBars ? kLeastBar : 0);
  l.names = std::min(l.names + 2, std::max(room, width() * 2 / 5)); // advances are rounded: a title that just fits needs this
  l.left = kPad + l.names + kGap;
  l.full = hasBars ? width() - l.left - kGap - l.behind : 0;
  return l;
}

void BarList::paintEvent(QPaintEvent*) {
  const theme::Tokens& t = m_theme.tokens();
  QPainter painter(this);
  painter.setFont(m_theme.text());
  const Layout l = layoutOf(painter.fontMetrics());
  for (std::size_t i = 0; i < m_bars.size(); ++i) {
    const Bar& bar = m_bars[i];
    const QRect row(0, int(i) * kRowHeight, width(), kRowHeight);
    paintGround(painter, int(i), row);
    painter.setPen(t.text);
    painter.drawText(QRect(kPad, row.top(), l.names, kRowHeight), Qt::AlignVCenter,
                     theme::elided(painter.fontMetrics(), bar.title, l.names));
    if (l.full > 0) paintBar(painter, bar, QRect(l.left, row.center().y() - 5, l.full, 11));
    painter.setPen(t.text);
    painter.drawText(QRect(width() - l.behind - 2, row.top(), l.values + 2, kRowHeight), Qt::AlignVCenter | Qt::AlignRight,
                     bar.text);
    painter.setPen(t.secondary);
    painter.drawText(QRect(width() - kPad - l.shares - 2, row.top(), l.shares + 2, kRowHeight), Qt::AlignVCenter | Qt::AlignRight,
                     bar.share);
  }
}

// Paints the background of a row: selected, hovered, or with the keyboard cursor.
void BarList::paintGround(QPainter& painter, int index, const QRect& row) const {
  const theme::Tokens& t = m_theme.tokens();
  const Bar& bar = m_bars[std::size_t(index)];
  const bool selected = bar.id >= 0 && bar.id == m_selected, cursor = hasFocus() && index == m_cursor;
  if (selected || index == m_hovered) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(cursor ? QPen(t.accent) : QPen(Qt::NoPen));
    painter.setBrush(selected ? t.selection : t.hover);
    painter.drawRoundedRect(QRectF(row).adjusted(0.5, 1.5, -0.5, -1.5), 4, 4);
    painter.setRenderHint(QPainter::Antialiasing, false);
  } else if (cursor) {
    painter.setPen(t.accent), painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(row.adjusted(0, 1, -1, -2), 4, 4);
  }
}

void BarList::paintBar(QPainter& painter, const Bar& bar, const QRect& track) const {
  const theme::Tokens& t = m_theme.tokens();
  painter.fillRect(track, t.grid);
  double sum = 0;
  const auto at = [&](double v) {
    return track.left() + int(std::lround(track.width() * (m_full > 0 ? std::clamp(v / m_full, 0.0, 1.0) : 0)));
  };
  for (const BarSegment& segment : bar.segments) {
    const int from = at(sum);
    sum += segment.value;
    const int to = segment.value > 0 ? std::max(at(sum), from + 1) : from;
    painter.fillRect(QRect(from, track.top(), to - from, track.height()), segment.colour());
  }
  if (bar.other < 0) return;
  painter.fillRect(QRect(at(bar.other) - 1, track.top() - 3, 3, track.height() + 6), t.surface);
  painter.fillRect(QRect(at(bar.other), track.top() - 3, 1, track.height() + 6), t.text);
}

QVariant BarList::inputMethodQuery(Qt::InputMethodQuery query) const {
  if (query == Qt::ImCursorRectangle) return QRect(0, std::max(0, m_cursor) * kRowHeight, 1, kRowHeight);
  return QWidget::inputMethodQuery(query);
}

int BarList::rowAt(int y) const {
  const int row = y / kRowHeight;
  return y >= 0 && row < int(m_bars.size()) ? row : -1;
}

bool BarList::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int row = rowAt(help->pos().y());
    if (row >= 0) {
      const Bar& bar = m_bars[std::size_t(row)];
      QToolTip::showText(help->globalPos(), theme::tipText(bar.tip.isEmpty() ? bar.title : bar.title + '\n' + bar.tip), this);
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  return QWidget::event(event);
}

void BarList::mousePressEvent(QMouseEvent* event) {
  const int row = rowAt(event->pos().y());
  if (row < 0) return;
  m_cursor = row;
  emit barClicked(m_bars[std::size_t(row)].id);
  update();
}

void BarList::mouseMoveEvent(QMouseEvent* event) {
  const int row = rowAt(event->pos().y());
  if (row != m_hovered) m_hovered = row, update();
}

void BarList::leaveEvent(QEvent*) {
  m_hovered = -1;
  update();
}

// Shows keyboard users where the keys start.
void BarList::focusInEvent(QFocusEvent* event) {
  if (m_cursor < 0 && !m_bars.empty() && event->reason() != Qt::MouseFocusReason) m_cursor = 0;
  update();
  QWidget::focusInEvent(event);
}

void BarList::keyPressEvent(QKeyEvent* event) {
  if (m_bars.empty()) return QWidget::keyPressEvent(event);
  if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
    m_cursor = std::clamp(m_cursor + (event->key() == Qt::Key_Down ? 1 : -1), 0, int(m_bars.size()) - 1);
    bringIntoSight(m_cursor);
    const Bar& bar = m_bars[std::size_t(m_cursor)];
    speak(*this, QStringList{bar.title, bar.text, bar.share}.join(' ').trimmed());
    update();
  } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space) &&
             m_cursor >= 0) {
    emit barClicked(m_bars[std::size_t(m_cursor)].id);
  } else {
    QWidget::keyPressEvent(event);
  }
}

} // namespace ui::plot
