#include "reports/exchange/poplar_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace reports::exchange {

using nlohmann::json;

const json& memberOr(const json& object, const char* name) {
  static const json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

const json& memberOr(const json& object, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const json& member = memberOr(object, name); !member.is_null()) return member;
  return memberOr(json(), "");
}

const json& listOr(const json& object, const char* name) {
  static const json none = json::array();
  const json& member = memberOr(object, name);
  return member.is_array() ? member : none;
}

int64_t numberOr(const json& value, int64_t otherwise) {
  if (!value.is_number()) return otherwise;
  const double real = value.get<double>();
  return std::isfinite(real) && real >= 0 ? int64_t(std::min(std::round(real), double(kMostPoplarNumber))) : otherwise;
}

std::string textOr(const json& value, const std::string& otherwise) {
  return value.is_string() ? value.get<std::string>() : otherwise;
}

std::vector<int64_t> numbersOf(const json& value, std::size_t count) {
  if (!value.is_array() || value.size() != count || count == 0 || !value[0].is_number()) return {};
  std::vector<int64_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = numberOr(value[i], 0);
  return numbers;
}

} // namespace reports::exchange
