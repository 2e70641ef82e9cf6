// Measures that come from a file (cycles, bytes, counts: never negative) and what is computed of them. A negative one and a sum or
// product beyond 64 bits are Error(Damaged) naming `what`, e.g. "table run, cycles": a figure is right or absent, never wrapped.
#pragma once

#include "reports/core/packed.h"

#include <string_view>

namespace reports {

int64_t addAmounts(int64_t a, int64_t b, std::string_view what);
int64_t multiplyAmounts(int64_t a, int64_t b, std::string_view what);
// As unpackRuns(), of values from 0 to 2^40: those of all tiles there can be sum to less than 2^63.
std::vector<int64_t> unpackAmounts(std::span<const uint8_t> bytes, std::size_t count, std::string_view what);

} // namespace reports
