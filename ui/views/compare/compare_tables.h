// The rows of a comparison: base, other and what changed, with sign. Largest effect first, as the analyser gives them.
#pragma once

#include "analyser/compare/compare.h"
#include "ui/tables/table.h"

#include <memory>

namespace ui::theme {
class Format;
}

namespace ui::compare {

// How cells print a unit, and the whole number they print: seconds become nanoseconds.
tables::Kind kindOfUnit(analyser::compare::Unit unit);
int64_t wholeNumber(analyser::compare::Unit unit, double value);

std::shared_ptr<const tables::Table> figureTable(const std::vector<analyser::compare::Figure>& figures, const QString& base,
                                                 const QString& other);
// Why the totals differ; a row's id is its place in Comparison::findings.
std::shared_ptr<const tables::Table> findingTable(const analyser::compare::Comparison& comparison, const theme::Format& format);
std::shared_ptr<const tables::Table> variableTable(const std::vector<analyser::compare::VariableDifference>& variables);
std::shared_ptr<const tables::Table> operationTable(const std::vector<analyser::compare::OperationDifference>& operations);
// Machine, options and metadata that differ.
std::shared_ptr<const tables::Table> textTable(const analyser::compare::Comparison& comparison, const QString& base,
                                               const QString& other);

} // namespace ui::compare
