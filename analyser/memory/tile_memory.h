// Bytes per tile: curves, stacked breakdowns and the floor plan. Values are indexed by TileId over all IPUs. The parts of a
// breakdown sum to `total` on every tile (gaps and overflow are separate curves).
#pragma once

#include "analyser/session/sentence.h"
#include "analyser/session/session.h"
#include "reports/core/range.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace analyser::memory {

enum class Breakdown { None, ByRegion, ByCategory, ByLiveness };

// Names of parts in Breakdown::ByLiveness, and of the bytes beyond a tile's memory in Breakdown::ByRegion.
inline constexpr std::string_view kAlwaysLive = "memory.always_live", kNotAlwaysLive = "memory.not_always_live",
                                  kOverflowed = "memory.region.overflowed";

inline constexpr double kGapsWorthSaying = 0.01; // share of a tile's memory: smaller gaps change no decision

struct TileSeries {
  std::string name;  // of the table: memory.total …
  std::string title; // for people
  std::optional<reports::MemoryCategory> category;
  std::vector<Bytes> values;
  Bytes sum, max;
  TileId maxTile;
};

struct TileMemory {
  Bytes capacity; // of one tile: the maximum line
  int tilesPerIpu = 0, ipus = 0;
  TileSeries total; // excluding gaps
  TileSeries totalWithGaps;
  TileSeries overflow; // beyond the capacity
  Breakdown breakdown = Breakdown::None;
  std::vector<TileSeries> parts; // of the breakdown, largest sum first; empty for None
  Sentence verdict;
  int64_t overflowTiles = 0;
  bool fits = true;         // whether the program fits; for one IPU: whether its tiles do
  Bytes median;             // of total
  std::optional<IpuId> ipu; // only its tiles are counted; tiles of others are zero

  std::size_t ipuOf(std::size_t tile) const { return tilesPerIpu > 0 ? tile / std::size_t(tilesPerIpu) : 0; }
};

TileMemory tileMemory(Session& session, Breakdown breakdown = Breakdown::None, std::stop_token stop = {});
// The memory of one IPU: sums, the fullest tile, the median and the verdict are over its tiles.
TileMemory tileMemoryOf(Session& session, IpuId ipu, Breakdown breakdown = Breakdown::None, std::stop_token stop = {});
// The tile that decides whether the program fits, and that the verdict names: the tile with most bytes; if tiles overflow, the
// tile with the highest used address, gaps included.
TileId fullestTile(const TileMemory& memory);
// The tiles of one IPU, ascending.
std::vector<TileId> tilesOfIpu(const Machine& machine, IpuId ipu);
// Any series of the report by its name, e.g. "memory.category.vertexCode"; nullopt if the report has none.
std::optional<TileSeries> tileSeries(Session& session, const std::string& name);
// Bytes of one variable on every tile: the curve of the "Variables" graph.
TileSeries variableSeries(Session& session, reports::VariableId variable, std::stop_token stop = {});

// Tiles in the order of the floor plan, column by column (PopVision's "physical order").
std::vector<TileId> physicalOrder(const Machine& machine);
// "0, 5, 10-20" → ids. Throws Error(InvalidInput) naming the bad part.
std::vector<TileId> parseTileSelection(const Machine& machine, const std::string& text);

} // namespace analyser::memory
