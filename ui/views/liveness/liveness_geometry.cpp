#include "ui/views/liveness/liveness_geometry.h"

#include <algorithm>
#include <cmath>

namespace ui::liveness {

namespace {
constexpr double kBesideBar = 6; // pixels between a bar and its name
} // namespace

int64_t StepAxis::stepAt(double x) const {
  return isEmpty() ? -1 : int64_t(std::floor(begin + (x - left) * (end - begin) / (right - left)));
}

std::vector<LifetimeBar> lifetimeBars(const std::vector<analyser::liveness::Lifetime>& lifetimes, const StepAxis& axis) {
  std::vector<LifetimeBar> bars;
  if (axis.isEmpty()) return bars;
  for (std::size_t row = 0; row < lifetimes.size(); ++row)
    for (const auto& interval : lifetimes[row].intervals) {
      const double begin = std::max(double(interval.begin), axis.begin), end = std::min(double(interval.end), axis.end);
      if (end <= begin) continue;
      const double left = axis.xOf(begin);
      bars.push_back({int(row), left, std::min(axis.right, std::max(left + 2, axis.xOf(end)))});
    }
  return bars;
}

NamePlace namePlace(const StepAxis& axis, double firstLeft, double lastRight, double wide) {
  const double after = axis.right - lastRight - kBesideBar, before = firstLeft - kBesideBar - axis.left;
  const double on = lastRight - firstLeft - 2 * kBesideBar;
  if (after >= wide) return {lastRight + kBesideBar, wide, false, false};
  if (before >= wide) return {firstLeft - kBesideBar - wide, wide, false, true};
  if (on >= after && on >= before) return {firstLeft + kBesideBar, std::min(on, wide), true, false};
  if (after >= before) return {lastRight + kBesideBar, after, false, false};
  return {axis.left, before, false, true};
}

std::vector<int> rowsAliveAt(const std::vector<analyser::liveness::Lifetime>& lifetimes, int64_t step) {
  std::vector<int> rows;
  for (std::size_t row = 0; row < lifetimes.size(); ++row)
    if (std::any_of(lifetimes[row].intervals.begin(), lifetimes[row].intervals.end(),
                    [&](const auto& i) { return i.contains(step); }))
      rows.push_back(int(row));
  return rows;
}

int64_t ordinalOf(const std::vector<analyser::liveness::Step>& steps, reports::ProgramStepId step) {
  for (const auto& s : steps)
    if (s.programStep == step) return s.ordinal;
  return -1;
}

} // namespace ui::liveness
