// Cycles of a step in addition to those of its vertices: finding the vertex table, starting the workers, returning. The published
// estimators lack them. One constant per family was calibrated on hardware figures (ipu-reference 9.10): the default 55 on
// validation cases A7 and A8 (element-wise add and scaled add), 4 for matrix-unit supervisors on A1 to A6. It is charged once per
// compute set and tile, not per vertex; the largest constant of a tile's vertices counts.
#pragma once

#include "simcore/codelets/vertex_cost.h"

namespace simcore::codelets {

inline constexpr Cycles kDefaultLaunch{55};   // "roughly 50-80 for elementwise vertices", default 55
inline constexpr Cycles kMatrixUnitLaunch{4}; // +4 to +7 over the estimate at N = 128, 1024, 2048
inline constexpr Cycles kCounterPair{45};     // reading the cycle counter before and after a step

Cycles launchOverhead(const VertexSpec& spec);

} // namespace simcore::codelets
