// Rounds arithmetic results to fp16 according to the floating-point control register. Stochastic rounding rounds up with a
// probability equal to the part that is cut off, using random bits of the machine's generator: the same seed gives the same
// values.
#pragma once

#include "simcore/graph/program.h"

#include <cstdint>
#include <span>

namespace simcore::run {

// Rounds in place to values that a half can represent exactly. `result` numbers the results of a run, so that no two share random
// bits.
void roundToHalf(std::span<float> values, const graph::FloatingPointBehaviour& behaviour, uint64_t seed, uint64_t result);

} // namespace simcore::run
