// Options and profile values as JSON.
#include "poplar/OptionFlags.hpp"
#include "poplar/ProfileValue.hpp"
#include "poplar/exceptions.hpp"
#include "reports/core/error.h"
#include "reports/core/json.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <iterator>

namespace poplar {

void readJSON(StringRef text, OptionFlags& options) {
  try {
    const auto json = reports::parseJsonBounded(text.cloneAsString(), "options");
    if (!json.is_object()) throw parse_error("options must be a JSON object");
    for (const auto& [name, value] : json.items())
      options.set(name, value.is_string() ? value.get<std::string>() : reports::jsonText(value));
  } catch (const reports::Error& error) {
    throw parse_error(error.what());
  }
}
void readJSONFromEnv(StringRef variable, OptionFlags& options) {
  if (const char* text = std::getenv(variable.cloneAsString().c_str())) readJSON(StringRef(text), options);
}
void readJSON(std::istream& in, OptionFlags& options) {
  readJSON(std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}, options);
}
std::ostream& operator<<(std::ostream& out, const OptionFlags& options) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : options) json[name] = value;
  return out << reports::jsonText(json);
}

namespace {
[[noreturn]] void refuse(const char* wanted) { throw poplar_error(std::string("a value of the profile is not a ") + wanted); }

nlohmann::ordered_json jsonOf(const ProfileValue& value) {
  switch (value.type()) {
  case ProfileValue::Type::BOOL: return value.asBool();
  case ProfileValue::Type::NUMBER:
    if (const double d = value.asDouble(); d == std::floor(d) && std::abs(d) < 9e15) return int64_t(d);
    return value.asDouble();
  case ProfileValue::Type::STRING: return value.asString();
  case ProfileValue::Type::VECTOR: {
    auto json = nlohmann::ordered_json::array();
    for (const auto& v : value.asVector()) json.push_back(jsonOf(v));
    return json;
  }
  case ProfileValue::Type::MAP: {
    auto json = nlohmann::ordered_json::object();
    for (const auto& [key, v] : value.asMap()) json[key] = jsonOf(v);
    return json;
  }
  case ProfileValue::Type::UNDEF: break;
  }
  return nullptr;
}
} // namespace

bool ProfileValue::asBool() const {
  if (m_type != Type::BOOL) refuse("bool");
  return m_number != 0;
}
double ProfileValue::asDouble() const {
  if (m_type != Type::NUMBER && m_type != Type::BOOL) refuse("number");
  return m_number;
}
const ProfileValue::String& ProfileValue::asString() const {
  if (m_type != Type::STRING) refuse("text");
  return m_text;
}
const ProfileValue::Vector& ProfileValue::asVector() const {
  if (m_type != Type::VECTOR) refuse("list");
  return m_vector;
}
const ProfileValue::Map& ProfileValue::asMap() const {
  if (m_type != Type::MAP) refuse("map");
  return m_map;
}
const ProfileValue* ProfileValue::getOrNull(const std::string& key) const {
  const auto it = m_map.find(key);
  return it == m_map.end() ? nullptr : &it->second;
}
const ProfileValue& ProfileValue::operator[](const std::string& key) const {
  const ProfileValue* value = getOrNull(key);
  if (!value) throw poplar_error("the profile has no value '" + key + "'");
  return *value;
}
const ProfileValue& ProfileValue::operator[](std::size_t index) const {
  if (index >= asVector().size()) throw index_error("a list of the profile has no element " + std::to_string(index));
  return m_vector[index];
}
std::size_t ProfileValue::size() const { return m_type == Type::MAP ? m_map.size() : asVector().size(); }
std::vector<unsigned> ProfileValue::toUintVector() const {
  std::vector<unsigned> all;
  for (const ProfileValue& v : asVector()) all.push_back(unsigned(v.asUint()));
  return all;
}
double ProfileValue::sumNumbers() const {
  if (m_type == Type::NUMBER) return m_number;
  double sum = 0;
  for (const auto& v : m_vector) sum += v.sumNumbers();
  for (const auto& [key, v] : m_map) sum += v.sumNumbers();
  return sum;
}
bool ProfileValue::operator==(const ProfileValue& other) const {
  return m_type == other.m_type && m_number == other.m_number && m_text == other.m_text && m_vector == other.m_vector &&
         m_map == other.m_map;
}

void serializeToJSON(std::ostream& out, const ProfileValue& value, bool prettyPrint) {
  out << reports::jsonText(jsonOf(value), prettyPrint ? 2 : -1);
}
std::ostream& operator<<(std::ostream& out, const ProfileValue& value) {
  serializeToJSON(out, value);
  return out;
}

} // namespace poplar
