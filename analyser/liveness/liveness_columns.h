// The columns of tables of liveness: variables live at a step, the parts of the peak, the difference between two steps.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/columns/subject.h"
#include "analyser/liveness/liveness.h"
#include "analyser/liveness/shrink.h"

namespace analyser::liveness {

struct LiveRow {
  const LiveVariable* variable = nullptr;
  Bytes sum = {};                 // bytes of all rows, from which shares are computed
  std::optional<Bytes> gain = {}; // reduction of the peak without it
};
const columns::Columns<LiveRow>& liveColumns();
// Variables of a range of steps; `sum` is the bytes of all rows.
columns::Columns<LiveInRange> rangeColumns(Bytes sum);
columns::Columns<ShrinkPart> shrinkColumns(const Shrink& shrink);
// `before` and `after` are the numbers of the steps.
columns::Columns<StepDifference> differenceColumns(const std::string& before, const std::string& after);
// The curve must outlive the columns.
columns::Columns<Step> stepColumns(const Curve& curve);

using columns::Thing;
inline columns::Subjects subjectsOf(const LiveRow& row) { return columns::about(Thing::Variable, row.variable->variable); }
inline columns::Subjects subjectsOf(const LiveInRange& row) { return columns::about(Thing::Variable, row.variable.variable); }
inline columns::Subjects subjectsOf(const StepDifference& d) { return columns::about(Thing::Variable, d.variable.variable); }
inline columns::Subjects subjectsOf(const ShrinkPart& part) { return {{Thing::Category, int64_t(part.category), part.title}}; }
inline columns::Subjects subjectsOf(const Step& step) { return columns::about(Thing::Step, step.programStep); }

} // namespace analyser::liveness
