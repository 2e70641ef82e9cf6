#include "ui/shell/help_sheet.h"

#include "ui/shell/veil.h"
#include "ui/theme/theme.h"

#include <QPainter>

namespace ui::shell {

namespace {
constexpr int kSheetWidth = 860, kPad = 28, kLine = 25, kKeyColumn = 128;
constexpr int kHead = 68, kBetween = 12; // title and question; between two lists of keys
} // namespace

HelpSheet::HelpSheet(const theme::Theme& theme, QWidget* window) : QFrame(window), m_theme(theme) {
  setFocusPolicy(Qt::StrongFocus);
  hide();
  new Veil(theme, *this);
}

void HelpSheet::open(const HelpText& text) {
  m_text = text;
  QString spoken = text.title + ". " + text.question;
  for (const auto* keys : {&text.viewKeys, &text.plotKeys, &text.windowKeys})
    for (const auto& [key, what] : *keys) spoken += ". " + key + ": " + what;
  setAccessibleName(tr("Help"));
  setAccessibleDescription(spoken);
  const int left = int(text.viewKeys.size() + text.plotKeys.size()) + (text.viewKeys.empty() ? 1 : 2),
            right = int(text.windowKeys.size()) + 1;
  const int height = std::min(parentWidget()->height() - 48, 2 * kPad - 8 + kHead + kBetween + kLine * std::max(left, right));
  const int width = std::min(kSheetWidth, parentWidget()->width() - 48);
  setGeometry((parentWidget()->width() - width) / 2, (parentWidget()->height() - height) / 2, width, height);
  raise();
  show();
  setFocus();
}

int HelpSheet::drawKeys(QPainter& painter, const QRect& area, const QString& title,
                        const std::vector<std::pair<QString, QString>>& keys) const {
  const theme::Tokens& t = m_theme.tokens();
  int y = area.top();
  painter.setFont(m_theme.strong());
  painter.setPen(t.secondary);
  painter.drawText(QRect(area.left(), y, area.width(), kLine), Qt::AlignVCenter, title);
  y += kLine;
  for (const auto& [key, what] : keys) {
    int x = area.left();
    painter.setFont(m_theme.small());
    const QFontMetrics metrics = painter.fontMetrics();
    for (const QString& part : QString(key).remove(',').split(' ', Qt::SkipEmptyParts)) {
      const int width = std::max(20, metrics.horizontalAdvance(part) + 12);
      painter.setPen(t.line);
      painter.setBrush(t.background);
      painter.drawRoundedRect(QRectF(x + 0.5, y + 3.5, width, 19), 4, 4);
      painter.setPen(t.text);
      painter.drawText(QRect(x, y + 3, width + 1, 20), Qt::AlignCenter, part);
      x += width + 4;
    }
    painter.setFont(m_theme.text());
    painter.setPen(t.text);
    const int from = std::max(x + 6, area.left() + kKeyColumn);
    painter.drawText(QRect(from, y, area.right() - from, kLine), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(what, Qt::ElideRight, area.right() - from));
    y += kLine;
  }
  return y;
}

void HelpSheet::paintEvent(QPaintEvent*) {
  const theme::Tokens& t = m_theme.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(t.line);
  painter.setBrush(t.raised);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
  const QRect inner = rect().adjusted(kPad, kPad - 8, -kPad, -kPad);
  painter.setFont(m_theme.heading());
  painter.setPen(t.text);
  painter.drawText(QRect(inner.left(), inner.top(), inner.width(), 28), Qt::AlignVCenter, m_text.title);
  painter.setFont(m_theme.text());
  painter.setPen(t.secondary);
  painter.drawText(QRect(inner.left(), inner.top() + 28, inner.width(), 24), Qt::AlignVCenter, m_text.question);
  painter.setPen(t.grid);
  painter.drawLine(inner.left(), inner.top() + 60, inner.right(), inner.top() + 60);
  const int half = (inner.width() - kPad) / 2, top = inner.top() + kHead;
  int y = top;
  if (!m_text.viewKeys.empty())
    y = drawKeys(painter, QRect(inner.left(), y, half, 0), tr("This view"), m_text.viewKeys) + kBetween;
  drawKeys(painter, QRect(inner.left(), y, half, 0), tr("Plots"), m_text.plotKeys);
  drawKeys(painter, QRect(inner.left() + half + kPad, top, half, 0), tr("Window"), m_text.windowKeys);
}

void HelpSheet::keyPressEvent(QKeyEvent*) { hide(); }
void HelpSheet::mousePressEvent(QMouseEvent*) { hide(); }
void HelpSheet::focusOutEvent(QFocusEvent*) { hide(); }

} // namespace ui::shell
