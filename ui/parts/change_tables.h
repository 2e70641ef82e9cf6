// The table of variables of two reports, whose rows the analyser pairs by more than equal names.
#pragma once

#include "analyser/compare/memory_difference.h"
#include "ui/tables/table.h"

#include <memory>

namespace ui::shell {

// Row ids are variables of A; -1: only B has it.
std::shared_ptr<const tables::Table> variableTable(const std::vector<analyser::compare::VariableDifference>& variables);

} // namespace ui::shell
