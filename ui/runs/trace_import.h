// Opens traces of other tools like reports: `tilescope-cli import` makes a report in the cache, so that the next opening finds
// it. For workers: the child's progress is passed on, and a stop request ends it.
#pragma once

#include "reports/core/progress.h"

#include <QString>

#include <stop_token>

namespace ui::shell {

// Whether the file exists and is not a report; the import detects its format.
bool isTraceFile(const QString& file);

// The report of a trace. Throws Error: the message of the import, NotFound without tilescope-cli, Cancelled.
QString importTrace(const QString& file, const std::stop_token& stop, reports::Progress& progress);
// The same with this report name; creates its folder.
void importInto(const QString& file, const QString& report, const std::stop_token& stop, reports::Progress& progress);

} // namespace ui::shell
