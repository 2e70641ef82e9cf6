// The rows of the views of a difference: each has a value of A, one of B and what changed, with its sign.
#pragma once

#include "analyser/compare/host_difference.h"
#include "analyser/compare/insights_difference.h"
#include "analyser/compare/memory_difference.h"
#include "ui/tables/table.h"

#include <memory>

namespace ui::compare {

std::shared_ptr<const tables::Tree> detailsTree(const std::vector<analyser::compare::DetailsDifferenceRow>& rows);
std::shared_ptr<const tables::Table> labelTable(const std::vector<analyser::compare::LabelDifference>& labels);
// A row's id is its place in the list.
std::shared_ptr<const tables::Table> insightTable(const std::vector<analyser::compare::InsightDifference>& list);

} // namespace ui::compare
