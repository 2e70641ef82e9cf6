// A column that scrolls where it is too low: its content is as wide as the area and never squashed.
#pragma once

#include <QScrollArea>

namespace ui::shell {

// Takes `content`. Without a frame; a role of the style sheet may be set on the area.
QScrollArea* verticalScroll(QWidget* content);

} // namespace ui::shell
