// Expands runs to one value per position.
#pragma once

#include "reports/core/packed.h"

#include <span>
#include <vector>

namespace reports {

// The runs must be adjacent, starting at 0.
inline std::vector<int64_t> expandRuns(std::span<const ValueRun> runs) {
  std::vector<int64_t> values;
  values.reserve(runs.empty() ? 0 : runs.back().end);
  for (const ValueRun& run : runs) values.insert(values.end(), run.end - run.begin, run.value);
  return values;
}

} // namespace reports
