// Why a tile is fuller than others: what it holds more than the median tile, by category.
#pragma once

#include "analyser/memory/tile_memory.h"

namespace analyser::memory {

struct ExcessPart {
  std::string title; // of the category
  std::optional<reports::MemoryCategory> category;
  Bytes difference; // to the median of the category over all tiles; below 0 where the tile holds less
};
struct Excess {
  TileId tile;
  Bytes held, median, difference; // of the totals without gaps
  std::vector<ExcessPart> parts;  // largest first; those without a difference are left out
};
// `byCategory` is tileMemory(session, Breakdown::ByCategory). Medians of parts need not sum to the median of the whole.
Excess excessOf(const TileMemory& byCategory, TileId tile);
// "Tile 0 holds 40.8 KiB, 20.1 KiB more than the median tile: +12.0 KiB internal exchange code, +4.1 KiB variables."
Sentence excessSentence(const Excess& excess);

} // namespace analyser::memory
