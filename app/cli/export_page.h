// `export --format html`: the report as one page; `--format svg`: a plot of it; `--format dot`: its operations as a graph.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

// These print to standard output if `output` is empty, and return an exit code. They throw Error(InvalidInput) if the output file
// is the report itself.
int exportPage(Context& context, const std::string& report, const std::string& output);
// A plot as SVG; `view`: memory or liveness.
int exportPicture(Context& context, const std::string& report, const std::string& output, const std::string& view);
// The operations in Graphviz format. Folders of names are open to `levels` levels; 0: as many as keep the graph readable. Throws
// Error(Unsupported) for reports of schema versions before 3, which lack the reads and writes of steps.
int exportGraph(Context& context, const std::string& report, const std::string& output, int levels);

} // namespace app::cli
