#include "simcore/run/rounding.h"

#include "simcore/codelets/xoroshiro.h"
#include "simcore/numerics/half.h"

#include <cmath>
#include <limits>

namespace simcore::run {

namespace {
// Rounds up to the next half with a probability proportional to the distance from the lower one. `random` has thirteen bits, the
// number of mantissa bits that a float has more than a half.
float stochastic(float value, uint32_t random) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits & 0x80000000u, magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x47800000u) return value; // 65536 and above, infinities and NaN: handled by the store
  if (magnitude >= 0x38800000u)               // normal halves: adds below the last kept bit, then truncates
    return std::bit_cast<float>(sign | ((magnitude + random) & ~0x1fffu));
  const float units = std::bit_cast<float>(magnitude) * 0x1p24f; // in units of the smallest half
  const float kept = std::floor(units);
  const float up = (units - kept) * 8192 > float(random) ? 1.0f : 0.0f;
  return std::copysign((kept + up) * 0x1p-24f, value);
}
} // namespace

void roundToHalf(std::span<float> values, const graph::FloatingPointBehaviour& behaviour, uint64_t seed, uint64_t result) {
  auto generator = codelets::Xoroshiro128aox::forWorker(seed, 0, uint32_t(result), uint32_t(result >> 32) << 3);
  uint64_t random = 0;
  int left = 0;
  for (float& v : values) {
    if (behaviour.esr) {
      if (left == 0) random = generator.next(), left = 4;
      v = stochastic(v, uint32_t(random) & 0x1fffu);
      random >>= 16;
      --left;
    }
    const bool finite = std::isfinite(v);
    v = float(numerics::Half(v));
    if (behaviour.nanoo && finite && std::isinf(v)) v = std::numeric_limits<float>::quiet_NaN();
  }
}

} // namespace simcore::run
