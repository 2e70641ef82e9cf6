// The rows of the liveness view's tables, made on a worker.
#pragma once

#include "analyser/liveness/shrink.h"
#include "analyser/program/program_tree.h"
#include "ui/tables/table.h"

#include <memory>

namespace ui::liveness {

// Row ids are variable ids; shares are of the table's own sum. `gains`: the peak's reduction without each variable; may be empty.
std::shared_ptr<const tables::Table> liveTable(const std::vector<analyser::liveness::LiveVariable>& variables, reports::Bytes sum,
                                               const std::vector<reports::Bytes>& gains);
// Variables that are live at some of the selected steps; row ids are variable ids.
std::shared_ptr<const tables::Table> rangeTable(const analyser::liveness::LiveRange& range);
// The cost of a step by vertex type; a step without vertices is one row.
std::shared_ptr<const tables::Table> workTable(const analyser::program::StepDetails& step);
// The peak by category; row ids are indices of the parts.
std::shared_ptr<const tables::Table> shrinkTable(const analyser::liveness::Shrink& shrink);
// Variables alive at only one of two steps; row ids are variable ids.
std::shared_ptr<const tables::Table> differenceTable(const std::vector<analyser::liveness::StepDifference>& differences,
                                                     int64_t before, int64_t after);
// Row ids are liveness ordinals.
std::shared_ptr<const tables::Table> stepTable(const analyser::liveness::Liveness& liveness);
// "IPU 0" for "ipu.0".
QString scopeTitle(const std::string& scope);

} // namespace ui::liveness
