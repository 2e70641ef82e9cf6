// Fields on a page that scrolls: the wheel changes a list or a number only if the field has the focus. Otherwise it scrolls the page and changes
// no setting under the pointer.
#pragma once

class QWidget;

namespace ui::shell {

void leaveWheelToPage(QWidget& field);

} // namespace ui::shell
