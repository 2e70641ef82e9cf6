#include "simcore/graph/box_pairs.h"

#include "simcore/graph/touched_cells.h"

namespace simcore::graph {

using reports::PairWriter;

Pairs pairsTo(const Distribution& source, const std::vector<Box>& boxes, int64_t firstTile, TileRange tiles,
              int64_t elementBytes) {
  PairWriter pairs(kKeptPairRuns);
  TouchedCells cells(source);
  const Box* before = nullptr;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].volume() == 0) continue;
    const int64_t tile = tiles.begin + (firstTile + int64_t(i)) % tiles.size();
    if (before && before->dims == boxes[i].dims && pairs.same(tile)) continue;
    pairs.receiver(tile);
    cells.forEachStretch(boxes[i], [&](int64_t sender, int64_t elements, int64_t senders, int64_t stride) {
      pairs.take(sender, elements * elementBytes, senders, stride);
    });
    before = &boxes[i];
    if (pairs.full() || cells.tooMany()) return {};
  }
  return pairs.finish();
}

Pairs pairsFrom(int64_t sender, const PerTile& bytesIn) {
  PairWriter pairs(kKeptPairRuns);
  for (const auto& run : bytesIn.runs())
    for (int64_t tile = run.tiles.begin; tile < run.tiles.end; ++tile) {
      pairs.receiver(tile);
      pairs.take(sender, run.value);
    }
  return pairs.finish();
}

} // namespace simcore::graph
