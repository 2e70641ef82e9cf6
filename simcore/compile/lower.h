// Lowering: from programs to the steps that a machine runs. A copy becomes an on-tile part and an exchange. A compute set becomes
// the exchange of its remote operands, the compute set, and the exchange of remote results. Stream copies become Begin, Mid and
// End.
#pragma once

#include "simcore/compile/lowered_program.h"
#include "simcore/graph/workload.h"

#include <stop_token>

namespace simcore::compile {

using graph::NamedProgram;

// Throws Error(InvalidInput) naming a variable or vertex without a tile. If the buffer for Blocks is flushed, the functions that
// send it to the host come last.
LoweredProgram lower(const graph::Graph& graph, const std::vector<NamedProgram>& programs, const std::stop_token& stop = {},
                     const BlockBuffer& blocks = {});

} // namespace simcore::compile
