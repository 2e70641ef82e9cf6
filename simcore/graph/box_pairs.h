// Sender/receiver pairs for planners that know boxes and cells; private to this module.
#pragma once

#include "simcore/graph/distribution.h"

namespace simcore::graph {

// Pairs for tiles that receive from the cells that overlap their boxes (trafficTo). Empty if there would be more than
// kKeptPairRuns runs.
Pairs pairsTo(const Distribution& source, const std::vector<Box>& boxes, int64_t firstTile, TileRange tiles,
              int64_t elementBytes);
// Pairs for an exchange in which one tile sends everything.
Pairs pairsFrom(int64_t sender, const PerTile& bytesIn);

} // namespace simcore::graph
