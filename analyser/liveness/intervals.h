// The live intervals of a variable, from its row; shared by the sources of this module.
#pragma once

#include "reports/core/range.h"
#include "reports/sqlite/reader.h"

#include <vector>

namespace analyser::liveness {

using Interval = reports::Range<int64_t>;

// Half-open ranges of liveness steps, ascending; empty if it is always live.
inline std::vector<Interval> intervalsOf(const reports::VariableRow& row) {
  const auto values =
      reports::unpackDeltas(row.liveIntervals, static_cast<std::size_t>(row.liveIntervalCount) * 2, "variable.live_intervals");
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) intervals.push_back({values[i], values[i + 1]});
  return intervals;
}

} // namespace analyser::liveness
