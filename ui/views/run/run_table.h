// The runs of the history as rows, newest first; the id of a row is the id of its run.
#pragma once

#include "ui/tables/table.h"
#include "ui/views/run/run_process.h"

#include <map>
#include <memory>

namespace ui::run {

// `progress` has texts for running runs by id (progressText()), shown in the column "outcome".
std::shared_ptr<const tables::Table> runTable(const std::vector<PastRun>& runs, const std::map<int64_t, QString>& progress = {});
// "12 s, compile 43 %": the whole seconds since the start, the phase that the run named last, and its share from 0 to 1 (0: not known).
QString progressText(const QString& phase, double fraction, double seconds);

} // namespace ui::run
