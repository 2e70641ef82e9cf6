// Halves of the host: their two bytes from a float, and back.
#pragma once

#include <cstdint>

namespace popfloat {
namespace experimental {

// Rounds to the nearest half, ties to even. Values beyond its range become infinity, or the largest half if `enableNanoo` is off.
std::uint16_t singleToHalf(float value, bool enableNanoo = true);
float halfToSingle(std::uint16_t half);

} // namespace experimental
} // namespace popfloat
