// Common parts of the rules. A rule is a function in a source beside this one, and a row of the table in insights.cpp, which also
// declares it. Its thresholds are beside it: below them a finding is noise.
#pragma once

#include "analyser/insights/facts.h"
#include "analyser/insights/insight.h"

namespace analyser::insights {

using Findings = std::vector<Insight>;

// Of the run: an operation that wastes less is left out. The findSpread rules report the waste of many such operations.
inline constexpr double kWorthRun = 0.01;
// The view Operations with this operation selected.
Evidence inOperations(const operations::Operation& o);

} // namespace analyser::insights
