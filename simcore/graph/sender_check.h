// Pairs against what a plan says that tiles send.
#pragma once

#include "simcore/graph/distribution.h"

namespace simcore::graph {

// Whether at most 2 % of the bytes come from tiles that send nothing. A plan whose bytes are rounded down to nothing everywhere says nothing.
bool sendersAgree(const SharedPairs& pairs, const PerTile& bytesOut);

} // namespace simcore::graph
