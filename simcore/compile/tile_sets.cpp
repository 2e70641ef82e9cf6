#include "simcore/compile/tile_sets.h"

#include <algorithm>

namespace simcore::compile {

std::vector<bool> TileSets::touchedBy(std::initializer_list<const graph::PerTile*> columns) const {
  std::vector<bool> touched(std::size_t(count()), false);
  for (const graph::PerTile* column : columns)
    for (const auto& r : column->runs())
      for (int set = int(r.tiles.begin / m_tilesPerIpu) * m_perIpu; set < count() && tiles(set).begin < r.tiles.end; ++set)
        if (tiles(set).overlaps(r.tiles)) touched[std::size_t(set)] = true;
  if (std::find(touched.begin(), touched.end(), true) == touched.end()) touched.assign(touched.size(), true);
  return touched;
}

} // namespace simcore::compile
