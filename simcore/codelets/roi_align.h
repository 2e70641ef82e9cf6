// Vertices that read bins of regions of a feature map (RoiAlign, MaxRoiPool). MultiVertices: bins are distributed over the
// workers, each for all channels of the tile, which are adjacent in memory. Regions are known only at run time, so every tile
// computes the positions of all samples of its bins and reads the samples in its rows. The reference has no figures for these
// vertices: the costs are counted from the instructions per sample.
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
  double heldFraction = 1; // share of the reads on this tile: rows on this tile / rows of all maps
  int64_t channels = 1;    // held here
};
VertexSpec regionBinsSpec(RegionRead read, bool takesMaximum, ElementType type);
VertexCost regionBins(const arch::TileArchitecture& tile, RegionRead read, ElementType type, const RegionBins& work);

} // namespace simcore::codelets
