// Texts to the clipboard, with a sign that they are there.
#pragma once

#include <QString>

class QWidget;

namespace ui::shell {

// Puts a text into the clipboard and says so below the button that was pressed.
void copyText(QWidget& button, const QString& text);

} // namespace ui::shell
