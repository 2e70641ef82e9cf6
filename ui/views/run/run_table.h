// The runs of the history as rows, newest first; the id of a row is that of its run.
#pragma once

#include "ui/tables/table.h"
#include "ui/views/run/run_process.h"

#include <memory>

namespace ui::run {

std::shared_ptr<const tables::Table> runTable(const std::vector<PastRun>& runs);

} // namespace ui::run
