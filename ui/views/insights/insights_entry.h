// The Insights view in the list of views.
#pragma once

#include "ui/shell/view.h"

namespace ui::insights {

shell::ViewEntry entry();

} // namespace ui::insights
