// Which storage is alive when. A variable lives from its first write to its last read; what a loop carries around its back
// edge lives through the whole loop, and what is alive at a call lives through the function.
#pragma once

#include "simcore/compile/lowered_program.h"

namespace simcore::compile {

// Storage for every variable that is used or always live (buffers of the lowered program included), with live ranges.
std::vector<Storage> variableLiveness(const graph::Graph& graph, const LoweredProgram& program);

// Bytes alive beyond the always-live ones at each ordinal, for tiles in `tiles` together.
std::vector<int64_t> livenessCurve(const std::vector<Storage>& storage, int64_t ordinals, graph::TileRange tiles);

} // namespace simcore::compile
