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
// Bytes of a packet to a tile and to the host at most (ipu-reference 6).
inline constexpr int64_t kHostPayloadDown = 1024, kHostPayloadUp = 256;
// Code of a transfer between tiles and the host; `takesPart` has a value on every tile of the IPUs that wait for it.
PerTile hostExchangeCode(const PerTile& bytes, bool toDevice, const PerTile& takesPart);
// Between IPUs over links: a fixed set-up, then the fullest link (simcore/compile/ladder.h) or tile decides; all tiles that
// take part wait for it.
Cycles globalExchangeCycles(const arch::Machine& machine, const Exchange& exchange);

} // namespace simcore::compile
