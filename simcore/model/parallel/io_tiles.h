// Tiles of every IPU that are set apart for the host (Machine::ioTiles, PopART's numIOTiles). A model is lowered into a virtual
// graph of the others, so that no planner knows about them; what goes to the host or comes from it stops on them in a buffer,
// and an exchange of its own brings it to or from the tiles that compute.
#pragma once

#include "simcore/graph/graph.h"

#include <cstdint>

namespace simcore::model {

// The same machine with so many I/O tiles on each IPU. Throws Error(InvalidInput) unless tiles are left that compute.
arch::Machine withIoTiles(arch::Machine machine, std::int64_t ioTiles);

// An empty graph that has the machine's compute tiles: all of them, or a virtual graph.
graph::Graph computeGraph(const arch::Machine& machine);

// Between the host and a value of the model on this IPU: a buffer spread over its I/O tiles.
graph::Tensor hostBuffer(graph::Graph& graph, const graph::Tensor& value, const std::string& name,
                         reports::DebugContextId context, int ipu);

} // namespace simcore::model
