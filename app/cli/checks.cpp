#include "app/cli/checks.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace app::cli {

namespace {
template<class T> bool reads(const std::string& text, T& value) {
  const char *end = text.data() + text.size(), *begin = text.data() + (text.starts_with("+") ? 1 : 0);
  const auto [at, error] = std::from_chars(begin, end, value);
  return error == std::errc() && at == end;
}
} // namespace

CLI::Validator isNotNegative() {
  return CLI::Validator(
      [](std::string& text) {
        double value = 0;
        return reads(text, value) && std::isfinite(value) && value >= 0 ? std::string()
                                                                        : "'" + text + "' is not a number of 0 or more";
      },
      "NONNEGATIVE", "nonNegative");
}

CLI::Validator isBetween(double least, double most) {
  const std::string range = fmt::format("{} to {}", least, most);
  return CLI::Validator(
      [=](std::string& text) {
        double value = 0;
        return reads(text, value) && value >= least && value <= most ? std::string()
                                                                     : "'" + text + "' is not a number from " + range;
      },
      fmt::format("FLOAT in [{} - {}]", least, most), "between");
}

CLI::Validator isNamed() {
  return CLI::Validator([](std::string& text) { return text.empty() ? std::string("a name is missing") : std::string(); }, "",
                        "named");
}

CLI::Validator isWholeNumber() {
  return CLI::Validator(
      [](std::string& text) {
        int64_t value = 0;
        return reads(text, value) ? std::string() : "'" + text + "' is not a whole number of 64 bits";
      },
      "", "wholeNumber");
}

} // namespace app::cli
