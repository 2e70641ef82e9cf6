// Demands of the fields of user vertices on the place of their data: alignment, the interleaved region, memory elements apart.
// A variable lies in one piece on a tile, so demands of different vertices on it can contradict each other.
#pragma once

#include "simcore/compile/lowered_program.h"

namespace simcore::compile {

// Adds the demands of all vertices that some step runs to the storage of their operands. Of two alignments that contradict each other, `strict`
// makes an error that names both; without it the first stays, and the storage tells of the other. (Poplar copies the elements to another place
// then, which takes cycles that are not counted.)
void addDemands(const graph::Graph& graph, const LoweredProgram& program, std::vector<Storage>& storage, bool strict = true);

} // namespace simcore::compile
