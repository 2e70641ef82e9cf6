// Summary in the rail: the first page of a report.
#pragma once

#include "ui/shell/view.h"

namespace ui::summary {

shell::ViewEntry entry();

} // namespace ui::summary
