// A range [begin, end) of a tensor's elements in row-major order.
#pragma once

#include <cstddef>
#include <ostream>

namespace poplar {

template<class T> struct GenericInterval {
  using ValueType = T;

  GenericInterval() : m_lower(0), m_upper(0) {}
  GenericInterval(T begin, T end) : m_lower(begin), m_upper(end) {}
  const T& begin() const { return m_lower; }
  const T& end() const { return m_upper; }
  const T& lower() const { return m_lower; }
  const T& upper() const { return m_upper; }
  const T& lowerBound() const { return m_lower; }
  const T& upperBound() const { return m_upper; }
  T size() const { return T(m_upper - m_lower); }
  bool empty() const { return !(m_lower < m_upper); }

private:
  T m_lower, m_upper;
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
