// Reads and sets the state of the machine's random generators.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace poplar {

// UNSIGNED_INT of shape {tiles, worker contexts, 4}. Programs can store and restore it; the simulator's generators are not affected, so the
// following numbers differ from the machine's.
Tensor getHwSeeds(Graph& graph, program::Sequence& program, const DebugContext& context = {});
void setHwSeeds(Graph& graph, const Tensor& seeds, program::Sequence& program, const DebugContext& context = {});

} // namespace poplar
