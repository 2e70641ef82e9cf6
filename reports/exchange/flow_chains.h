// Joins the points of flows into arrows. A flow id may be used again and again: each start begins a new flow, an end ends it; one
// may begin before another of its id ends.
// The arrows of a flow bear its number, so that an exporter writes it as one flow again.
#pragma once

#include "reports/exchange/trace_assembly.h"

#include <functional>

namespace reports::exchange {

// `points` are bound to slices and in the time of the report. Arrows in order of when they leave. Counts flows, arrows and points
// without a partner in the counts of the point's source.
std::vector<Flow> chainFlows(std::vector<FlowPoint>& points, const std::function<ImportCounts&(const FlowPoint&)>& countsOf);

} // namespace reports::exchange
