// Vertices that read bins of regions of a feature map (RoiAlign, MaxRoiPool). MultiVertices: bins are dealt to the workers, each
// for all channels the tile holds, which lie side by side. Where a region is decides the run, so every tile works out the places
// of all samples of its bins and reads those in the rows it holds. The reference has no figures for them: counted from the
// instructions a sample needs.
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

using numerics::ElementType;

enum class RegionRead { Bilinear, Elements }; // samples between elements, or the elements inside a bin

struct RegionBins {
  int64_t bins = 0;
  int64_t samples = 1;     // of one bin: positions, or elements
  double heldFraction = 1; // of what they read: rows held here / rows of all maps
  int64_t channels = 1;    // held here
};
VertexSpec regionBinsSpec(RegionRead read, bool takesMaximum, ElementType type);
VertexCost regionBins(const arch::TileArchitecture& tile, RegionRead read, ElementType type, const RegionBins& work);

} // namespace simcore::codelets
