// `export --format html`: the report as one page.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

// To standard output if `output` is empty; returns an exit code. Throws Error(InvalidInput) where the page would be written over
// the report.
int exportPage(Context& context, const std::string& report, const std::string& output);

} // namespace app::cli
