// The program as rows of a tree and the selected step as tables, made on a worker.
#pragma once

#include "analyser/liveness/liveness.h"
#include "analyser/program/program_tree.h"
#include "ui/tables/table.h"

#include <memory>

namespace ui::program {

// Row ids are indices of Program::nodes, rows are in the same order. The square before a step has the colour of its activity, or
// of its model layer; then the layer has a column, too.
enum class ColourBy { StepType, Layer };
// `layers` in the order of their colours.
std::shared_ptr<const tables::Tree> programTree(const analyser::program::Program& program, ColourBy by,
                                                const std::vector<std::string>& layers);
std::shared_ptr<const tables::Table> vertexTable(const analyser::program::StepDetails& details);
// The debug layers of the step, and the sources of its vertices.
std::shared_ptr<const tables::Tree> debugTree(const analyser::program::StepDetails& details);
// Row ids are indices of Program::nodes.
std::shared_ptr<const tables::Table> rootTable(const analyser::program::Program& program);
// Row ids are variable ids; other rows have negative ids. Variables that the step reads or writes come first, the largest at the
// top; variables that only stay live are below one row with their number and bytes.
std::shared_ptr<const tables::Tree> variableTree(const analyser::liveness::LiveAtStep& live,
                                                 const analyser::program::StepDetails& step);
// "OnTileExecute · conv1": the one-line title of a step.
QString stepTitle(const std::string& kind, const std::string& label);

} // namespace ui::program
