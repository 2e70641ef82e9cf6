// Vertices that read bins of regions of a feature map (RoiAlign, MaxRoiPool). MultiVertices: the workers share the bins, each
// with all channels of the tile, which are adjacent in memory. Regions are known only at run time, so every tile computes the
// positions of all samples of its bins and reads those in its rows. The reference has no figures for these vertices, so costs are
// counted from the instructions per sample.
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

using numerics::ElementType;

enum class RegionRead { Bilinear, Elements }; // Bilinear: interpolated samples; Elements: all elements inside a bin

struct RegionBins {
  int64_t bins = 0;
  int64_t samples = 1;     // per bin: sampled positions, or elements
  double heldFraction = 1; // share of the reads that are on this tile: its rows / rows of all maps
  int64_t channels = 1;    // on this tile
};
VertexSpec regionBinsSpec(RegionRead read, bool takesMaximum, ElementType type);
VertexCost regionBins(const arch::TileArchitecture& tile, RegionRead read, ElementType type, const RegionBins& work);

} // namespace simcore::codelets
