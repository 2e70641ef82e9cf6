// Everything on a tile that is not a tensor: code, vertex state, tables, stacks, packet headers, instrumentation. In a small
// program this is most of the memory, so it must be simulated (ipu-reference section 7).
#pragma once

#include "simcore/compile/lowered_program.h"

namespace simcore::compile {

// Always-live storage: one entry per category; for vertex code one per vertex type; for constants of vertices one per compute set
// and length.
std::vector<Storage> machineStorage(const graph::Graph& graph, const LoweredProgram& program, bool instrument);

} // namespace simcore::compile
