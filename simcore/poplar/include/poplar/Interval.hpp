// Elements [begin, end) of a tensor in its row-major order.
#pragma once

#include <cstddef>
#include <ostream>

namespace poplar {

template<class T> struct GenericInterval {
  using ValueType = T;

  GenericInterval() : lower(0), upper(0) {}
  GenericInterval(T begin, T end) : lower(begin), upper(end) {}
  const T& begin() const { return lower; }
  const T& end() const { return upper; }
  const T& lowerBound() const { return lower; }
  const T& upperBound() const { return upper; }
  T size() const { return T(upper - lower); }
  bool empty() const { return !(lower < upper); }

  T lower, upper;
};

template<class T> bool operator==(const GenericInterval<T>& a, const GenericInterval<T>& b) {
  return a.begin() == b.begin() && a.end() == b.end();
}
template<class T> bool operator!=(const GenericInterval<T>& a, const GenericInterval<T>& b) { return !(a == b); }
template<class T> bool operator<(const GenericInterval<T>& a, const GenericInterval<T>& b) {
  return a.begin() < b.begin() || (a.begin() == b.begin() && a.end() < b.end());
}
template<class T> std::ostream& operator<<(std::ostream& out, const GenericInterval<T>& interval) {
  return out << '[' << interval.begin() << ',' << interval.end() << ')';
}

using Interval = GenericInterval<std::size_t>;

} // namespace poplar
