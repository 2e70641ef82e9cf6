// Time and code of an exchange. The fabric is statically scheduled: one word a tile and cycle each way, so a tile's time is
// its larger side plus what each change of sender costs, and code grows with messages (ipu-reference 5.2 to 5.4).
#pragma once

#include "simcore/compile/lowered.h"

namespace simcore::compile {

// Busy cycles by tile.
PerTile internalExchangeCycles(const arch::Machine& machine, const Exchange& exchange);
// 4 + 4 per 64 words for each message sent, 12 per message received, 16 to enter and leave; by tile.
PerTile exchangeCode(const Exchange& exchange);
// Between IPUs over links: a fixed set-up, then the fullest link (simcore/compile/ladder.h) or tile decides; all tiles that
// take part wait for it.
Cycles globalExchangeCycles(const arch::Machine& machine, const Exchange& exchange);

// What an edge or a copy between two views moves: every element of `destination` that is not on the tile it is needed on.
// Tiles of `destination` are those of its variables; source elements come from theirs.
graph::Traffic copyTraffic(const graph::Graph& graph, const graph::Tensor& source, const graph::Tensor& destination);
// Elements of `view` that a vertex on `tile` reads or writes on other tiles.
void addEdgeTraffic(const graph::Graph& graph, const graph::Tensor& view, int64_t tile, bool input, graph::Traffic& traffic);

} // namespace simcore::compile
