// The rows of a comparison: source, target and what changed, with sign. Largest effect first, as the analyser gives them.
#pragma once

#include "analyser/compare/compare.h"
#include "ui/tables/table.h"

#include <memory>

namespace ui::compare {

std::shared_ptr<const tables::Table> figureTable(const std::vector<analyser::compare::Figure>& figures, const QString& source,
                                                 const QString& target);
std::shared_ptr<const tables::Table> operationTable(const std::vector<analyser::compare::OperationDifference>& operations);
// Machine, options and metadata that differ.
std::shared_ptr<const tables::Table> textTable(const analyser::compare::Comparison& comparison, const QString& source,
                                               const QString& target);

} // namespace ui::compare
