#include "ui/parts/change_tables.h"

#include "analyser/compare/comparison_columns.h"
#include "ui/tables/described_table.h"

#include <algorithm>

namespace ui::shell {

namespace {

// Finds the parents of rows from their depths; the rows come in depth-first order.
class Nesting {
public:
  int parentOf(int row, int depth) {
    const auto at = std::min(std::size_t(std::max(0, depth)), m_open.size());
    m_open.resize(at);
    m_open.push_back(row);
    return at > 0 ? m_open[at - 1] : -1;
  }

private:
  std::vector<int> m_open; // the last row at every depth
};

} // namespace

std::shared_ptr<const tables::Table> variableTable(const std::vector<analyser::compare::VariableDifference>& variables) {
  const tables::Look look{.bars = {"difference"}, .widths = {{"a", 104}, {"b", 104}, {"difference", 112}}};
  return tables::tableOf(analyser::compare::variableColumns(), variables, look,
                         [](tables::Row& row, const auto& variable) { row.id = tables::idOf(variable.baseId); });
}

std::shared_ptr<const tables::Tree> detailsTree(const std::vector<analyser::compare::DetailsDifferenceRow>& rows) {
  const tables::Look look{.bars = {"difference"}, .widths = {{"a", 120}, {"b", 120}, {"difference", 120}, {"relative", 110}}};
  return tables::treeOf(analyser::compare::detailsColumns(), rows, look,
                        [nesting = Nesting()](tables::TreeRow& row, const auto& details) mutable {
                          row.parent = nesting.parentOf(int(row.id), details.depth);
                        });
}

} // namespace ui::shell
