// Settings that differ between two runs of the same graph.
#pragma once

#include "ui/views/run/run_request.h"

namespace ui::run {

// Settings of `now` that differ from those of `before`, as "batch 8 → 16, machine bow → gc200, --io-tiles 32, without --train".
// Empty if no setting differs, or if the graphs differ. Iterations, values and tags are settings, too.
QString changesBetween(const RunRequest& before, const RunRequest& now);

} // namespace ui::run
