// Into how many parts a planner tries to cut a dimension: not into every number, for a plan is a product of several.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace simcore::ops {

// Powers of two and the most there can be.
inline std::vector<int64_t> partCounts(int64_t most) {
  std::vector<int64_t> list;
  for (int64_t n = 1; n < most; n *= 2) list.push_back(n);
  list.push_back(std::max<int64_t>(1, most));
  return list;
}

} // namespace simcore::ops
