// Reads regions of feature maps bin by bin, at positions known only at run time. Tiles cannot request data at run time, so the
// maps are sent to the regions: every tile gets the maps of its channels, all rows or some, and computes its bins from them. The
// plan cuts regions, rows of bins and channels; if the maps do not fit, also images and their rows. Then tiles have partial sums
// (or maxima) of their bins, which are reduced.
#pragma once

#include "simcore/codelets/roi_align.h"
#include "simcore/numerics/roi_align.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

struct RegionPlan : PlanEstimate {
  int64_t regionCuts = 1, binCuts = 1, channelCuts = 1; // of the result
  int64_t imageCuts = 1, rowCuts = 1;                   // of the maps; rows only of single images
  int64_t partials() const { return imageCuts * rowCuts; }
  int64_t tiles() const { return regionCuts * binCuts * channelCuts * partials(); }
};
// Plans for maps [N, C, H, W]. If the parameters do not set the samples per bin, their number is known only at run time; the plan
// then assumes regions of half the height and width of a map.
RegionPlan planRegions(const arch::Machine& machine, ElementType type, codelets::RegionRead read, const Shape& maps,
                       int64_t regions, const numerics::RegionParameters& parameters,
                       double availableMemory = kAvailableMemoryProportion);

// Computes numerics::alignRegions: x [N, C, H, W], regions [r, 4] in `images` [r] -> [r, C, height, width].
Tensor alignRegions(const OpBuilder& builder, const Tensor& x, const Tensor& regions, const Tensor& images,
                    const numerics::RegionParameters& parameters);
// Computes numerics::maxPoolRegions; regions are [r, 5], with the image first.
Tensor maxPoolRegions(const OpBuilder& builder, const Tensor& x, const Tensor& regions,
                      const numerics::RegionParameters& parameters);

// The gradients of x, as numerics::alignRegionsGradient() and maxPoolRegionsGradient(). They take the time of the forward pass
// and an addition: the same positions are found, and added to instead of read.
Tensor alignRegionsGradient(const OpBuilder& builder, const Tensor& gradient, const Tensor& x, const Tensor& regions,
                            const Tensor& images, const numerics::RegionParameters& parameters);
Tensor maxPoolRegionsGradient(const OpBuilder& builder, const Tensor& gradient, const Tensor& x, const Tensor& regions,
                              const numerics::RegionParameters& parameters);

} // namespace simcore::ops
