#include "simcore/run/edge_regions.h"

#include <algorithm>

namespace simcore::run {

EdgeRegions::EdgeRegions(const graph::ComputeSet& set) {
  for (const auto& vertex : set.vertices)
    for (const auto& [field, view] : vertex.edges)
      view.forEachRegion([&, tile = vertex.tile](const graph::Region& r) {
        for (Ends* ends : {&m_all[r.variable], &m_ofTile[{r.variable, tile}]}) {
          ends->begins.push_back(r.begin);
          ends->ends.push_back(r.end);
        }
      });
  const auto sort = [](auto& each) {
    for (auto& [key, ends] : each) {
      std::sort(ends.begins.begin(), ends.begins.end());
      std::sort(ends.ends.begin(), ends.ends.end());
    }
  };
  sort(m_all);
  sort(m_ofTile);
}

int64_t EdgeRegions::Ends::meeting(const graph::Region& region) const {
  const auto begun = std::lower_bound(begins.begin(), begins.end(), region.end) - begins.begin();
  return begun - (std::upper_bound(ends.begin(), ends.end(), region.begin) - ends.begin());
}

int64_t EdgeRegions::edgesOf(const graph::Region& region, std::optional<reports::TileId> tile) const {
  if (tile) {
    const auto found = m_ofTile.find({region.variable, *tile});
    return found == m_ofTile.end() ? 0 : found->second.meeting(region);
  }
  const auto found = m_all.find(region.variable);
  return found == m_all.end() ? 0 : found->second.meeting(region);
}

} // namespace simcore::run
