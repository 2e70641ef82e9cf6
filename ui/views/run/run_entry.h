// Run in the rail: its name, icon and the question it answers.
#pragma once

#include "ui/shell/view.h"

namespace ui::run {

shell::ViewEntry entry();

} // namespace ui::run
