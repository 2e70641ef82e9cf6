// IEEE 754 binary16 and bfloat16 as storage types. Arithmetic is always in float: a Half stores a float rounded to nearest, ties
// to even, exactly like the machine's store of an fp16 result.
#pragma once

#include <bit>
#include <cstdint>

namespace simcore::numerics {

// The bits of the half nearest to `value`. Overflow gives infinity, a NaN stays a (quiet) NaN.
constexpr std::uint16_t halfBits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return std::uint16_t(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  if (magnitude >= 0x477ff000u) return std::uint16_t(sign | 0x7c00u); // 65520 and above round to infinity
  if (magnitude < 0x38800000u) {                                      // below 2^-14: a denormal half or zero
    if (magnitude < 0x33000000u) return std::uint16_t(sign);
    const std::uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u, shift = 126u - (magnitude >> 23);
    const std::uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1u), tie = 1u << (shift - 1u);
    return std::uint16_t(sign | (kept + ((rest > tie || (rest == tie && (kept & 1u))) ? 1u : 0u)));
  }
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return std::uint16_t(sign | ((rounded - 0x38000000u) >> 13));
}

constexpr float halfValue(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t(bits & 0x8000u) << 16, exponent = (bits >> 10) & 0x1fu, mantissa = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent) return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (mantissa << 13));
  const float magnitude = float(mantissa) * 5.9604644775390625e-8f; // 2^-24, exact
  return sign ? -magnitude : magnitude;
}

class Half {
public:
  constexpr Half() = default;
  constexpr explicit Half(float value) : m_bits(halfBits(value)) {}
  static constexpr Half fromBits(std::uint16_t bits) {
    Half half;
    half.m_bits = bits;
    return half;
  }
  constexpr std::uint16_t bits() const { return m_bits; }
  constexpr explicit operator float() const { return halfValue(m_bits); }

private:
  std::uint16_t m_bits = 0;
};

// The upper half of a float, rounded to nearest even.
class BFloat16 {
public:
  constexpr BFloat16() = default;
  constexpr explicit BFloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
      m_bits = std::uint16_t((bits >> 16) | 0x40u);
    else
      m_bits = std::uint16_t((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
  static constexpr BFloat16 fromBits(std::uint16_t bits) {
    BFloat16 value;
    value.m_bits = bits;
    return value;
  }
  constexpr std::uint16_t bits() const { return m_bits; }
  constexpr explicit operator float() const { return std::bit_cast<float>(std::uint32_t(m_bits) << 16); }

private:
  std::uint16_t m_bits = 0;
};

static_assert(sizeof(Half) == 2 && sizeof(BFloat16) == 2);

} // namespace simcore::numerics
