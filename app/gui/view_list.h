// The one list of views, in the order of the rail. It is here and not in ui/window, because it includes every view and views
// depend on the shell. A new view adds one include and one line.
#pragma once

#include "ui/parts/view.h"

namespace app::gui {

ui::shell::ViewList viewList();

} // namespace app::gui
