// The regions of all edges of a compute set, to count the edges that overlap a region.
#pragma once

#include "simcore/graph/graph.h"

#include <map>
#include <optional>
#include <vector>

namespace simcore::run {

class EdgeRegions {
public:
  explicit EdgeRegions(const graph::ComputeSet& set);
  // Number of regions of edges that overlap `region`, on all tiles or on one tile.
  int64_t edgesOf(const graph::Region& region, std::optional<reports::TileId> tile) const;

private:
  struct Ends {
    std::vector<int64_t> begins, ends; // sorted
    int64_t meeting(const graph::Region& region) const;
  };
  std::map<graph::VariableId, Ends> m_all;
  std::map<std::pair<graph::VariableId, reports::TileId>, Ends> m_ofTile;
};

} // namespace simcore::run
