// A column that scrolls if the window is too low: its content is as wide as the area and never squashed.
#pragma once

#include <QScrollArea>

namespace ui::shell {

// Takes ownership of `content`. No frame; the area may have a role of the style sheet.
QScrollArea* verticalScroll(QWidget* content);

} // namespace ui::shell
