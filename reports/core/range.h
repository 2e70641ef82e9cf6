// A half-open range [begin, end) of anything countable.
#pragma once

#include <algorithm>
#include <cstdint>

namespace reports {

template<class T> struct Range {
  T begin{}, end{};
  constexpr bool empty() const { return !(begin < end); }
  constexpr auto size() const { return end - begin; }
  constexpr bool contains(T v) const { return !(v < begin) && v < end; }
  constexpr bool overlaps(const Range& o) const { return begin < o.end && o.begin < end; }
  constexpr Range clippedTo(const Range& o) const {
    Range r{std::max(begin, o.begin), std::min(end, o.end)};
    if (r.end < r.begin) r.end = r.begin;
    return r;
  }
  constexpr bool operator==(const Range&) const = default;
};

using TickRange = Range<int64_t>; // cycles or nanoseconds, depending on the track

} // namespace reports
