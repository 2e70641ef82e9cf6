// Live ranges of storage. A variable lives from its first write to its last read. A variable that one iteration of a loop passes
// to the next lives through the whole loop; a variable that is live at a call lives through the function.
#pragma once

#include "simcore/compile/lowered_program.h"

namespace simcore::compile {

// Storage for every variable that is used or always live (including buffers of the lowered program), with live ranges.
std::vector<Storage> variableLiveness(const graph::Graph& graph, const LoweredProgram& program);

// Bytes live at each ordinal, except always-live ones, summed over `tiles`.
std::vector<int64_t> livenessCurve(const std::vector<Storage>& storage, int64_t ordinals, graph::TileRange tiles);

} // namespace simcore::compile
