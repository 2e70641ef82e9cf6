// Liveness in the rail: its name, icon and the question it answers.
#pragma once

#include "ui/shell/view.h"

namespace ui::liveness {

shell::ViewEntry entry();

} // namespace ui::liveness
