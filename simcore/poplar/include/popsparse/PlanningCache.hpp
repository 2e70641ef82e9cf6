// Poplar keeps plans of sparse products in a cache. Here a sparse product needs no search for its plan, and a cache is not read.
#pragma once

namespace poplin {
class PlanningCache;
}

namespace popsparse {
namespace dynamic {
class PlanningCache {
public:
  PlanningCache() = default;
  PlanningCache(poplin::PlanningCache*) {}
};
} // namespace dynamic
namespace static_ {
class PlanningCache {
public:
  PlanningCache() = default;
  PlanningCache(poplin::PlanningCache*) {}
};
} // namespace static_
} // namespace popsparse
