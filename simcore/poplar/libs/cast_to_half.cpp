#include "popfloat/experimental/CastToHalf.hpp"

#include "simcore/numerics/half.h"

#include <cmath>

namespace popfloat::experimental {

std::uint16_t singleToHalf(float value, bool enableNanoo) {
  constexpr float kLargest = 65504;
  if (!enableNanoo && std::abs(value) > kLargest) value = std::copysign(kLargest, value);
  return simcore::numerics::halfBits(value);
}
float halfToSingle(std::uint16_t half) { return simcore::numerics::halfValue(half); }

} // namespace popfloat::experimental
