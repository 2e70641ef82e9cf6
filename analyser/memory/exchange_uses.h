// The exchanges of tiles, by step, by operation and by the tiles at the other end.
#pragma once

#include "analyser/memory/exchange_partners.h"
#include "analyser/memory/tile_memory.h"
#include "analyser/session/session.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace analyser::memory {

struct ExchangeUse {
  reports::ProgramStepId step; // the first step that runs it
  std::string name, operation;
  std::string kind;              // internal, global or host; empty for an operation with several kinds
  int64_t exchanges = 1;         // for an operation: the number of its exchanges
  Bytes code;                    // over all tiles
  std::optional<Bytes> codeHere; // on the selected tiles; unknown before schema version 7
  Bytes received, sent;          // of the selected tiles, one execution
  Bytes total;                   // bytes that all tiles receive
  int64_t messages = 0;
  int64_t receivers = 0, senders = 0; // tiles that receive and send
  Partners partners;                  // of the selected tiles
  TileId busiest;                     // the tile that receives or sends most
  Bytes busiestBytes;
  Cycles cycles;          // of the slowest tile
  int64_t executions = 0; // of its step over the run; 0: it did not run
  Bytes receivedInAll;    // by the selected tiles in all executions
};
struct ExchangesOfTiles {
  std::vector<ExchangeUse> uses;    // most code on the selected tiles first
  std::vector<PartnerUse> partners; // summed over all exchanges
};
// The exchanges of the selected tiles (all if empty).
ExchangesOfTiles exchangesOn(Session& session, std::span<const TileId> selection, std::stop_token stop = {});
// Sums exchanges by operation, in the same order; an exchange without an operation is a separate row. Messages and cycles are
// sums, too. `kind` is empty if an operation has several. Only single exchanges have partners, executions and a busiest tile.
std::vector<ExchangeUse> byOperation(const std::vector<ExchangeUse>& uses);

bool isExchangeCode(reports::MemoryCategory category); // internal, global or host
// Bytes of exchange code that belongs to no exchange: code that starts a run and sends the run's counters to the host. Counts the
// selected tiles (all if empty); `uses` are the exchanges on the same tiles. 0 if the report does not have exchange code by tile.
Bytes codeOfNoExchange(const TileMemory& byCategory, std::span<const ExchangeUse> uses, std::span<const TileId> selection);

} // namespace analyser::memory
