// Text of a report on its way to the screen: names in reports are untrusted input, so control and bidi characters are made
// visible, and a very long text is cut, before a label or a table shows them.
#pragma once

#include <QString>

#include <string_view>

namespace ui::theme {

QString reportText(std::string_view text);
// Like reportText(), for an error or advice, which writes an option as {option shape}: shown as "shape". Not for names, which are
// shown as they are.
QString messageText(std::string_view text);

} // namespace ui::theme
