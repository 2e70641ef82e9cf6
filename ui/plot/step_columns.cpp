#include "ui/plot/step_columns.h"

#include <algorithm>

namespace ui::plot {

int64_t columnPeak(std::span<const int64_t> sums, int64_t first, int64_t last) {
  first = std::max<int64_t>(first, 0), last = std::min(last, int64_t(sums.size()) - 1);
  if (first > last) return -1;
  return std::max_element(sums.begin() + first, sums.begin() + last + 1) - sums.begin();
}

std::pair<int64_t, int64_t> columnSpan(std::span<const int64_t> values, int64_t first, int64_t last) {
  first = std::max<int64_t>(first, 0), last = std::min(last, int64_t(values.size()) - 1);
  if (first > last) return {0, 0};
  const auto [low, high] = std::minmax_element(values.begin() + first, values.begin() + last + 1);
  return {*low, *high};
}

} // namespace ui::plot
