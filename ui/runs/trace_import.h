// Opens traces of other tools like reports: `tilescope-cli import` makes a report of one, in the cache, so that a second opening
// finds it there. For workers: the child's progress is passed on, and stopping ends it.
#pragma once

#include "reports/core/progress.h"

#include <QString>

#include <stop_token>

namespace ui::shell {

// Whether the file exists and is not a report; the import finds out what it holds.
bool isTraceFile(const QString& file);

// The report of a trace. Throws Error: what the import said, NotFound without tilescope-cli, Cancelled.
QString importTrace(const QString& file, const std::stop_token& stop, reports::Progress& progress);
// The same into a report of this name; makes its folder.
void importInto(const QString& file, const QString& report, const std::stop_token& stop, reports::Progress& progress);

} // namespace ui::shell
