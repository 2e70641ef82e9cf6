// The bits of a half, and conversions to and from numbers.
#pragma once

#include <tilescope_builtins.h>

#include <cstdint>

namespace poplar {

class IeeeHalf {
public:
  IeeeHalf(float value) : m_value(static_cast<__ipu_half>(value)) {}
  static IeeeHalf fromBits(uint16_t bits) {
    IeeeHalf result(0.0f);
    __builtin_memcpy(&result.m_value, &bits, sizeof bits);
    return result;
  }
  uint16_t bit16() const {
    uint16_t bits;
    __builtin_memcpy(&bits, &m_value, sizeof bits);
    return bits;
  }
  operator float() const { return static_cast<float>(m_value); }

private:
  __ipu_half m_value;
};

} // namespace poplar
