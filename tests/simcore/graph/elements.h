// The elements of a view, as numbers that also identify the variable.
#pragma once

#include "simcore/graph/tensor.h"

#include <vector>

namespace tests {

// The view's elements as flat indices in its order, variable v's starting at 1000 v.
inline std::vector<int64_t> elements(const simcore::graph::Tensor& t) {
  std::vector<int64_t> all;
  for (const simcore::graph::Region& r : t.contiguousRegions())
    for (int64_t e = r.begin; e < r.end; ++e) all.push_back(int64_t(r.variable.value()) * 1000 + e);
  return all;
}

} // namespace tests
