// Progress of a command on the error stream: one line that is redrawn on a terminal, or JSON lines for programs that start this
// one ({"phase":"planning","fraction":0.4}); otherwise nothing.
#pragma once

#include "app/cli/command.h"

#include <chrono>

namespace app::cli {

enum class ProgressStyle { Automatic, Json, None };

// Adds --progress auto|json|none.
void declareProgress(Options& command, ProgressStyle& style);

std::unique_ptr<reports::Progress> makeProgress(const Context& context, ProgressStyle style);

} // namespace app::cli
