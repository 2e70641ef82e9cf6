#include "reports/core/amounts.h"

#include "reports/core/error.h"
#include "reports/core/expand_runs.h"

#include <algorithm>
#include <string>

namespace reports {

namespace {
constexpr int64_t kMostOfATile = int64_t(1) << 40;

[[noreturn]] void impossibleAmount(const std::string& message, std::string_view what) {
  throw Error(ErrorCode::Damaged, message, std::string(what), "the report was made by a faulty program or is damaged");
}
void requireAmounts(int64_t a, int64_t b, std::string_view what) {
  if (a < 0 || b < 0) impossibleAmount("impossible value " + std::to_string(std::min(a, b)), what);
}
} // namespace

int64_t addAmounts(int64_t a, int64_t b, std::string_view what) {
  requireAmounts(a, b, what);
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) impossibleAmount("a total beyond 64 bits", what);
  return sum;
}

int64_t multiplyAmounts(int64_t a, int64_t b, std::string_view what) {
  requireAmounts(a, b, what);
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) impossibleAmount("a total beyond 64 bits", what);
  return product;
}

std::vector<int64_t> unpackAmounts(std::span<const uint8_t> bytes, std::size_t count, std::string_view what) {
  return AmountRuns(bytes, count, what).values();
}

AmountRuns::AmountRuns(std::span<const uint8_t> bytes, std::size_t count, std::string_view what)
    : m_runs(unpackAsRuns(bytes, count, what)) {
  for (const ValueRun& run : m_runs)
    if (run.value < 0 || run.value > kMostOfATile)
      impossibleAmount("impossible value " + std::to_string(run.value) + " of tile " + std::to_string(run.begin), what);
}

int64_t AmountRuns::at(std::size_t tile) const {
  const auto after =
      std::upper_bound(m_runs.begin(), m_runs.end(), tile, [](std::size_t t, const ValueRun& run) { return t < run.begin; });
  return std::prev(after)->value;
}

int64_t AmountRuns::sumOf(Range<int64_t> tiles) const {
  auto run = std::lower_bound(m_runs.begin(), m_runs.end(), tiles.begin,
                              [](const ValueRun& r, int64_t t) { return int64_t(r.end) <= t; });
  int64_t sum = 0;
  for (; run != m_runs.end() && int64_t(run->begin) < tiles.end; ++run)
    sum += run->value * Range<int64_t>{int64_t(run->begin), int64_t(run->end)}.clippedTo(tiles).size();
  return sum;
}

int64_t AmountRuns::positive() const {
  int64_t count = 0;
  for (const ValueRun& run : m_runs) count += run.value > 0 ? int64_t(run.end - run.begin) : 0;
  return count;
}

ValueRun AmountRuns::most() const {
  const auto most =
      std::max_element(m_runs.begin(), m_runs.end(), [](const ValueRun& a, const ValueRun& b) { return a.value < b.value; });
  return most == m_runs.end() ? ValueRun() : *most;
}

std::vector<int64_t> AmountRuns::values() const { return expandRuns(m_runs); }

} // namespace reports
