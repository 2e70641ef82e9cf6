// Text of a report on its way to the screen: names in reports are foreign input, so control and bidi characters are made
// visible before a label or a table shows them.
#pragma once

#include "analyser/session/format.h"

#include <QString>

namespace ui::shell {

inline QString reportText(std::string_view text) { return QString::fromStdString(analyser::printable(text)); }

} // namespace ui::shell
