// The common input of the parts of a time view: the positions of its bands, the visible time, and the format of times.
#pragma once

#include "ui/plot/overview_frame.h"
#include "ui/plot/time_scale.h"

#include <QRect>

#include <optional>

namespace ui::theme {
class Theme;
}

namespace ui::plot {

// From the top: minimap, flags, axis, body. The gutter is at their left, the scroll bar at the right of the body.
struct TimeLayout {
  static constexpr int kScrollWidth = 12;
  QRect minimap() const;
  QRect markers() const;
  QRect axis() const;
  QRect body() const;

  QSize size; // of the widget
  int gutter = 192;
  bool hasMinimap = true, hasMarkers = false, hasAxis = true;
};

// Ticks as text.
struct TickFormat {
  QString duration(int64_t ticks) const;
  QString exact(int64_t ticks) const;
  QString at(int64_t tick, double ticksPerPixel) const; // time at the pointer, with enough digits to tell pixels apart
  TimeTicks ticks(const TimeScale& scale) const;

  // Profiles draw bytes or counts instead of times.
  struct Amount {
    bool isBytes = false;
    int64_t ticksPerUnit = 1;
  };

  theme::Format format;
  std::optional<Amount> amount;
  bool isNanoseconds = false; // host traces count nanoseconds, not cycles
  bool isWithoutUnit = false; // ticks may be cycles or nanoseconds: no unit is shown
};

struct TimeScene {
  TimeScale scale() const { return {visible, layout.body().width()}; }
  int64_t tickAt(int x) const { return scale().tickAt(x - layout.gutter); } // of the widget
  OverviewFrame::Part visiblePart() const;

  const theme::Theme& theme;
  const TickFormat& format;
  TimeLayout layout;
  reports::TickRange extent, visible;
  int scrolled = 0; // pixels of the content that are scrolled out above the body
  double ratio = 1; // screen pixels per widget pixel
};

} // namespace ui::plot
