// Time and code of an exchange. The fabric is statically scheduled: one word a tile and cycle each way (two in, when both tiles of
// a bus want the same), so a tile's time is its larger side plus what each change of sender costs, and code grows with
// messages (ipu-reference 5.2 to 5.4).
#pragma once

#include "simcore/compile/lowered.h"

namespace simcore::compile {

// Busy cycles by tile.
PerTile internalExchangeCycles(const arch::Machine& machine, const Exchange& exchange);
// 4 + 4 per 64 words for each message sent, 12 per message received, 16 to enter and leave; by tile.
PerTile exchangeCode(const Exchange& exchange);
// What a tile needs to move one stretch of memory from or to the host, as a published stack for the C600 does it: long packets
// hold whole blocks of 64 bytes, 1024 at most on the way down and 256 on the way up; a short one takes the rest. A tile
// that sends ends with an empty read. Code: entry, mux, count and completion, 48 bytes; a send each packet down; header, payload
// and pause each packet up. (osmarks/ipu-stack, ipu-codegen/src/exchange/program/host.rs.)
struct HostTransferCost {
  int64_t packets = 0, codeBytes = 0;
};
HostTransferCost hostTransferCost(int64_t bytes, bool toDevice);
inline constexpr int64_t kHostHeaderBytes = 8; // two words a packet, same source
// Before that the host is asked: one request of two words for each half of a column of tiles that has some that take part, sent
// by one of them. `takesPart` has a value on those; the result counts requests by tile.
PerTile hostRequests(const arch::Machine& machine, const PerTile& takesPart);
// The three barriers of a transfer, on every tile that waits for it.
inline constexpr int64_t kHostBarrierCode = 3 * 4;
// Between IPUs over links: a fixed set-up, then the fullest link (simcore/compile/ladder.h) or tile decides; all tiles that
// take part wait for it.
Cycles globalExchangeCycles(const arch::Machine& machine, const Exchange& exchange);

} // namespace simcore::compile
