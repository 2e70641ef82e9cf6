#include "ui/shell/elided_label.h"

#include "ui/theme/elide.h"

#include <QEvent>

namespace ui::shell {

namespace {
constexpr int kLeast = 24; // pixels
} // namespace

ElidedLabel::ElidedLabel(const QString& name, QWidget* parent) : QLabel(parent) {
  setTextFormat(Qt::PlainText);
  setTextInteractionFlags(Qt::TextSelectableByMouse);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  setAccessibleName(name);
}

void ElidedLabel::setWhole(const QString& text, const QString& tip) {
  m_whole = text, m_tip = tip;
  setAccessibleDescription(text);
  updateGeometry();
  elide();
}

void ElidedLabel::elide() {
  if (wordWrap()) return setText(m_whole), setToolTip(m_tip.toHtmlEscaped());
  const QString shown = theme::elided(fontMetrics(), m_whole, std::max(kLeast, width()));
  setText(shown);
  setToolTip((!m_tip.isEmpty() ? m_tip : shown == m_whole ? QString() : m_whole).toHtmlEscaped());
}

QSize ElidedLabel::sizeHint() const { return {fontMetrics().horizontalAdvance(m_whole) + 2, QLabel::sizeHint().height()}; }

QSize ElidedLabel::minimumSizeHint() const { return {kLeast, QLabel::minimumSizeHint().height()}; }

void ElidedLabel::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  elide();
}

void ElidedLabel::changeEvent(QEvent* event) {
  QLabel::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) elide();
}

} // namespace ui::shell
