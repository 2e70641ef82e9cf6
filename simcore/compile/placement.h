// Demands of the fields of user vertices on the place of their data: alignment, the interleaved region, memory elements apart.
// A variable lies in one piece on a tile, so demands of different vertices on it can contradict each other: that is an error
// which names them.
#pragma once

#include "simcore/compile/lowered_program.h"

namespace simcore::compile {

// Adds the demands of all vertices that some step runs to the storage of their operands.
void addDemands(const graph::Graph& graph, const LoweredProgram& program, std::vector<Storage>& storage);

} // namespace simcore::compile
