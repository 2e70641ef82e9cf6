#include "ui/plot/hover_card.h"

#include "ui/plot/spoken.h"
#include "ui/theme/elide.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>

namespace ui::plot {

namespace {
constexpr int kCardPad = 10, kLine = 18, kSwatch = 16, kColumnGap = 24, kMaxWidth = 440, kDistance = 16;
constexpr int kSlack = 4; // hinted text may be painted wider than it is measured
} // namespace

HoverCard::HoverCard(const theme::Theme& theme, QWidget* owner) : QWidget(owner), m_theme(theme), m_owner(owner) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  makeSilent(*this); // the plot has the same text, spoken()
  owner->installEventFilter(this);
  hide();
}

bool HoverCard::eventFilter(QObject*, QEvent* event) {
  if (event->type() == QEvent::Hide || event->type() == QEvent::Leave || event->type() == QEvent::MouseButtonPress) hide();
  return false;
}

QSize HoverCard::wantedSize() const {
  const QFontMetrics strong(m_theme.strong()), text(m_theme.small());
  int names = 0, values = 0;
  for (const CardRow& row : m_card.rows) {
    names = std::max(names, text.horizontalAdvance(row.name) + (row.swatch.isValid() ? kSwatch : 0));
    values = std::max(values, text.horizontalAdvance(row.value));
  }
  const int inner =
      std::max({strong.horizontalAdvance(m_card.title), names + kColumnGap + values, text.horizontalAdvance(m_card.hint)});
  const int lines = int(m_card.rows.size()) + (m_card.title.isEmpty() ? 0 : 1) + (m_card.hint.isEmpty() ? 0 : 1);
  return {std::min(inner + kSlack, kMaxWidth) + 2 * kCardPad, lines * kLine + 2 * kCardPad - 4 + (m_card.hint.isEmpty() ? 0 : 6)};
}

void HoverCard::showAt(const Card& card, const QPoint& at) {
  if (card.empty() || !m_owner->isVisible()) {
    hide();
    return;
  }
  m_card = card;
  QWidget* window = m_owner->window();
  if (parentWidget() != window) setParent(window);
  const QSize size = wantedSize();
  QPoint place = m_owner->mapTo(window, at) + QPoint(kDistance, kDistance);
  // Moves to the other side of the pointer at the window's edge, so that the tooltip never covers the item it describes.
  if (place.x() + size.width() > window->width() - 4) place.rx() -= size.width() + 2 * kDistance;
  if (place.y() + size.height() > window->height() - 4) place.ry() -= size.height() + 2 * kDistance;
  setGeometry(QRect(QPoint(std::max(4, place.x()), std::max(4, place.y())), size));
  raise();
  show();
  update();
}

void HoverCard::paintEvent(QPaintEvent*) {
  const theme::Tokens& t = m_theme.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(t.line);
  painter.setBrush(t.raised);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme::kRadius, theme::kRadius);
  const QRect inner = rect().adjusted(kCardPad, kCardPad - 3, -kCardPad, -kCardPad + 3);
  int y = inner.top();
  if (!m_card.title.isEmpty()) {
    painter.setFont(m_theme.strong());
    painter.setPen(t.text);
    painter.drawText(QRect(inner.left(), y, inner.width(), kLine), Qt::AlignVCenter,
                     theme::elided(painter.fontMetrics(), m_card.title, inner.width()));
    y += kLine;
  }
  painter.setFont(m_theme.small());
  for (const CardRow& row : m_card.rows) {
    int x = inner.left();
    if (row.swatch.isValid()) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(row.swatch);
      painter.drawRoundedRect(QRect(x, y + 4, 10, 10), 2, 2);
      x += kSwatch;
    }
    const int valueWidth = painter.fontMetrics().horizontalAdvance(row.value);
    painter.setPen(t.secondary);
    const int room = inner.right() - x - std::min(valueWidth, inner.width() / 2) - kCardPad;
    painter.drawText(QRect(x, y, room, kLine), Qt::AlignVCenter, theme::elided(painter.fontMetrics(), row.name, room));
    painter.setPen(t.text);
    const int left = inner.right() - std::min(valueWidth, inner.width() - 60);
    painter.drawText(QRect(left, y, inner.right() - left + 1, kLine), Qt::AlignVCenter | Qt::AlignRight,
                     theme::elided(painter.fontMetrics(), row.value, inner.right() - left + 1));
    y += kLine;
  }
  if (!m_card.hint.isEmpty()) {
    painter.setPen(t.grid);
    painter.drawLine(inner.left(), y + 3, inner.right(), y + 3);
    painter.setPen(t.secondary);
    painter.drawText(QRect(inner.left(), y + 6, inner.width(), kLine), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(m_card.hint, Qt::ElideRight, inner.width()));
  }
}

} // namespace ui::plot
