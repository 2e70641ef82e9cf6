// The inverse of a maximum pool: zeros with elements at places that only the run knows. Every tile goes through the places that
// may lie in its part of the result; which those are is what a plan turns on: all of them, in as many rounds as memory needs, or,
// where it is known that no element leaves its plane, those of its own planes.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

struct UnpoolPlan : PlanEstimate {
  int64_t planeCuts = 1, fieldCuts = 1;
  int64_t rounds = 1; // each with as many places as the memory it may use holds
  int64_t tiles() const { return planeCuts * fieldCuts; }
  // Zeroing and the memory of the result are shared by more tiles: of equal plans that is the better one.
  PlanCost cost() const { return PlanEstimate::cost(-tiles()); }
};
// `places` elements go into each of `planes` planes of `field` elements if they are `withinPlanes`, else that many for each plane
// go anywhere.
UnpoolPlan planUnpool(const arch::Machine& machine, ElementType type, int64_t planes, int64_t field, int64_t places,
                      bool withinPlanes, double availableMemory = kAvailableMemoryProportion);

// x [P, U] at the places `indices` (as many) of the flattened result [P, F]; the last of those that meet stays. `withinPlanes` is a
// promise about the places. The run throws Error(InvalidInput) for one outside of the result.
Tensor unpool(const OpBuilder& builder, const Tensor& x, const Tensor& indices, int64_t field, bool withinPlanes);

} // namespace simcore::ops
