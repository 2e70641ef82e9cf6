// Reads and sets the state of the machine's random generators.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace poplar {

// UNSIGNED_INT of shape {tiles, worker contexts, 4}. All zeros, because programs cannot read the state of the simulator's
// generators. setHwSeeds() has no effect.
Tensor getHwSeeds(Graph& graph, program::Sequence& program, const DebugContext& context = {});
void setHwSeeds(Graph& graph, const Tensor& seeds, program::Sequence& program, const DebugContext& context = {});

} // namespace poplar
