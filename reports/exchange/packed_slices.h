// Slices of a thread that are kept in memory until their track is written, in about 10 bytes each instead of 32.
#pragma once

#include "reports/exchange/trace_assembly.h"

namespace reports::exchange {

inline constexpr int64_t kSlicesAsTheyAre = 2'000'000; // slices of a trace; with fewer, packing is not worth its 70 ns per slice
inline constexpr std::size_t kSlicesToPack = 65'536;   // threads with at least as many slices are packed

// Moves `track.slices` to `track.packed` once there are kSlicesToPack. Their indices must not be in use; every slice must end
// after it starts and have no level.
void packSlices(TraceTrack& track);
// Moves all slices back to `track.slices`, in their original order.
void unpackSlices(TraceTrack& track);

} // namespace reports::exchange
