// Coordinates of a time view: 64-bit ticks to pixels and back, exact to the last tick. The window's start is subtracted before
// the conversion to floating point, so that single cycles stay exact even ten hours into a run.
#pragma once

#include "reports/core/range.h"
#include "ui/theme/format.h"

#include <QString>

#include <vector>

namespace ui::plot {

// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
double niceStep(double least);

class TimeScale {
public:
  TimeScale() = default;
  // An empty or inverted range becomes one tick wide, a width below 1 becomes 1.
  TimeScale(reports::TickRange visible, int width);

  reports::TickRange visible() const { return m_visible; }
  int width() const { return m_width; }
  double ticksPerPixel() const { return double(m_visible.size()) / m_width; }

  // Left edge of a tick, unclipped; exact for |tick - begin| below 2^53.
  double xOf(int64_t tick) const;
  // The pixel column a tick falls into, clipped to [-1, width].
  int columnOf(int64_t tick) const;
  // The tick under a pixel; tickAt(columnOf(t)) <= t.
  int64_t tickAt(double x) const;
  // Columns [begin, end) that an interval touches; at least one column if any of it is visible.
  reports::Range<int> columnsOf(reports::TickRange interval) const;

  // The visible range after zooming by `factor` (below 1: closer) with the tick under `x` kept in place, within `extent`. The
  // closest zoom is one tick per eight pixels.
  reports::TickRange zoomed(double factor, double x, reports::TickRange extent) const;
  // The visible range after moving by pixels (positive: later), stopped at the ends of `extent`.
  reports::TickRange panned(double pixels, reports::TickRange extent) const;

private:
  reports::TickRange m_visible{0, 1};
  int m_width = 1;
};

struct AxisTick {
  int64_t at = 0;
  QString label;
};

// Labelled ticks at 1, 2 or 5 times a power of ten, at least `spacing` pixels apart, in the unit that fits the zoom.
struct TimeTicks {
  std::vector<AxisTick> ticks;
  QString unit; // "cycles", "k cycles", "µs" …
};

// For axes in cycles; times if the format shows seconds.
TimeTicks timeTicks(const TimeScale& scale, const theme::Format& format, int spacing = 110);
// For axes in nanoseconds (host traces): always times.
TimeTicks nanosecondTicks(const TimeScale& scale, int spacing = 110);
// For axes of profiles: bytes in the unit that the format shows, or counts without a unit.
TimeTicks byteTicks(const TimeScale& scale, int64_t ticksPerByte, const theme::Format& format, int spacing = 110);
TimeTicks countTicks(const TimeScale& scale, int64_t ticksPerCount, int spacing = 110);

} // namespace ui::plot
