// Opens traces of other tools like reports. `tilescope-cli import` makes a report in the cache, so that the next opening finds
// it. Several traces can become one report, also together with the device of an existing report. For workers: the child's
// progress is passed on, and a stop request ends it.
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
// Imports a trace into the file `report`; creates its folder.
void importInto(const QString& file, const QString& report, const std::stop_token& stop, reports::Progress& progress);
// Traces that share one time axis.
struct TraceGroup {
  QStringList files;
  bool fromStart = false; // every file begins at 0; else they relate by wall-clock time
  QString device = {};    // the report whose device they are laid beside; empty: none
  QString runs = {};      // prefix of the names of slices that started the device's runs
};
struct LaidTraces {
  QString report;
  int64_t slices = 0, runs = 0; // slices whose names begin with TraceGroup::runs; runs of the device
};
// The report of a group, in the cache like that of a single trace.
LaidTraces importGroup(const TraceGroup& group, const std::stop_token& stop, reports::Progress& progress);
// Notes that a cached report is in use; it is removed after 30 days without use.
void noteUse(const QString& report);

} // namespace ui::shell
