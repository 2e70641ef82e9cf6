// The position of a message that appears over an area without an action of the user.
#pragma once

class QLayout;
class QRect;

namespace ui::shell {

// Returns a rectangle at the lower right, because the buttons of a form are at the lower left. It is as high as the text needs.
QRect placeOfMessage(const QRect& area, const QLayout& content);

} // namespace ui::shell
