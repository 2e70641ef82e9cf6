// The column exchange.pairs, decoded: the bytes that each tile sends to each other tile.
#pragma once

#include "reports/core/tile_pairs.h"
#include "reports/rows/exchange.h"

namespace reports {

// The pairs of a row; empty if it has none. Throws Error(Damaged) naming the row if a tile's sum over the pairs differs from
// bytes_in_by_tile.
std::vector<PairRun> decodePairs(const ExchangeRow& row, std::size_t tiles);

} // namespace reports
