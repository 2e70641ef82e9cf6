// Common parts of the rules. A rule is a function in one of these sources, and a row of the table in insights.cpp, which also
// declares it. Its thresholds are in the same source: below them a finding is noise.
#pragma once

#include "analyser/insights/facts.h"
#include "analyser/insights/insight.h"

namespace analyser::insights {

using Findings = std::vector<Insight>;

// Share of the run: an operation that wastes less is left out. spread_rule.cpp reports the waste of many such operations.
inline constexpr double kWorthRun = 0.01;
// The view Operations with this operation selected.
Evidence inOperations(const operations::Operation& o);

} // namespace analyser::insights
