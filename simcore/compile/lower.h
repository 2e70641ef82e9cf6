// Lowering: from programs as written to the steps a machine runs. A copy becomes an on-tile part and an exchange, a compute
// set the exchange of its remote operands, itself, and the way back; stream copies become Begin, Mid and End.
#pragma once

#include "simcore/compile/lowered_program.h"
#include "simcore/graph/workload.h"

#include <stop_token>

namespace simcore::compile {

using graph::NamedProgram;

// Throws Error(InvalidInput) for a variable or vertex on no tile, naming it. With a buffer for Blocks that is flushed, functions that
// send it to the host come last.
LoweredProgram lower(const graph::Graph& graph, const std::vector<NamedProgram>& programs, const std::stop_token& stop = {},
                     const BlockBuffer& blocks = {});

} // namespace simcore::compile
