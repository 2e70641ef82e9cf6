// Regions of feature maps read bin by bin, at places that only the run knows. No tile can ask another for what a region needs
// once it knows where it is, so maps go to the regions: every tile gets the maps of its channels, whole or some rows of them,
// and makes its bins of that. Cut are regions, rows of bins, channels, and, where maps do not fit, images and their rows: then a
// tile has partial sums (or maxima) of its bins, which are reduced.
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
// Maps [N, C, H, W]. How many samples a bin takes, if the parameters do not say it, is known in the run only; a region is then
// planned as half a map high and wide.
RegionPlan planRegions(const arch::Machine& machine, ElementType type, codelets::RegionRead read, const Shape& maps,
                       int64_t regions, const numerics::RegionParameters& parameters,
                       double availableMemory = kAvailableMemoryProportion);

// numerics::alignRegions: x [N, C, H, W], regions [r, 4] in `images` [r] -> [r, C, height, width].
Tensor alignRegions(const OpBuilder& builder, const Tensor& x, const Tensor& regions, const Tensor& images,
                    const numerics::RegionParameters& parameters);
// numerics::maxPoolRegions: regions [r, 5], the image first.
Tensor maxPoolRegions(const OpBuilder& builder, const Tensor& x, const Tensor& regions,
                      const numerics::RegionParameters& parameters);

} // namespace simcore::ops
