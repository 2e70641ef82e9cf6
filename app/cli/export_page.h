// `export --format html`, the report as one page, `--format svg`, a plot of it, and `--format dot`, its operations as a graph.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

// To standard output if `output` is empty; return an exit code. Throw Error(InvalidInput) if the text would be written over the
// report.
int exportPage(Context& context, const std::string& report, const std::string& output);
// A plot as SVG; `view`: memory or liveness.
int exportPicture(Context& context, const std::string& report, const std::string& output, const std::string& view);
// In the language of Graphviz. Folders of names are open to `levels` levels; with 0, as many as leave a picture that can be read.
// Throws Error(Unsupported) for reports of schema versions before 3, which do not hold what steps read and write.
int exportGraph(Context& context, const std::string& report, const std::string& output, int levels);

} // namespace app::cli
