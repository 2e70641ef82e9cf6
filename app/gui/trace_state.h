// The state of a trace that is being written, for the window's --follow.
#pragma once

#include <QString>

namespace app::gui {

// A number that changes when the trace has grown: a recording grows within its file, any other file in size.
quint64 traceState(const QString& file);

} // namespace app::gui
