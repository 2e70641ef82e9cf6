// Durations typed on the command line.
#pragma once

#include <cstdint>
#include <string>

namespace app::cli {

// "+3ms", "-20us", "1.5s", "100" (nanoseconds). Throws Error(InvalidInput) naming the option.
int64_t nanosecondsOf(const std::string& text, const std::string& option);

} // namespace app::cli
