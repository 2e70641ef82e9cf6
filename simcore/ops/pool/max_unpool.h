// The inverse of a maximum pool: zeros, with elements at positions that are known only at run time. Every tile checks all
// positions that may be in its part of the result. The plan decides which ones: all positions, in as many rounds as the memory
// requires, or only those of its own planes, if no element leaves its plane.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

struct UnpoolPlan : PlanEstimate {
  int64_t planeCuts = 1, fieldCuts = 1;
  int64_t rounds = 1; // each with as many positions as fit the allowed memory
  int64_t tiles() const { return planeCuts * fieldCuts; }
  // Between equal plans, the one with more tiles is better, because more tiles share the zeroing and the memory of the result.
  PlanCost cost() const { return PlanEstimate::cost(-tiles()); }
};
// If `withinPlanes`: `places` elements go into each of `planes` planes of `field` elements; else `places` elements per plane go
// to any plane.
UnpoolPlan planUnpool(const arch::Machine& machine, ElementType type, int64_t planes, int64_t field, int64_t places,
                      bool withinPlanes, double availableMemory = kAvailableMemoryProportion);

// Writes x [P, U] to the positions `indices` (same count) of the flattened result [P, F]; for equal positions, the last element stays.
// `withinPlanes` promises that elements stay in their planes. The run throws Error(InvalidInput) for a position outside the result.
Tensor unpool(const OpBuilder& builder, const Tensor& x, const Tensor& indices, int64_t field, bool withinPlanes);

} // namespace simcore::ops
