#include "reports/rows/exchange_pairs.h"

#include "reports/core/error.h"

namespace reports {

std::vector<PairRun> decodePairs(const ExchangeRow& row, std::size_t tiles) {
  if (!row.pairs) return {};
  const std::string what = "exchange.pairs, row " + std::to_string(row.id);
  std::vector<PairRun> runs = unpackPairs(*row.pairs, tiles, what);
  const std::vector<int64_t> in = unpackRuns(row.bytesInByTile, tiles, "exchange.bytes_in_by_tile");
  const std::vector<int64_t> received = bytesReceived(runs, tiles);
  for (std::size_t t = 0; t < tiles; ++t)
    if (in[t] != received[t])
      throw Error(ErrorCode::Damaged,
                  "contradictory pairs of tiles: tile " + std::to_string(t) + " receives " + std::to_string(received[t]) +
                      " bytes by its pairs, but " + std::to_string(in[t]) + " by bytes_in_by_tile",
                  what, "the report was made by a faulty program or is damaged");
  return runs;
}

} // namespace reports
