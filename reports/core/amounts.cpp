#include "reports/core/amounts.h"

#include "reports/core/error.h"

#include <algorithm>
#include <string>

namespace reports {

namespace {
constexpr int64_t kMostOfATile = int64_t(1) << 40;

[[noreturn]] void impossibleAmount(const std::string& message, std::string_view what) {
  throw Error(ErrorCode::Damaged, message, std::string(what), "the report was made by a faulty program or is damaged");
}
void requireAmounts(int64_t a, int64_t b, std::string_view what) {
  if (a < 0 || b < 0) impossibleAmount("impossible value " + std::to_string(std::min(a, b)), what);
}
} // namespace

int64_t addAmounts(int64_t a, int64_t b, std::string_view what) {
  requireAmounts(a, b, what);
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) impossibleAmount("a total beyond 64 bits", what);
  return sum;
}

int64_t multiplyAmounts(int64_t a, int64_t b, std::string_view what) {
  requireAmounts(a, b, what);
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) impossibleAmount("a total beyond 64 bits", what);
  return product;
}

std::vector<int64_t> unpackAmounts(std::span<const uint8_t> bytes, std::size_t count, std::string_view what) {
  auto values = unpackRuns(bytes, count, what);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < 0 || values[i] > kMostOfATile)
      impossibleAmount("impossible value " + std::to_string(values[i]) + " of tile " + std::to_string(i), what);
  return values;
}

} // namespace reports
