// Tile memory that is shared over time: variables that are never live together may have the same addresses.
#pragma once

#include "analyser/session/session.h"
#include "reports/core/categories.h"

#include <array>
#include <unordered_map>

namespace analyser::memory {

using BytesByCategory = std::array<Bytes, reports::kMemoryCategoryCount>;

struct Overlap {
  BytesByCategory alone;   // of variables that share no addresses
  BytesByCategory sharing; // of the other variables: the bytes that each adds to the tile; alone + sharing = memory without gaps
};

// Reads the categories of all variables once, for any number of tiles.
class Overlaps {
public:
  explicit Overlaps(Session& session, std::stop_token stop = {});
  Overlap of(TileId tile);

private:
  Session& m_session;
  std::unordered_map<int64_t, int64_t> m_categories; // by variable
};

} // namespace analyser::memory
