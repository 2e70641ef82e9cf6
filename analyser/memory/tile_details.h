// The tables below the memory plot: a tree of the selected tiles' contents, one column per tile, and the layout of their memory.
#pragma once

#include "analyser/memory/tile_memory.h"
#include "reports/core/range.h"

#include <span>

namespace analyser::memory {

// Rows are in depth-first order; `depth` gives the tree. An empty selection means all tiles in one column.
struct DetailsRow {
  int depth = 0;
  std::string title;
  std::vector<Bytes> values; // one per column
  Bytes mean, median;        // of this row over the tiles of `ipu`
  bool isMeasured = true;    // false: mean and median are unknown
  bool isText = false;       // then `texts` holds the cells, not `values`
  std::vector<std::string> texts;
};
struct TileDetails {
  std::vector<std::string> columns; // "All tiles" or "Tile 5"
  std::optional<IpuId> ipu;         // mean and median are over the tiles of this IPU; none: over all tiles
  std::vector<DetailsRow> rows;
};
TileDetails tileDetails(Session& session, std::span<const TileId> selection, std::stop_token stop = {});
// The tiles of one IPU in one column.
TileDetails ipuDetails(Session& session, IpuId ipu, std::stop_token stop = {});

// One lowered variable on a tile. `own` is the memory that it adds to the tile: less than `size` if it shares addresses with
// variables that are never live together with it.
struct PlacedVariable {
  reports::VariableId variable; // invalid for a gap
  std::string name;
  reports::MemoryCategory category{};
  Bytes address, size, own;
  bool alwaysLive = false, isGap = false, beyondMemory = false, interleaved = false;
  std::string why = {};                           // a sentence about its address; empty if unknown
  Bytes alignment = {};                           // its address is a multiple of it; 0 if unknown
  std::vector<reports::Range<int64_t>> live = {}; // liveness steps, half-open, ascending; empty if always live
  bool isLiveAt(int64_t step) const;
};
struct TileLayout {
  TileId tile;
  Bytes capacity, interleavedStart, elementSize, used, usedWithGaps, gaps;
  std::vector<PlacedVariable> variables; // in address order, gaps included
};
TileLayout tileLayout(Session& session, TileId tile);
// By variable of the layout: ascending indices of the other variables that share some of its addresses.
std::vector<std::vector<int>> sharedMemory(const TileLayout& layout);

struct VariableUse {
  reports::VariableId variable;
  std::string name, elementType, shape, operation;
  reports::MemoryCategory category{};
  Bytes total, maxTile;
  int64_t tiles = 0;
  bool alwaysLive = false;
  double copies = 0; // bytes over all tiles / bytes of one copy of its elements; 0 if unknown
};
// The largest variables, by total bytes; `selection` limits them to their bytes on those tiles (then `total` is the sum over
// them).
std::vector<VariableUse> topVariables(Session& session, std::size_t count, std::span<const TileId> selection = {},
                                      std::stop_token stop = {});

struct VertexUse {
  std::string type, kind;
  std::string source; // "heat.cpp:12", with the path that the compiler was given; empty if not compiled from a file
  int64_t vertices = 0;
  std::optional<int64_t> tiles; // selected tiles that have such a vertex; nothing if unknown
  Bytes codeBytes;              // counted once per tile
  Bytes stateBytes;             // of the vertices on the selected tiles; estimated as their share of the compute set's state
  int64_t computeSets = 0;
  std::optional<int64_t> tileCycles; // of all executions, on the selected tiles: their share of the vertices; nothing if none ran
};
// Vertices by type on the selected tiles (all if empty), largest number first.
std::vector<VertexUse> verticesByType(Session& session, std::span<const TileId> selection, std::stop_token stop = {});

} // namespace analyser::memory
