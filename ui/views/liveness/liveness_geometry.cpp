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

NamePlace namePlace(const StepAxis& axis, std::span<const LifetimeBar> bars, double wide) {
  if (bars.empty()) return {axis.left + kBesideBar, axis.right - axis.left - kBesideBar, false, false};
  const double before = bars.front().left - kBesideBar - axis.left;
  std::vector<NamePlace> places{{bars.back().right + kBesideBar, axis.right - bars.back().right - kBesideBar, false, false},
                                {axis.left, before, false, true}};
  NamePlace on{0, 0, true, false};
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (i > 0)
      places.push_back({bars[i - 1].right + kBesideBar, bars[i].left - bars[i - 1].right - 2 * kBesideBar, false, false});
    const double room = bars[i].right - bars[i].left - 2 * kBesideBar;
    if (room > on.room) on = {bars[i].left + kBesideBar, room, true, false};
  }
  places.push_back(on);
  auto best = std::find_if(places.begin(), places.end(), [&](const NamePlace& p) { return p.room >= wide; });
  if (best == places.end())
    best = std::max_element(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.room < b.room; });
  if (best->isBefore && best->room > wide) best->left += best->room - wide; // right-aligned to the bar
  best->room = std::min(best->room, wide);
  return *best;
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
