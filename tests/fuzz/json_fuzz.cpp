// The bounded JSON entry point: any bytes give a value or an Error, and a value can be printed and parsed again.
#include "reports/core/error.h"
#include "reports/core/json.h"

#include <nlohmann/json.hpp>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using nlohmann::json;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  json value;
  try {
    value = reports::parseJsonBounded(text, "fuzz");
  } catch (const reports::Error&) {
    return 0;
  }
  const std::string printed = value.dump(-1, ' ', false, json::error_handler_t::replace);
  const json again = reports::parseJsonBounded(printed, "fuzz again");
  if (again.dump(-1, ' ', false, json::error_handler_t::replace) != printed) std::abort();
  return 0;
}
