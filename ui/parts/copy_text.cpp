#include "ui/parts/copy_text.h"

#include "ui/theme/plain_text.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QToolTip>
#include <QWidget>

namespace ui::shell {

namespace {
constexpr int kShownMs = 2000;
}

void copyText(QWidget& button, const QString& text) {
  QGuiApplication::clipboard()->setText(text);
  const QPoint below = button.mapToGlobal(QPoint(0, button.height() / 2));
  QToolTip::showText(below, theme::tipText(QCoreApplication::translate("copy", "Copied")), &button, {}, kShownMs);
}

} // namespace ui::shell
