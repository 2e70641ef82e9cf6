// The two bytes of a half as the host keeps them. Codelets have a class of this name in their own headers.
#pragma once

#include <cstdint>
#include <cstring>

namespace poplar {

class IeeeHalf {
public:
  IeeeHalf() : m_bits(0) {}
  IeeeHalf(float value); // rounded to nearest even
  static IeeeHalf fromBits(std::uint16_t bits) {
    IeeeHalf half;
    half.m_bits = bits;
    return half;
  }
  std::uint16_t bit16() const { return m_bits; }
  operator float() const;

private:
  std::uint16_t m_bits;
};

} // namespace poplar
