// Measures parts of a program in cycles of a tile.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/SyncType.hpp"

namespace poplar {

// Adds barriers around `sequence`. The result is two UNSIGNED_INT, the lower word first: the cycles that pass on the tile each
// time it runs.
Tensor cycleCount(Graph& graph, program::Sequence& sequence, unsigned tile, SyncType sync, const DebugContext& context = {});
Tensor cycleCount(Graph& graph, program::Sequence& sequence, unsigned tile, const DebugContext& context = {});
// Reads the tile's clock after a barrier at this point of the program: two UNSIGNED_INT, the lower word first. It counts from
// load().
Tensor cycleStamp(Graph& graph, program::Sequence& sequence, unsigned tile, SyncType sync = SyncType::INTERNAL,
                  const DebugContext& context = {});
std::vector<Tensor> cycleStamp(Graph& graph, program::Sequence& sequence, const std::vector<unsigned>& tiles,
                               SyncType sync = SyncType::INTERNAL, const DebugContext& context = {});

} // namespace poplar
