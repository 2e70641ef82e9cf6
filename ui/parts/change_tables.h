// Tables of two reports whose rows the analyser pairs by more than equal names: variables, and the memory of tiles line by line.
#pragma once

#include "analyser/compare/memory_difference.h"
#include "ui/tables/table.h"

#include <memory>

namespace ui::shell {

// Row ids are variables of A; -1: only B has it.
std::shared_ptr<const tables::Table> variableTable(const std::vector<analyser::compare::VariableDifference>& variables);
std::shared_ptr<const tables::Tree> detailsTree(const std::vector<analyser::compare::DetailsDifferenceRow>& rows);

} // namespace ui::shell
