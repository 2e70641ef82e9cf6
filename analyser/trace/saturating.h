// Sums of amounts in a report that may be damaged: an overflow gives the largest number, not undefined behaviour.
#pragma once

#include <cstdint>

namespace analyser::trace {

inline int64_t product(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}
inline int64_t sumOf(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? INT64_MAX : result;
}

} // namespace analyser::trace
