// Assigns slices to lanes of a track: slices of one lane are disjoint, and a slice is in a deeper lane than the slices around it.
// Lanes do not always nest: a slice that partly overlaps others takes the first free lane.
#pragma once

#include "reports/exchange/trace_assembly.h"
#include "reports/rows/slice_track.h"

namespace reports::exchange {

struct LayoutCounts {
  int64_t overlapping = 0; // slices that overlap another one without being inside it
  int64_t cut = 0;         // slices for which all lanes were taken: they share the last one, where overlaps are cut
};

// Slices of a thread nest by time: of two with the same start, the longer one is outside; if they are equal, the one with the
// smaller `order`. Adds them to `builder`, moved by `shift`; sorts `slices`. `points` are indices into `flowPoints` of the flow
// points on this track. A point binds to the deepest slice around its time, or to the next slice that starts. Points of instants
// are not changed.
LayoutCounts layOutThread(std::vector<TraceSlice>& slices, int64_t shift, SliceTrackBuilder& builder,
                          std::vector<FlowPoint>& flowPoints, const std::vector<std::size_t>& points);

// Groups of asynchronous work share lanes if they do not overlap: a group needs as many lanes as it has levels.
LayoutCounts layOutAsync(std::vector<TraceSlice>& slices, int64_t shift, SliceTrackBuilder& builder);

// Sets levels and groups of the slices from `first` on, all of one asynchronous id: overlapping slices form a group. `group` is
// the number of the last one.
void groupAsync(std::vector<TraceSlice>& slices, std::size_t first, uint32_t& group);

} // namespace reports::exchange
