#include "simcore/arch/data_sheet.h"

namespace simcore::arch {

std::vector<Peak> peaksOf(const Machine& m) {
  constexpr double kAccesses = 3; // two loads and a store
  const double tiles = m.tilesPerIpu;
  return {{"memory_bytes_per_second", "Tile memory", tiles * kAccesses * m.tile.dataPathBytes * m.clockHz},
          {"exchange_bytes_per_second", "Exchange", tiles * m.exchange.bytesPerCycle * m.clockHz},
          {"link_bytes_per_second", "Links to a neighbour", m.link.bytesPerSecond * m.link.linksPerPair},
          {"host_bytes_per_second", "Host", m.host.bytesPerCycle * m.clockHz},
          {"streaming_memory_bytes_per_second", "Streaming memory", m.host.bytesPerCycle * m.clockHz}};
}

} // namespace simcore::arch
