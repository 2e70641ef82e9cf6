// The 8-bit floats as storage types, like the 16-bit ones in half.h: the machine's F143 and F152 (Poplar's QUARTER), called
// FLOAT8E4M3FNUZ and FLOAT8E5M2FNUZ in ONNX, and ONNX's other two. Definition: Noune et al. 2022, arXiv 2206.02915, table 1 and
// section 2; ONNX "Float stored in 8 bits". Values are rounded to nearest, ties to even; values that are too large become the
// largest number.
#pragma once

#include <bit>
#include <cstdint>

namespace simcore::numerics {

// Codes that are not numbers. Fnuz: only 0x80 (no negative zero). Fn: all ones. Ieee: the largest exponent is infinity and NaN.
enum class Float8Specials { Fnuz, Fn, Ieee };

template<int kMantissaBits, int kBias, Float8Specials kSpecials> class Float8 {
public:
  constexpr Float8() = default;
  constexpr explicit Float8(float value) : m_bits(bitsOf(value, true)) {}
  static constexpr Float8 fromBits(std::uint8_t bits) {
    Float8 value;
    value.m_bits = bits;
    return value;
  }
  // Values that are too large become infinity, or NaN for types without infinity (Cast with saturate = 0).
  static constexpr Float8 unsaturated(float value) { return fromBits(bitsOf(value, false)); }
  constexpr std::uint8_t bits() const { return m_bits; }
  constexpr explicit operator float() const { return valueOf(m_bits); }
  static constexpr float largest() { return valueOf(kLargest); }

private:
  static constexpr std::uint8_t kInfinity = 0x7c; // for Float8Specials::Ieee
  static constexpr std::uint8_t kLargest = kSpecials == Float8Specials::Fnuz ? 0x7f
                                           : kSpecials == Float8Specials::Fn ? 0x7e
                                                                             : kInfinity - 1;
  static constexpr std::uint8_t kNan = kSpecials == Float8Specials::Fnuz ? 0x80 : 0x7f;

  static constexpr std::uint8_t bitsOf(float value, bool saturates) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint8_t sign = bits >> 31 ? 0x80 : 0;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const bool isFnuz = kSpecials == Float8Specials::Fnuz;
    if (magnitude > 0x7f800000u) return isFnuz ? kNan : std::uint8_t(sign | kNan);
    // In units of the last place for this magnitude; below the normal numbers, in units of the last place of the smallest normal
    // number.
    const int field = int(magnitude >> 23) - 127 + kBias, exponent = field > 1 ? field : 1;
    const int shift = 23 - kMantissaBits + exponent - field;
    std::uint32_t code = 0x100; // too large
    if (shift > 24) {
      code = 0;
    } else if (exponent < 64) {
      const std::uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u, tie = 1u << (shift - 1);
      const std::uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1u);
      code = (std::uint32_t(exponent - 1) << kMantissaBits) + kept + ((rest > tie || (rest == tie && (kept & 1u))) ? 1u : 0u);
    }
    if (code > kLargest) code = saturates ? kLargest : kSpecials == Float8Specials::Ieee ? kInfinity : kNan;
    if (isFnuz && (code == 0 || code == kNan)) return std::uint8_t(code);
    return std::uint8_t(sign | code);
  }

  static constexpr float valueOf(std::uint8_t bits) {
    const std::uint32_t sign = std::uint32_t(bits & 0x80u) << 24, code = bits & 0x7fu;
    const bool isNan = kSpecials == Float8Specials::Fnuz ? bits == kNan
                       : kSpecials == Float8Specials::Fn ? code == kNan
                                                         : code > kInfinity;
    if (isNan) return std::bit_cast<float>(sign | 0x7fc00000u);
    if (kSpecials == Float8Specials::Ieee && code == kInfinity) return std::bit_cast<float>(sign | 0x7f800000u);
    const std::uint32_t exponent = code >> kMantissaBits, mantissa = code & ((1u << kMantissaBits) - 1u);
    if (exponent) return std::bit_cast<float>(sign | ((exponent + 127u - kBias) << 23) | (mantissa << (23 - kMantissaBits)));
    const float magnitude = float(mantissa) * std::bit_cast<float>(std::uint32_t(128 - kBias - kMantissaBits) << 23);
    return sign ? -magnitude : magnitude;
  }

  std::uint8_t m_bits = 0;
};

using F8E4M3Fnuz = Float8<3, 8, Float8Specials::Fnuz>;  // F143: up to 240
using F8E5M2Fnuz = Float8<2, 16, Float8Specials::Fnuz>; // F152: up to 57,344
using F8E4M3Fn = Float8<3, 7, Float8Specials::Fn>;      // up to 448
using F8E5M2 = Float8<2, 15, Float8Specials::Ieee>;     // up to 57,344

static_assert(sizeof(F8E4M3Fnuz) == 1);

} // namespace simcore::numerics
