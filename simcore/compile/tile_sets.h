// Sets of tiles that run in step: all tiles of an IPU, or its compute tiles and its I/O tiles. A barrier, an exchange or a
// transfer synchronises the participating sets. The other sets continue, so host transfers can overlap compute (decision 020).
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/graph/per_tile.h"

#include <initializer_list>
#include <vector>

namespace simcore::compile {

class TileSets {
public:
  explicit TileSets(const arch::Machine& machine)
      : m_tilesPerIpu(machine.tilesPerIpu), m_computeTiles(machine.computeTiles()), m_ipus(machine.ipus),
        m_perIpu(machine.ioTiles > 0 ? 2 : 1) {}

  // Sets are numbered IPU by IPU, the compute tiles of each before its I/O tiles.
  int count() const { return m_ipus * m_perIpu; }
  int perIpu() const { return m_perIpu; }
  int ipuOf(int set) const { return set / m_perIpu; }
  bool isIo(int set) const { return set % m_perIpu == 1; }
  graph::TileRange tiles(int set) const {
    const int64_t first = int64_t(ipuOf(set)) * m_tilesPerIpu;
    if (isIo(set)) return {first + m_computeTiles, first + m_tilesPerIpu};
    return {first, first + m_computeTiles};
  }
  // By set: whether one of its tiles has a value in one of the columns; all true if no set has.
  std::vector<bool> touchedBy(std::initializer_list<const graph::PerTile*> columns) const;

private:
  int64_t m_tilesPerIpu, m_computeTiles;
  int m_ipus, m_perIpu;
};

} // namespace simcore::compile
