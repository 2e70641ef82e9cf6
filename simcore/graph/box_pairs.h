// Sender/receiver pairs for planners that know boxes and cells; private to this module.
#pragma once

#include "simcore/graph/distribution.h"

namespace simcore::graph {

// Tiles receive from the cells that overlap their boxes (trafficTo). Empty if that gives more than kKeptPairRuns runs.
Pairs pairsTo(const Distribution& source, const std::vector<Box>& boxes, int64_t firstTile, TileRange tiles,
              int64_t elementBytes);
// One tile sends everything.
Pairs pairsFrom(int64_t sender, const PerTile& bytesIn);

} // namespace simcore::graph
