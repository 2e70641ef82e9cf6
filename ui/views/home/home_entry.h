// Home in the rail: its name, icon and the question it answers.
#pragma once

#include "ui/shell/view.h"

namespace ui::home {

shell::ViewEntry entry();

} // namespace ui::home
