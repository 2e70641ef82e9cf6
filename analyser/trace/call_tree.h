// Slices of a range as a tree of nested calls, summed over tracks: threads of a host, or IPUs.
#pragma once

#include "analyser/trace/slices.h"

#include <span>

namespace analyser::trace {

struct CallNode {
  int parent = -1; // index into the list; -1: a root
  StringId name;
  uint8_t category = 0; // of its first slice: a channel of the host, or an activity
  int64_t count = 0;
  int64_t total = 0, self = 0; // ticks, clipped to the range; self: without the slices inside
};
struct CalledTrack {
  TrackId id;
  int depths = 0;
};

// Parents before children; siblings longest first. Counts only slices that overlap the range. If there are more than `limit`
// nodes, the deepest are left out; their time counts for their parents. So does the time of slices that `isShown` rejects. With
// `weigh`, totals are weights instead of ticks.
std::vector<CallNode> callTree(Slices& slices, std::span<const CalledTrack> tracks, TickRange range, std::size_t limit,
                               std::stop_token stop = {}, const std::function<bool(const Slice&)>& isShown = {},
                               const Weigh& weigh = {});

// The same time, bottom up: roots are the names with self time, children are their callers. The totals of the roots sum to the
// self times of `nodes`. At most `limit` nodes, as above.
std::vector<CallNode> bottomUp(const std::vector<CallNode>& nodes, std::size_t limit);
// The calls below one name from all its callers: one root, the name. Recursive calls stay below their caller. Empty if no node
// has the name.
std::vector<CallNode> withinName(const std::vector<CallNode>& nodes, StringId name);

} // namespace analyser::trace
