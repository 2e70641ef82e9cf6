#include "ui/window/veil.h"

#include "ui/theme/theme.h"

#include <QEvent>
#include <QPainter>

namespace ui::shell {

namespace {
constexpr int kLightVeil = 70, kDarkVeil = 140; // opacity, out of 255
}

Veil::Veil(const theme::Theme& theme, QWidget& sheet) : QWidget(sheet.parentWidget()), m_theme(theme), m_sheet(sheet) {
  hide();
  sheet.installEventFilter(this);
  parentWidget()->installEventFilter(this);
}

bool Veil::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget()) {
    if (event->type() == QEvent::Resize && isVisible()) setGeometry(parentWidget()->rect());
  } else if (event->type() == QEvent::Show) {
    setGeometry(parentWidget()->rect());
    show();
    stackUnder(&m_sheet);
  } else if (event->type() == QEvent::Hide) {
    hide();
  }
  return false;
}

void Veil::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), QColor(0, 0, 0, m_theme.isDark() ? kDarkVeil : kLightVeil));
}

void Veil::mousePressEvent(QMouseEvent*) { m_sheet.hide(); }

} // namespace ui::shell
