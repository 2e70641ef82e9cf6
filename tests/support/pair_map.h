// Single pairs of tiles, to compare with pairs that a test counts by hand.
#pragma once

#include "reports/core/tile_pairs.h"

#include <map>
#include <utility>
#include <vector>

namespace tests {

using PairMap = std::map<std::pair<int64_t, int64_t>, int64_t>; // bytes by receiver and sender

inline PairMap pairMapOf(const std::vector<reports::PairRun>& runs) {
  PairMap pairs;
  reports::PairSweep sweep(runs);
  while (sweep.next())
    for (const auto& [from, bytes] : sweep.senders()) pairs[{sweep.receiver(), from}] = bytes;
  return pairs;
}

} // namespace tests
