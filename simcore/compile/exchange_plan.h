// Time and code of an exchange. The fabric is statically scheduled: one word per tile and cycle in each direction (two words in,
// if both tiles of a bus need the same data). So a tile's time is the larger of its bytes in and out plus a cost per change of
// sender, and its code grows with its messages (ipu-reference 5.2 to 5.4).
#pragma once

#include "simcore/compile/lowered_program.h"

namespace simcore::compile {

// Busy cycles by tile.
PerTile internalExchangeCycles(const arch::Machine& machine, const Exchange& exchange);
// Code by tile: 4 + 4 per 64 words for each message sent, 12 per message received, 16 to enter and leave.
PerTile exchangeCode(const Exchange& exchange);
// Packets and code bytes for moving one memory range per tile from or to the host, as in a published stack for the C600
// (osmarks/ipu-stack, ipu-codegen/src/exchange/program/host.rs). The ranges follow one another in the host's buffer, each at a
// multiple of 64 bytes. Long packets have whole blocks, at most 1024 bytes to the device and 256 bytes to the host, and stay
// within a page; a short packet takes the rest. A sending tile ends with an empty read. Before the transfer the host gets one
// request per column of bus pairs with participating tiles. Code: entry, mux, count and completion, 48 bytes; a send per packet
// to the device; header, payload and pause per packet to the host.
struct HostTransferCost {
  PerTile packets, codeBytes;
};
HostTransferCost hostTransferCost(const arch::Machine& machine, const PerTile& bytes, bool toDevice);
inline constexpr int64_t kHostHeaderBytes = 8; // two words per packet, same source
// The three barriers of a transfer, on every tile that waits for it.
inline constexpr int64_t kHostBarrierCode = 3 * 4;
// Cycles of an exchange between IPUs over links: a fixed set-up, the pieces of the flow with the most pieces, then the busiest
// link (simcore/compile/ipu_links.h) or tile. All participating tiles wait for it.
Cycles globalExchangeCycles(const arch::Machine& machine, const Exchange& exchange);

} // namespace simcore::compile
