// Time and code of an exchange. The fabric is statically scheduled: one word a tile and cycle each way (two in, when both tiles of
// a bus want the same), so a tile's time is its larger side plus what each change of sender costs, and code grows with
// messages (ipu-reference 5.2 to 5.4).
#pragma once

#include "simcore/compile/lowered_program.h"

namespace simcore::compile {

// Busy cycles by tile.
PerTile internalExchangeCycles(const arch::Machine& machine, const Exchange& exchange);
// 4 + 4 per 64 words for each message sent, 12 per message received, 16 to enter and leave; by tile.
PerTile exchangeCode(const Exchange& exchange);
// Packets and cycles with which tiles move one stretch of memory each from or to the host, as a published stack for the C600 does it
// (osmarks/ipu-stack, ipu-codegen/src/exchange/program/host.rs). Stretches follow each other in the host's buffer, each on a
// block of 64 bytes. Long packets hold whole blocks, 1024 bytes at most on the way down and 256 on the way up, and stay in a
// page; a short one takes the rest. A tile that sends ends with an empty read. Before that the host is asked: one request for each
// column of bus pairs with tiles that take part. Code: entry, mux, count and completion, 48 bytes; a send each packet down;
// header, payload and pause each packet up.
struct HostTransferCost {
  PerTile packets, codeBytes;
};
HostTransferCost hostTransferCost(const arch::Machine& machine, const PerTile& bytes, bool toDevice);
inline constexpr int64_t kHostHeaderBytes = 8; // two words a packet, same source
// The three barriers of a transfer, on every tile that waits for it.
inline constexpr int64_t kHostBarrierCode = 3 * 4;
// Between IPUs over links: a fixed set-up and the pieces of the flow that has most, then the fullest link (simcore/compile/ipu_links.h)
// or tile decides; all tiles that take part wait for it.
Cycles globalExchangeCycles(const arch::Machine& machine, const Exchange& exchange);

} // namespace simcore::compile
