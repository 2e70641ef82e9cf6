// The value of one pixel column of a StepPlot when several positions share it. Free functions, so that the rule "no peak
// is lost" is tested without a pixel.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace ui::plot {

// The position in [first, last] with the largest sum; the first one if several are equal.
int64_t columnPeak(std::span<const int64_t> sums, int64_t first, int64_t last);
// Lowest and highest value in [first, last].
std::pair<int64_t, int64_t> columnSpan(std::span<const int64_t> values, int64_t first, int64_t last);

} // namespace ui::plot
