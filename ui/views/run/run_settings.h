// The settings of a run, read back from the command line that its report keeps, so that the form can be filled with them.
#pragma once

#include "ui/views/run/run_request.h"

#include <optional>

namespace ui::run {

// The request behind "tilescope-cli run mlp --set batch=16 -o a.tsr". Words without a field in the form stay in `options`; names of
// files to write are left out. A relative path of a graph is taken from `folder`. nullopt if the line is no such run.
std::optional<RunRequest> requestFromCommandLine(const QString& line, const QString& folder);

} // namespace ui::run
