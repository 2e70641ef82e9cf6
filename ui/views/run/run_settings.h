// The settings of a run, read back from its command line, so that the form can be filled with them.
#pragma once

#include "ui/views/run/run_request.h"

#include <optional>

namespace ui::run {

// The request behind "tilescope-cli run mlp --set batch=16 -o a.tsr". Words without a field in the form stay in `options`,
// without the names of output files. A relative path of a graph starts at `folder`. nullopt if the line is not a run. For lines
// that this program wrote (its history); for a report use trialRun(), which takes only options that a stranger may set.
std::optional<RunRequest> requestFromCommandLine(const QString& line, const QString& folder);
// Like requestFromCommandLine(), for the words after "run" as a list.
std::optional<RunRequest> requestFromWords(const QStringList& words, const QString& folder);

} // namespace ui::run
