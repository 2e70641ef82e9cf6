// The selected slice of a timeline: which drawn slice stands for it, and which one is next.
#pragma once

#include "ui/plot/timeline_slices.h"

namespace ui::plot {

struct TimelineSelection {
  // The range of the selected slice if the drawn one contains or represents it, else that of the drawn one.
  reports::TickRange meantBy(const Slice& drawn) const;
  // The drawn slice of a lane that is selected, or that stands for the selected one among others; end: none.
  std::vector<Slice>::const_iterator in(const std::vector<Slice>& lane) const;
  // Of the next lane above or below, the slice that runs where the selected one begins, or the one nearest to it.
  std::optional<TimelineSlices::Hit> nextLane(const TimelineRows& rows, const TimelineSlices& slices, reports::TickRange visible,
                                              int direction) const;
  // Of the selected lane.
  std::optional<TimelineSlices::Hit> next(const TimelineRows& rows, const TimelineSlices& slices, reports::TickRange visible,
                                          int direction) const;

  int64_t id = -1;          // -1: none
  int row = -1;             // its lane by index of the rows; -1: unknown
  reports::TickRange ticks; // of a slice that was clicked
};

} // namespace ui::plot
