// Everything on a tile that is not a tensor: code, vertex state, tables, stacks, packet headers, instrumentation. They are most
// of a small program, so a simulation without them would look wrong (ipu-reference section 7).
#pragma once

#include "simcore/compile/lowered_program.h"

namespace simcore::compile {

// All always live; one Storage per category, vertex code one per vertex type, constants of vertices one per compute set and length.
std::vector<Storage> machineStorage(const graph::Graph& graph, const LoweredProgram& program, bool instrument);

} // namespace simcore::compile
