// Constraints that fields of user vertices put on the addresses of their data: alignment, the interleaved region, separate memory
// elements. A variable is one piece on a tile, so the constraints of different vertices can contradict each other.
#pragma once

#include "simcore/compile/lowered_program.h"

namespace simcore::compile {

// Adds the constraints of all executed vertices to the storage of their operands. If two alignments contradict each other,
// `strict` throws an error that names both. Without `strict` the first one is kept, and the storage records the other. (Poplar
// then copies the elements to another address; the cycles of that copy are not counted here.)
void addDemands(const graph::Graph& graph, const LoweredProgram& program, std::vector<Storage>& storage, bool strict = true);

} // namespace simcore::compile
