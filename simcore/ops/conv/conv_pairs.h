// Which tiles of a planned convolution deal with one another: those that add up partial sums of the same outputs.
#pragma once

#include "simcore/ops/conv/convolution.h"

#include <vector>

namespace simcore::ops {

// The place of a cell in the order of ConvLowering: which outputs it has, and which of their partial sums.
struct ConvCellPlace {
  int64_t outputs = 0, partial = 0;
};
ConvCellPlace placeOf(const ConvPlan& plan, bool product, int64_t cell);

// A tile that takes `bytes` from each of the others of its group, which has so many tiles. Bytes that fill the last word count with the first
// of them.
struct GroupMember {
  int64_t tile = 0, group = 0, groupSize = 1, bytes = 0, filling = 0;
};
// Not known (empty) if a group has more or fewer tiles.
graph::Pairs pairsWithinGroups(std::vector<GroupMember> members);

} // namespace simcore::ops
