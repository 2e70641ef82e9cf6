// Gives every byte an address. Always-live storage is placed from the bottom of a tile (code in the executable region), then
// temporaries, largest first, each at the lowest address that is free during its life. A tile that overflows is also laid out in
// other orders, and the layout with the least overflow is used. If the bytes live at once would fit, temporaries without an
// address are placed first in several further attempts. Tiles with equal contents are laid out once and get the same addresses.
#pragma once

#include "reports/rows/placement_reason.h"
#include "simcore/compile/lowered_program.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

namespace simcore::compile {

struct Placement {
  uint32_t storage = 0; // index into the storage list
  int64_t address = 0, size = 0;
  int64_t ownBytes = 0; // not covered by an earlier entry at the same addresses
  reports::PlacementReason why = reports::PlacementReason::Lowest;
  uint32_t other = UINT32_MAX; // storage that `why` refers to
};

// The contents of one kind of tile, in address order.
struct TileLayout {
  std::vector<Placement> placements;
  int64_t totalBytes = 0;       // covered by variables: memory without gaps
  int64_t extentBytes = 0;      // memory including gaps
  int64_t overflowBytes = 0;    // covered beyond the end of the tile
  int64_t interleavedBytes = 0; // covered in the interleaved region
  int64_t alwaysLiveBytes = 0;
  int64_t peakNotAlwaysLiveBytes = 0;
  int64_t liveLowerBound = 0; // always live + peak: no layout can be smaller
};

struct Allocation {
  std::vector<TileLayout> layouts;
  std::vector<uint32_t> layoutOfTile;
  int64_t maxTileBytes = 0, maxTile = 0; // excluding gaps
  int64_t overflowTiles = 0;
  bool fits() const { return overflowTiles == 0; }
};

// Whether two address ranges share a memory element (a pair of elements in the interleaved region).
bool shareElement(const arch::Machine& machine, int64_t addressA, int64_t sizeA, int64_t addressB, int64_t sizeB);

// `done` receives the fraction of tiles that are laid out, 0 to 1, only on the calling thread.
Allocation allocate(const arch::Machine& machine, const std::vector<Storage>& storage, int64_t ordinals, std::stop_token stop,
                    const std::function<void(double)>& done = {});

} // namespace simcore::compile
