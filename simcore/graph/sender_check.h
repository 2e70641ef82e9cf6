// Checks sender/receiver pairs against the bytes that a plan sends from each tile.
#pragma once

#include "simcore/graph/distribution.h"

namespace simcore::graph {

// Whether at most 5 % of the bytes in the pairs have a sender without bytes in bytesOut. True if bytesOut was rounded down to 0
// on every tile, or if there are no pairs.
bool sendersAgree(const SharedPairs& pairs, const PerTile& bytesOut);

} // namespace simcore::graph
