// Gives slices their depth on a track, so that slices of one depth are disjoint and a slice lies below those around it.
#pragma once

#include "reports/exchange/trace_assembly.h"
#include "reports/rows/slice_track.h"

namespace reports::exchange {

// Slices of a thread nest by time: of two that start together the longer lies outside, of equals the smaller `order`. Adds them to
// `builder`, moved by `shift`; sorts `slices`. `points` are indices into `flowPoints` of the flow points on this track: they are bound to
// the deepest slice around their time, or to the next one that starts. Returns how many slices overlap another without lying within it.
int64_t layOutThread(std::vector<TraceSlice>& slices, int64_t shift, SliceTrackBuilder& builder,
                     std::vector<FlowPoint>& flowPoints, std::vector<std::size_t>& points);

// Groups of asynchronous work share lanes where they do not overlap: a group needs as many lanes as it has levels.
void layOutAsync(std::vector<TraceSlice>& slices, int64_t shift, SliceTrackBuilder& builder);

} // namespace reports::exchange
