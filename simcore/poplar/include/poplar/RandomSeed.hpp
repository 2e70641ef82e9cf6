// The state of the machine's generators of random numbers.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace poplar {

// UNSIGNED_INT of shape {tiles, worker contexts, 4}. Programs hold it and set it back; the simulator's generators go on by themselves, so the
// numbers that follow are other ones than on the machine.
Tensor getHwSeeds(Graph& graph, program::Sequence& program, const DebugContext& context = {});
void setHwSeeds(Graph& graph, const Tensor& seeds, program::Sequence& program, const DebugContext& context = {});

} // namespace poplar
