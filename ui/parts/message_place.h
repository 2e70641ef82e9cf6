// Where a message that comes by itself lies over an area.
#pragma once

class QLayout;
class QRect;

namespace ui::shell {

// At the lower right, because the buttons of a form are at the lower left; as high as the text needs.
QRect placeOfMessage(const QRect& area, const QLayout& content);

} // namespace ui::shell
