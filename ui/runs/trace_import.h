// Opens traces of other tools like reports: `tilescope-cli import` makes a report in the cache, so that the next opening finds
// it; several traces become one report, also with the device of another. For workers: the child's progress is passed on, and a
// stop request ends it.
#pragma once

#include "reports/core/progress.h"

#include <QStringList>

#include <cstdint>
#include <stop_token>

namespace ui::shell {

// Whether the file exists and is not a report; the import detects its format.
bool isTraceFile(const QString& file);

// The report of a trace. Throws Error: the message of the import, NotFound without tilescope-cli, Cancelled.
QString importTrace(const QString& file, const std::stop_token& stop, reports::Progress& progress);
// The same with this report name; creates its folder.
void importInto(const QString& file, const QString& report, const std::stop_token& stop, reports::Progress& progress);
// Traces on one time axis.
struct TraceGroup {
  QStringList files;
  bool fromStart = false; // every file begins at 0; else they relate by wall-clock time
  QString device = {};    // the report whose device they are laid beside; empty: none
  QString runs = {};      // first letters of the names of slices that began the device's runs
};
struct LaidTraces {
  QString report;
  int64_t slices = 0, runs = 0; // with such names; of the device
};
// The report of a group, in the cache like that of a single trace.
LaidTraces importGroup(const TraceGroup& group, const std::stop_token& stop, reports::Progress& progress);
// A report in the cache is kept until it has not been used for 30 days.
void noteUse(const QString& report);

} // namespace ui::shell
