// Sweep in the window's list of views.
#pragma once

#include "ui/shell/view.h"

namespace ui::sweep {

shell::ViewEntry entry();

} // namespace ui::sweep
