// Conversions on the host between a float and the two bytes of a half.
#pragma once

#include <cstdint>

namespace popfloat {
namespace experimental {

// Rounds to the nearest half, ties to even. Values beyond its range become infinity, or the largest half if `enableNanoo` is off.
std::uint16_t singleToHalf(float value, bool enableNanoo = true);
float halfToSingle(std::uint16_t half);

} // namespace experimental
} // namespace popfloat
