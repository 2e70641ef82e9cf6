// Lifetimes as bars over program steps, without a widget. The axis of steps is the plot's, pixel for pixel, so that a bar is
// below its steps of the curve; a lifetime of one step is at least two pixels wide.
#pragma once

#include "analyser/liveness/liveness.h"
#include "reports/core/range.h"

#include <span>
#include <vector>

namespace ui::liveness {

// The axis of steps: step s covers [s, s + 1), and [begin, end) is shown in the pixels [left, right).
struct StepAxis {
  double begin = 0, end = 1;
  double left = 0, right = 0;

  bool isEmpty() const { return !(end > begin && right > left); }
  double xOf(double step) const { return left + (step - begin) * (right - left) / (end - begin); }
  int64_t stepAt(double x) const;
};

struct LifetimeBar {
  int row = 0;
  double left = 0, right = 0;
};

// Bars of all visible rows, clipped to the axis, by row and step.
std::vector<LifetimeBar> lifetimeBars(const std::vector<analyser::liveness::Lifetime>& lifetimes, const StepAxis& axis);

// Position of a row's name of `wide` pixels: after its bars, else before or between them, else on the longest.
struct NamePlace {
  double left = 0, room = 0;
  bool isOnBar = false, isBefore = false;
};
NamePlace namePlace(const StepAxis& axis, std::span<const LifetimeBar> bars, double wide);
// Rows whose variable is live at a step, in order.
std::vector<int> rowsAliveAt(const std::vector<analyser::liveness::Lifetime>& lifetimes, int64_t step);
// The liveness step of a program step; -1 if the step is not a leaf.
int64_t ordinalOf(const std::vector<analyser::liveness::Step>& steps, reports::ProgramStepId step);

} // namespace ui::liveness
