#include "ui/window/search_button.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QPainter>

namespace ui::shell {

namespace {
constexpr int kFieldHeight = 28, kFieldWidth = 280, kLeastWidth = 120, kFieldIcon = 16, kFieldInset = 9;
}

SearchButton::SearchButton(const theme::Theme& theme, QWidget* parent) : QAbstractButton(parent), m_theme(theme) {
  setText(tr("Search"));
  setAccessibleName(tr("Search"));
  setToolTip(tr("Find operations, steps, variables, tiles, views and commands (Ctrl+K)"));
  setFocusPolicy(Qt::TabFocus);
  setAttribute(Qt::WA_Hover);
  setCursor(Qt::IBeamCursor);
  setMaximumWidth(kFieldWidth);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize SearchButton::sizeHint() const { return {kFieldWidth, kFieldHeight}; }
QSize SearchButton::minimumSizeHint() const { return {kLeastWidth, kFieldHeight}; }

void SearchButton::paintEvent(QPaintEvent*) {
  const theme::Tokens& t = m_theme.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(hasFocus() ? t.accent : t.line);
  painter.setBrush(underMouse() ? t.hover : t.surface);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme::kRadius, theme::kRadius);
  painter.drawPixmap(kFieldInset, (height() - kFieldIcon) / 2,
                     theme::iconPixmap(QStringLiteral("search"), kFieldIcon, t.secondary, devicePixelRatioF()));
  const QRect words = rect().adjusted(kFieldInset + kFieldIcon + 8, 0, -kFieldInset, 0);
  painter.setFont(m_theme.text());
  painter.setPen(t.secondary);
  painter.drawText(words, Qt::AlignVCenter, text());
  const int used = painter.fontMetrics().horizontalAdvance(text());
  painter.setFont(m_theme.small());
  const QString keys = QStringLiteral("Ctrl+K");
  if (used + painter.fontMetrics().horizontalAdvance(keys) + kFieldInset < words.width())
    painter.drawText(words, Qt::AlignVCenter | Qt::AlignRight, keys);
}

} // namespace ui::shell
