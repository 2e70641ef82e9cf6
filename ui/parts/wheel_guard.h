// Fields on a page that scrolls: the wheel changes a list or a number only if the field has the focus. Otherwise it scrolls the
// page and changes no setting under the pointer.
#pragma once

class QWidget;

namespace ui::shell {

void leaveWheelToPage(QWidget& field);
// For all tab bars inside `widget` that exist now: the wheel never switches tabs, even if the bar has the focus after a click.
void leaveWheelOfTabs(QWidget& widget);

} // namespace ui::shell
