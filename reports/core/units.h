// Quantities with a unit in their type, so that cycles and bytes cannot be mixed by accident. Each is one int64, without
// overhead.
#pragma once

#include <compare>
#include <cstdint>

namespace reports {

template<class Tag> class Quantity {
public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(int64_t v) : m_value(v) {}
  constexpr int64_t value() const { return m_value; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity o) {
    m_value += o.m_value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    m_value -= o.m_value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.m_value + b.m_value); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.m_value - b.m_value); }
  friend constexpr Quantity operator*(Quantity a, int64_t k) { return Quantity(a.m_value * k); }
  friend constexpr Quantity operator*(int64_t k, Quantity a) { return a * k; }
  friend constexpr Quantity operator/(Quantity a, int64_t k) { return Quantity(a.m_value / k); }
  // a / b; b must not be zero.
  friend constexpr double ratio(Quantity a, Quantity b) { return double(a.m_value) / double(b.m_value); }

private:
  int64_t m_value = 0;
};

using Cycles = Quantity<struct CyclesTag>;
using Bytes = Quantity<struct BytesTag>;
using Nanoseconds = Quantity<struct NanosecondsTag>;

// Work in floating-point operations (add 1, multiply 1, multiply-accumulate 2).
using Flops = Quantity<struct FlopsTag>;

// Rounds up to a whole multiple; `grain` is positive.
constexpr int64_t ceilDiv(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }
constexpr int64_t roundUp(int64_t a, int64_t grain) { return ceilDiv(a, grain) * grain; }

} // namespace reports
