// Why a tile is fuller than others: its excess over the median tile of its IPU, by category and by variable. IPUs do different
// work, so tiles of other IPUs are not compared.
#pragma once

#include "analyser/memory/tile_memory.h"

namespace analyser::memory {

struct ExcessPart {
  std::string title; // of the category
  std::optional<reports::MemoryCategory> category;
  Bytes difference; // bytes on the tile - median of the category over the IPU's tiles
};
struct ExcessVariable {
  reports::VariableId variable;
  std::string name;
  Bytes difference; // bytes added to the tile minus bytes added to the median tile; above 0
};
struct Excess {
  TileId tile;
  Bytes held, median, difference;             // bytes without gaps: on the tile, on the median tile, and their difference
  std::vector<ExcessPart> parts;              // largest first; those without a difference are left out
  std::vector<ExcessVariable> variables = {}; // largest first
  std::vector<ExcessVariable> largest = {};   // a few variables with their bytes on the tile, largest first
  // The exchange that exceeds its median over the IPU's tiles by most; set if exchange code is one of the largest parts. Invalid
  // otherwise, and for reports before schema version 7, which lack the data.
  struct {
    reports::ProgramStepId step;
    std::string name;
    Bytes difference;
    std::size_t part = 0; // index in `parts`: the category of its code
  } exchange = {};
  std::optional<IpuId> ipu = {}; // of the tile, if the machine has several
};
// The median tile of each IPU, without gaps.
std::vector<Bytes> mediansByIpu(const TileMemory& memory);
// `byCategory` is tileMemory(session, Breakdown::ByCategory). Medians of parts need not sum to the median of the whole.
Excess excessOf(const TileMemory& byCategory, TileId tile);
// Also sets the variables and the exchange.
Excess excessOf(Session& session, const TileMemory& byCategory, TileId tile, std::stop_token stop = {});
// "Tile 0 holds 40.8 KiB, 20.1 KiB more than the median tile of IPU 0: +12.0 KiB internal exchange code (of it +3.8 KiB
// net/matmul/transform), +4.1 KiB variables; among its variables net/weights adds most (+3.9 KiB)." For a tile that is about as
// full as the median, it names the largest contents of the tile instead.
Sentence excessSentence(const Excess& excess);

} // namespace analyser::memory
