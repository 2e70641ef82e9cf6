// The parts of the program that a tile takes part in: its compute sets with their vertices, and its exchanges with the bytes they bring
// and take.
#pragma once

#include "analyser/memory/tile_memory.h"
#include "analyser/session/session.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace analyser::memory {

struct ComputeSetUse {
  reports::ProgramStepId step; // the first that executes it
  std::string name, operation;
  std::string types;      // names of its vertex types, the most frequent first
  int64_t vertices = 0;   // on the selected tiles
  int64_t tiles = 0;      // of the selected ones with a vertex
  int64_t executions = 0; // steps of the program that execute it
  Bytes stateBytes;       // of these vertices; estimated as their share of the compute set's state
};
// Those with vertices on the selected tiles (all if empty), most vertices first.
std::vector<ComputeSetUse> computeSetsOn(Session& session, std::span<const TileId> selection, std::stop_token stop = {});

struct Partner {
  TileId tile;
  Bytes bytes; // between it and the selected tiles, one execution
};
// The other end of an exchange. Where a report has its pairs of tiles they are known; else it has the bytes of each tile only, and
// several partners are those that the tile may deal with. A single one is certain.
struct Partners {
  bool send = false;                            // the selected tiles receive from them, else send to them
  int64_t tiles = 0;                            // how many
  std::vector<std::pair<TileId, TileId>> spans; // the first and the last of neighbours
  bool areKnown = false;
  std::vector<Partner> senders = {}, receivers = {}; // if they are known: of both ways, those with most bytes first
};
// "from tile 12 (896 B) and 3 more; to tile 7 (128 B)", of the others up to `named` - 1 after a colon; where they are not known "from
// tile 0", "possibly from tiles 0-63", "possibly to 700 tiles" where these are no neighbours. Empty without partners.
std::string partnersText(const Partners& partners, std::size_t named = 1);

struct ExchangeUse {
  reports::ProgramStepId step;
  std::string name, operation, kind; // internal, global or host
  Bytes code;                        // over all tiles
  std::optional<Bytes> codeHere;     // of the selected tiles; reports before schema version 7 do not say
  Bytes received, sent;              // of the selected tiles, one execution
  Bytes total;                       // that all tiles receive
  int64_t messages = 0;
  int64_t receivers = 0, senders = 0; // tiles that receive and send
  Partners partners;                  // of the selected tiles
  TileId busiest;                     // that receives or sends most
  Bytes busiestBytes;
  Cycles cycles;          // of the slowest tile
  int64_t executions = 0; // of its step over the run; 0: it did not run
};
// Those the selected tiles take part in (all if empty), most code on them first.
std::vector<ExchangeUse> exchangesOn(Session& session, std::span<const TileId> selection, std::stop_token stop = {});
bool isExchangeCode(reports::MemoryCategory category); // internal, global or host
// Code of these categories that is of no exchange: a run's start, and what sends its counters to the host. Of the selected tiles (all if
// empty), with `uses` of the same; 0 if the report does not say which tiles hold the code of an exchange.
Bytes codeOfNoExchange(const TileMemory& byCategory, std::span<const ExchangeUse> uses, std::span<const TileId> selection);

} // namespace analyser::memory
