// Vector types of the machine.
#pragma once

#include <tilescope_builtins.h>

typedef __ipu_half half;
typedef __ipu_half2 half2;
typedef __ipu_half4 half4;
typedef __ipu_float2 float2;
typedef __ipu_float4 float4;
typedef __ipu_int2 int2;
typedef __ipu_uint2 uint2;
typedef __ipu_short2 short2;
typedef __ipu_short4 short4;
#define __IPU_TYPE__(element, name, count) typedef element name __IPU_VECTOR__(element, count)
__IPU_TYPE__(__ipu_half, half8, 8);
__IPU_TYPE__(int, int4, 4);
__IPU_TYPE__(unsigned, uint4, 4);
__IPU_TYPE__(unsigned short, ushort2, 2);
__IPU_TYPE__(unsigned short, ushort4, 4);
__IPU_TYPE__(signed char, char2, 2);
__IPU_TYPE__(signed char, char4, 4);
__IPU_TYPE__(unsigned char, uchar2, 2);
__IPU_TYPE__(unsigned char, uchar4, 4);
__IPU_TYPE__(long, long2, 2);
__IPU_TYPE__(long, long4, 4);
__IPU_TYPE__(unsigned long, ulong2, 2);
__IPU_TYPE__(unsigned long, ulong4, 4);
__IPU_TYPE__(long long, longlong2, 2);
__IPU_TYPE__(long long, longlong4, 4);
__IPU_TYPE__(unsigned long long, ulonglong2, 2);
#undef __IPU_TYPE__
typedef unsigned rptsize_t;

#ifdef __cplusplus
#include <limits>

constexpr half operator""_h(long double value) { return static_cast<half>(value); }

// A half has no infinity: what is too large becomes NaN or the largest number, by a control register.
template<> class std::numeric_limits<half> {
public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false, has_infinity = false,
                        has_quiet_NaN = true, has_signaling_NaN = false, is_iec559 = false, is_bounded = true, is_modulo = false,
                        has_denorm_loss = false, traps = false, tinyness_before = false;
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5, radix = 2, min_exponent = -13, max_exponent = 16,
                       min_exponent10 = -4, max_exponent10 = 4;
  static constexpr float_denorm_style has_denorm = denorm_present;
  static constexpr float_round_style round_style = round_indeterminate;
  static constexpr half max() noexcept { return 65504.0_h; }
  static constexpr half lowest() noexcept { return -65504.0_h; }
  static constexpr half min() noexcept { return 0.0_h; }                           // as popc has it, not 2^-14
  static constexpr half denorm_min() noexcept { return 0.00000005960464477539_h; } // 2^-24
  static constexpr half epsilon() noexcept { return 0.0009765625_h; }              // 2^-10
  static constexpr half round_error() noexcept { return 1.0_h; }                   // with stochastic rounding
  static constexpr half infinity() noexcept { return static_cast<half>(numeric_limits<float>::infinity()); }
  static constexpr half quiet_NaN() noexcept { return static_cast<half>(numeric_limits<float>::quiet_NaN()); }
  static constexpr half signaling_NaN() noexcept { return quiet_NaN(); }
};
#endif
