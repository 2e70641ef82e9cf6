#include "ui/views/liveness/liveness_geometry.h"

#include <algorithm>

namespace ui::liveness {

std::vector<LifetimeBar> lifetimeBars(const std::vector<analyser::liveness::Lifetime>& lifetimes, reports::Range<int64_t> visible,
                                      double width) {
  std::vector<LifetimeBar> bars;
  if (visible.empty()) return bars;
  const double scale = width / double(visible.size());
  for (std::size_t row = 0; row < lifetimes.size(); ++row)
    for (const auto& interval : lifetimes[row].intervals) {
      const auto part = interval.clippedTo(visible);
      if (part.empty()) continue;
      const double left = double(part.begin - visible.begin) * scale;
      bars.push_back({int(row), left, std::min(width, std::max(left + 2, double(part.end - visible.begin) * scale))});
    }
  return bars;
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
