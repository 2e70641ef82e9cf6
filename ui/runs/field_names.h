// Adapts texts of the command line to the window, where a field has the name of its option without the dashes.
#pragma once

#include <QString>

namespace ui::shell {

// "with --accumulation 4" becomes "with accumulation 4".
QString withFieldNames(QString text);

} // namespace ui::shell
