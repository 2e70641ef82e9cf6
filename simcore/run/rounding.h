// Rounding of arithmetic results to fp16 as the floating-point control register says. Stochastic rounding rounds up with the
// probability of the part that is cut off, with random bits from the machine's generator: the same seed gives the same values.
#pragma once

#include "simcore/graph/program.h"

#include <cstdint>
#include <span>

namespace simcore::run {

// In place; values end exactly representable in half. `result` numbers the results of a run, so that no two share random bits.
void roundToHalf(std::span<float> values, const graph::FloatingPointBehaviour& behaviour, uint64_t seed, uint64_t result);

} // namespace simcore::run
