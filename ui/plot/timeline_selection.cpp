#include "ui/plot/timeline_selection.h"

#include <algorithm>

namespace ui::plot {

// A click may have selected one of several slices that are drawn as one. If it is the longest of them, it may extend beyond the
// drawn slice.
reports::TickRange TimelineSelection::meantBy(const Slice& drawn) const {
  const reports::TickRange whole{drawn.begin, drawn.end};
  const bool stands = whole.begin <= ticks.begin && ticks.end <= whole.end;
  const bool isLongest = drawn.count > 1 && drawn.id == id && whole.overlaps(ticks);
  return !ticks.empty() && (stands || isLongest) ? ticks : whole;
}

std::vector<Slice>::const_iterator TimelineSelection::in(const std::vector<Slice>& lane) const {
  const auto here = std::find_if(lane.begin(), lane.end(), [this](const Slice& s) { return s.id == id; });
  if (here != lane.end() || ticks.empty()) return here;
  return std::find_if(lane.begin(), lane.end(), [this](const Slice& s) { return s.begin <= ticks.begin && ticks.begin < s.end; });
}

std::optional<TimelineSlices::Hit> TimelineSelection::nextLane(const TimelineRows& rows, const TimelineSlices& slices,
                                                               reports::TickRange visible, int direction) const {
  if (row < 0 || id < 0 || std::size_t(row) >= slices.size()) return std::nullopt;
  const auto here = in(slices[std::size_t(row)]);
  const int64_t tick = here == slices[std::size_t(row)].end() ? visible.begin : std::max(here->begin, visible.begin);
  for (int to = row + direction; to >= 0 && std::size_t(to) < slices.size(); to += direction) {
    const auto& lane = slices[std::size_t(to)];
    auto next = std::partition_point(lane.begin(), lane.end(), [&](const Slice& s) { return s.end <= tick; });
    if (next == lane.end() && next != lane.begin()) --next;
    if (next == lane.end() || !visible.overlaps({next->begin, next->end})) continue; // skips an empty lane
    return TimelineSlices::Hit{rows.lanes()[std::size_t(to)].track, rows.lanes()[std::size_t(to)].lane, *next};
  }
  return std::nullopt;
}

std::optional<TimelineSlices::Hit> TimelineSelection::next(const TimelineRows& rows, const TimelineSlices& slices,
                                                           reports::TickRange visible, int direction) const {
  if (rows.lanes().empty()) return std::nullopt;
  const auto own = std::size_t(std::clamp(row, 0, int(rows.lanes().size()) - 1));
  if (own >= slices.size()) return std::nullopt;
  const auto& lane = slices[own];
  const auto here = in(lane);
  auto next = here;
  if (here == lane.end())
    next = std::find_if(lane.begin(), lane.end(), [&](const Slice& s) { return s.end > visible.begin; });
  else if (direction > 0)
    ++next;
  else if (here == lane.begin())
    return std::nullopt;
  else
    --next;
  if (next == lane.end()) return std::nullopt;
  return TimelineSlices::Hit{rows.lanes()[own].track, rows.lanes()[own].lane, *next};
}

} // namespace ui::plot
