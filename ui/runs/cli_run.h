// One complete run of `tilescope-cli`, for workers: the child's progress is passed on, and a stop request ends it.
#pragma once

#include "reports/core/progress.h"

#include <QByteArray>
#include <QStringList>

#include <stop_token>

namespace ui::shell {

// Returns the standard output of tilescope-cli. Throws Error about `file` with the last line of its standard error; NotFound if
// the program is missing; Cancelled after a stop request.
QByteArray runCli(QStringList arguments, const QString& file, const std::stop_token& stop, reports::Progress& progress);

} // namespace ui::shell
