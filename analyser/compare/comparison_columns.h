// The columns of tables of two reports, A and B: causes, figures, settings, findings, variables, labels
// of the host, the memory of tiles.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/columns/subject.h"
#include "analyser/compare/compare.h"
#include "analyser/compare/insights_difference.h"
#include "analyser/compare/memory_difference.h"

namespace analyser::compare {

const columns::Columns<VariableDifference>& variableColumns();
// Numbers are nanoseconds, or of `unit` if that is another one; the stacks of another value have neither calls nor means.
columns::Columns<LabelDifference> labelColumns(Unit unit = Unit::Seconds);
const columns::Columns<InsightDifference>& insightColumns();

// The kind of a cell in a row of causes or figures, which have a unit each: a Count or CountDelta column takes the kind of
// `unit`, other columns keep `ofColumn`.
columns::Kind kindIn(Unit unit, columns::Kind ofColumn);
int64_t wholeNumber(Unit unit, double value); // rounded to an integer; seconds become nanoseconds
columns::Columns<Finding> findingColumns(const Comparison& comparison);
columns::Columns<Figure> figureColumns(const std::vector<Figure>& figures, const std::string& base, const std::string& other);

// Machine, options and metadata that differ, as one list.
struct Setting {
  const char* of = ""; // "machine"
  TextDifference text;
};
std::vector<Setting> settingsOf(const Comparison& comparison);
columns::Columns<Setting> settingColumns(const std::string& base, const std::string& other);

using columns::Thing;
inline columns::Subjects subjectsOf(const VariableDifference& d) {
  return columns::aboutBoth(Thing::Variable, d.baseId, d.otherId);
}
columns::Subjects subjectsOf(const InsightDifference& finding); // the evidence in each report that has the finding
inline columns::Subjects subjectsOf(const Finding& finding) {   // of an operation, in each report that has it
  return columns::aboutBoth(Thing::Operation, finding.baseId, finding.otherId);
}

} // namespace analyser::compare
