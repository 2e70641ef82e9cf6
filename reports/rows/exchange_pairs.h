// The column exchange.pairs, decoded: which tiles send how much to which.
#pragma once

#include "reports/core/tile_pairs.h"
#include "reports/rows/exchange.h"

namespace reports {

// Empty if the row has none. Throws Error(Damaged) naming the row if a tile receives other bytes by them than bytes_in_by_tile says.
std::vector<PairRun> decodePairs(const ExchangeRow& row, std::size_t tiles);

} // namespace reports
