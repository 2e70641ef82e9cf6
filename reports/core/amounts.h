// Amounts from a file (cycles, bytes, counts: never negative) and arithmetic on them. A negative amount, or a sum or product
// beyond 64 bits, is Error(Damaged) naming `what`, e.g. "table run, cycles". So no figure is wrong because of an overflow.
#pragma once

#include "reports/core/packed.h"
#include "reports/core/range.h"

#include <algorithm>
#include <string_view>

namespace reports {

int64_t addAmounts(int64_t a, int64_t b, std::string_view what);
int64_t multiplyAmounts(int64_t a, int64_t b, std::string_view what);
// Like unpackRuns(), for values from 0 to 2^40: their sum over the largest number of tiles is below 2^63.
std::vector<int64_t> unpackAmounts(std::span<const uint8_t> bytes, std::size_t count, std::string_view what);

// Amounts in their stored form, for readers of thousands of columns: a column of 94,208 tiles takes 750 kB as a vector, and a few
// hundred bytes as runs.
class AmountRuns {
public:
  AmountRuns(std::span<const uint8_t> bytes, std::size_t count, std::string_view what);
  const std::vector<ValueRun>& runs() const { return m_runs; }
  std::size_t size() const { return m_runs.empty() ? 0 : m_runs.back().end; }
  int64_t at(std::size_t tile) const; // below size()
  int64_t sum() const { return sumOf({0, int64_t(size())}); }
  int64_t sumOf(Range<int64_t> tiles) const;
  int64_t positive() const; // number of values above 0
  ValueRun most() const;    // the first run of the largest value; empty for an empty column
  std::vector<int64_t> values() const;

private:
  std::vector<ValueRun> m_runs;
};

// Calls f(begin, end, a, b) for each range of tiles in which both columns are constant. The columns have equal size.
template<class F> void forEachStretch(const AmountRuns& a, const AmountRuns& b, F f) {
  auto second = b.runs().begin();
  for (const ValueRun& first : a.runs())
    for (std::size_t at = first.begin; at < first.end && second != b.runs().end();) {
      const std::size_t end = std::min(first.end, second->end);
      f(at, end, first.value, second->value);
      if (second->end == end) ++second;
      at = end;
    }
}

} // namespace reports
