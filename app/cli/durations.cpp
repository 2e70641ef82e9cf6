#include "app/cli/durations.h"

#include "reports/core/error.h"

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace app::cli {

int64_t nanosecondsOf(const std::string& text, const std::string& option) {
  static const std::pair<std::string_view, double> units[] = {{"ns", 1},   {"us", 1e3}, {"µs", 1e3},
                                                              {"ms", 1e6}, {"s", 1e9},  {"", 1}};
  const char* const begin = text.data() + (text.starts_with("+") ? 1 : 0);
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto parsed = std::from_chars(begin, end, value);
  const std::string_view unit(parsed.ptr, std::size_t(end - parsed.ptr));
  for (const auto& [name, factor] : units)
    if (parsed.ec == std::errc() && unit == name && std::abs(value * factor) < 1e18) return std::llround(value * factor);
  throw reports::Error(reports::ErrorCode::InvalidInput, "'" + text + "' is not a duration", option,
                       "write for example 3ms, 20us or 1.5s");
}

} // namespace app::cli
