// Slices of a thread that wait in memory until their track is written, in about 10 bytes each instead of 32.
#pragma once

#include "reports/exchange/trace_assembly.h"

namespace reports::exchange {

inline constexpr int64_t kSlicesAsTheyAre = 2'000'000; // of a trace; fewer need no packing, which costs 70 ns a slice
inline constexpr std::size_t kSlicesToPack = 65'536;   // of a thread

// Moves `track.slices` to `track.packed` once there are kSlicesToPack. Nothing may refer to their indices; every slice must end after it
// starts and have no level.
void packSlices(TraceTrack& track);
// Puts all back, in the order they came in.
void unpackSlices(TraceTrack& track);

} // namespace reports::exchange
