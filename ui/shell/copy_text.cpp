#include "ui/shell/copy_text.h"

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
  QToolTip::showText(button.mapToGlobal(QPoint(0, button.height() / 2)),
                     theme::tipText(QCoreApplication::translate("copy", "Copied")), &button, {}, kShownMs);
}

} // namespace ui::shell
