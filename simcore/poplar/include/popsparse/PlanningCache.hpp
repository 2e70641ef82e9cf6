// Poplar keeps plans of sparse products in a cache. The simulator plans each product when it is added; a cache has no effect on results or times.
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
