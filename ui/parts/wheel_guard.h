// Fields on a page that scrolls: the wheel turns a list or a number only where the field has the focus. Else it scrolls the page, and
// changes no setting that happens to come under the pointer.
#pragma once

class QWidget;

namespace ui::shell {

void leaveWheelToPage(QWidget& field);

} // namespace ui::shell
