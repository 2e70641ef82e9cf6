// Copies texts to the clipboard and confirms it on the screen.
#pragma once

#include <QString>

class QWidget;

namespace ui::shell {

// Puts a text into the clipboard and confirms it below the button that was pressed.
void copyText(QWidget& button, const QString& text);

} // namespace ui::shell
