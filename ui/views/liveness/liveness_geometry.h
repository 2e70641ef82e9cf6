// Lifetimes as bars over program steps, without a widget. The axis of steps is the plot's, so both show the same range; a
// lifetime of one step stays at least two pixels wide.
#pragma once

#include "analyser/liveness/liveness.h"
#include "reports/core/range.h"

#include <vector>

namespace ui::liveness {

struct LifetimeBar {
  int row = 0;
  double left = 0, right = 0;
};

// Bars of all rows that touch `visible`, clipped to it; `width` pixels show it.
std::vector<LifetimeBar> lifetimeBars(const std::vector<analyser::liveness::Lifetime>& lifetimes, reports::Range<int64_t> visible,
                                      double width);
// Rows alive at a step, in order.
std::vector<int> rowsAliveAt(const std::vector<analyser::liveness::Lifetime>& lifetimes, int64_t step);
// The liveness step of a program step; -1 if it is no leaf.
int64_t ordinalOf(const std::vector<analyser::liveness::Step>& steps, reports::ProgramStepId step);

} // namespace ui::liveness
