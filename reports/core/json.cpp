#include "reports/core/json.h"

#include "reports/core/error.h"

#include <nlohmann/json.hpp>

namespace reports {

namespace {
// Line and column (1-based) of a byte offset.
std::string placeOf(std::string_view text, std::size_t byte) {
  std::size_t line = 1, column = 1;
  for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

template<class Json> std::string printed(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}
} // namespace

std::string jsonText(const nlohmann::json& value, int indent) { return printed(value, indent); }
std::string jsonText(const nlohmann::ordered_json& value, int indent) { return printed(value, indent); }

nlohmann::json parseJsonBounded(std::string_view text, const std::string& where, const JsonLimits& limits) {
  if (text.size() > limits.maxBytes)
    throw Error(ErrorCode::InvalidInput,
                "JSON of " + std::to_string(text.size()) + " bytes is larger than the limit of " +
                    std::to_string(limits.maxBytes),
                where);
  bool tooDeep = false;
  auto guard = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth > limits.maxDepth) tooDeep = true;
    return !tooDeep;
  };
  try {
    nlohmann::json value = nlohmann::json::parse(text, guard);
    if (tooDeep)
      throw Error(ErrorCode::InvalidInput, "JSON is nested deeper than " + std::to_string(limits.maxDepth) + " levels", where);
    return value;
  } catch (const nlohmann::json::parse_error& e) {
    throw Error(ErrorCode::InvalidInput, "not valid JSON", where + ": " + placeOf(text, e.byte));
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorCode::InvalidInput, std::string("not valid JSON: ") + e.what(), where);
  }
}

} // namespace reports
