// A cache for plans of sparse products, as in Poplar. The simulator plans these products without a search and does not read the
// cache.
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
