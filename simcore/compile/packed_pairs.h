// The column exchange.pairs. Exchanges that repeat others on other tiles are packed once.
#pragma once

#include "simcore/graph/distribution.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace simcore::compile {

class PackedPairs {
public:
  explicit PackedPairs(int64_t tiles) : m_tiles(std::size_t(tiles)) {}
  // Packed pairs; nullopt if they are unknown or too many. `pairs` must outlive this object.
  std::optional<reports::Blob> pack(const graph::SharedPairs& pairs) {
    if (pairs.empty()) return {};
    const int64_t base = pairs.parts().front().offset;
    Key key;
    for (const auto& part : pairs.parts()) key.emplace_back(part.runs.get(), part.offset - base);
    const auto [it, isNew] = m_packed.try_emplace(std::move(key));
    if (isNew) {
      const graph::Pairs runs = pairs.runs(base);
      const bool isPackable =
          runs.size() <= reports::kMostPairRuns && !reports::areTooManyPairs(runs, m_tiles) &&
          std::all_of(runs.begin(), runs.end(), [](const reports::PairRun& run) { return run.bytes <= reports::kMostPairBytes; });
      if (isPackable) it->second = reports::packPairs(runs);
    }
    if (!it->second) return {};
    return reports::movedPairs(*it->second, base);
  }

private:
  std::size_t m_tiles;
  using Key = std::vector<std::pair<const graph::Pairs*, int64_t>>;
  std::map<Key, std::optional<reports::Blob>> m_packed; // tile numbers are relative to the first part's offset
};

} // namespace simcore::compile
