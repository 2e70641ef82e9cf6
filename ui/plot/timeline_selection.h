// The selected slice of a timeline: the drawn slice that represents it, and the next one for each arrow key.
#pragma once

#include "ui/plot/timeline_slices.h"

namespace ui::plot {

struct TimelineSelection {
  // The range of the selected slice if the drawn one contains or represents it, else that of the drawn one.
  reports::TickRange meantBy(const Slice& drawn) const;
  // The drawn slice of a lane that is selected or that contains the selected slice; end: none.
  std::vector<Slice>::const_iterator in(const std::vector<Slice>& lane) const;
  // In the next lane above or below: the slice that covers the begin of the selected one, or the one nearest to it.
  std::optional<TimelineSlices::Hit> nextLane(const TimelineRows& rows, const TimelineSlices& slices, reports::TickRange visible,
                                              int direction) const;
  // The next slice of the selected lane; if the lane has no selected slice, its first visible one.
  std::optional<TimelineSlices::Hit> next(const TimelineRows& rows, const TimelineSlices& slices, reports::TickRange visible,
                                          int direction) const;

  int64_t id = -1;          // -1: none
  int row = -1;             // its lane by index of the rows; -1: unknown
  reports::TickRange ticks; // of the slice that was clicked
};

} // namespace ui::plot
