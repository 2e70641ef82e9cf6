// Compare in the rail: its name, icon and the question it answers.
#pragma once

#include "ui/shell/view.h"

namespace ui::compare {

shell::ViewEntry entry();

} // namespace ui::compare
