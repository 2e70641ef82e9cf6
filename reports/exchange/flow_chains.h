// Joins the points of flows into arrows. A flow id may be reused: a start begins a new flow, and an end ends it. A flow may begin
// before another flow with the same id ends. The arrows of a flow have its number, so that an exporter writes them as one flow
// again.
#pragma once

#include "reports/exchange/trace_assembly.h"

#include <functional>

namespace reports::exchange {

// `points` are bound to slices, in the report's time. Arrows are in order of their starts. Counts flows, arrows and points
// without a partner in the counts of the point's source.
std::vector<Flow> chainFlows(std::vector<FlowPoint>& points, const std::function<ImportCounts&(const FlowPoint&)>& countsOf);

} // namespace reports::exchange
