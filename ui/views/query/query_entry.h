// The Query view in the list of views.
#pragma once

#include "ui/shell/view.h"

namespace ui::query {

shell::ViewEntry entry();

} // namespace ui::query
