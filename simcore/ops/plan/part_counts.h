// Numbers of parts that a planner tries for a dimension. It does not try all numbers, because the cuts of all dimensions multiply.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace simcore::ops {

// Powers of two and the largest number.
inline std::vector<int64_t> partCounts(int64_t most) {
  std::vector<int64_t> list;
  for (int64_t n = 1; n < most; n *= 2) list.push_back(n);
  list.push_back(std::max<int64_t>(1, most));
  return list;
}

} // namespace simcore::ops
