// What the rules share. A rule is a function in a source beside this one, and a row of the table in insights.cpp, which also
// declares it. Its thresholds are beside it: below them a finding is noise.
#pragma once

#include "analyser/insights/facts.h"
#include "analyser/insights/insight.h"

namespace analyser::insights {

using Findings = std::vector<Insight>;

// Of the run: an operation that wastes less is left alone. The waste of many such is told by the findSpread rules.
inline constexpr double kWorthRun = 0.01;
// Operations with this one selected.
Evidence inOperations(const operations::Operation& o);

} // namespace analyser::insights
