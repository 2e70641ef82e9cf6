// Converts text to JSON and back, for all code: depth and size are bounded, errors name line and column. (nlohmann_json 3.11.2
// parses any depth but crashes when a deep value is copied or printed.)
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace reports {

struct JsonLimits {
  std::size_t maxBytes = 64u << 20;
  int maxDepth = 64;
};

// `where` names the file or option for the error. Throws Error(InvalidInput).
nlohmann::json parseJsonBounded(std::string_view text, const std::string& where, const JsonLimits& limits = {});

// JSON to text: on one line, or each level indented by `indent` spaces. Bytes that are not UTF-8 become U+FFFD. Use it instead of
// the library's own printer, which is compiled again in every source that calls it.
std::string jsonText(const nlohmann::json& value, int indent = -1);
std::string jsonText(const nlohmann::ordered_json& value, int indent = -1);

} // namespace reports
