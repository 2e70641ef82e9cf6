#include "ui/parts/change_tables.h"

#include "analyser/compare/comparison_columns.h"
#include "ui/tables/described_table.h"

namespace ui::shell {

std::shared_ptr<const tables::Table> variableTable(const std::vector<analyser::compare::VariableDifference>& variables) {
  const tables::Look look{.bars = {"difference"}, .widths = {{"a", 104}, {"b", 104}, {"difference", 112}}};
  return tables::tableOf(analyser::compare::variableColumns(), variables, look,
                         [](tables::Row& row, const auto& variable) { row.id = tables::idOf(variable.baseId); });
}

} // namespace ui::shell
