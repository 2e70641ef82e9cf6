// The line that says whether the program fits and what fills the fullest tile; shared by Summary and Memory.
#pragma once

#include "analyser/memory/tile_memory.h"

namespace analyser::memory {

Sentence fitVerdict(Session& session, const TileMemory& memory, std::stop_token stop = {});
// The upper median; zero without values.
Bytes medianOf(std::vector<Bytes> values);

} // namespace analyser::memory
