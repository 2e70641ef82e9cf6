// A tree of numbers, texts, lists and maps: the older form of profiles.
#pragma once

#include "poplar/OptionFlags.hpp"
#include "poplar/StringRef.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace poplar {

namespace core {
struct ProfileSource; // the engine that was profiled
}

// Throws poplar_error for another type than the value has.
class ProfileValue {
public:
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // BOOL is a type of tensors too
#endif
  enum class Type { BOOL, BOOL_ = BOOL, VECTOR, MAP, NUMBER, STRING, UNDEF };
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
  using Boolean = bool;
  using Number = double;
  using String = std::string;
  using Vector = std::vector<ProfileValue>;
  using Map = std::map<std::string, ProfileValue>;

  ProfileValue() = default;
  ProfileValue(bool value) : m_type(Type::BOOL), m_number(value) {}
  ProfileValue(int value) : m_type(Type::NUMBER), m_number(value) {}
  ProfileValue(unsigned value) : m_type(Type::NUMBER), m_number(value) {}
  ProfileValue(long value) : m_type(Type::NUMBER), m_number(double(value)) {}
  ProfileValue(unsigned long value) : m_type(Type::NUMBER), m_number(double(value)) {}
  ProfileValue(long long value) : m_type(Type::NUMBER), m_number(double(value)) {}
  ProfileValue(unsigned long long value) : m_type(Type::NUMBER), m_number(double(value)) {}
  ProfileValue(double value) : m_type(Type::NUMBER), m_number(value) {}
  ProfileValue(String text) : m_type(Type::STRING), m_text(std::move(text)) {}
  ProfileValue(const char* text) : m_type(Type::STRING), m_text(text) {}
  ProfileValue(Vector values) : m_type(Type::VECTOR), m_vector(std::move(values)) {}
  ProfileValue(Map values) : m_type(Type::MAP), m_map(std::move(values)) {}

  Type type() const { return m_type; }
  bool asBool() const;
  double asDouble() const;
  std::int64_t asInt() const { return std::int64_t(asDouble()); }
  std::uint64_t asUint() const { return std::uint64_t(asDouble()); }
  const String& asString() const;
  const Vector& asVector() const;
  const Map& asMap() const;
  const ProfileValue& operator[](const std::string& key) const; // the value of a key in a map
  const ProfileValue& operator[](const char* key) const { return (*this)[std::string(key)]; }
  const ProfileValue& operator[](std::size_t index) const; // an element of a vector
  const ProfileValue& operator[](int index) const { return (*this)[std::size_t(index)]; }
  const ProfileValue* getOrNull(const std::string& key) const;
  std::size_t size() const;
  std::vector<unsigned> toUintVector() const;
  double sumDouble() const { return sumNumbers(); }
  std::int64_t sumInt() const { return std::int64_t(sumNumbers()); }
  std::uint64_t sumUint() const { return std::uint64_t(sumNumbers()); }
  std::int64_t sum2DInt() const { return sumInt(); }
  std::uint64_t sum2DUint() const { return sumUint(); }
  Number sumNumbers() const; // the sum of all numbers in this value, at any depth
  bool operator==(const ProfileValue& other) const;
  bool operator!=(const ProfileValue& other) const { return !(*this == other); }

private:
  friend struct core::ProfileSource;
  Type m_type = Type::UNDEF;
  double m_number = 0;
  String m_text;
  Vector m_vector;
  Map m_map;
  std::shared_ptr<const core::ProfileSource> m_source;
};

void serializeToJSON(std::ostream& out, const ProfileValue& value, bool prettyPrint = false);
std::ostream& operator<<(std::ostream& out, const ProfileValue& value);
// Print the text of Engine::printProfileSummary, or one part of it. Throw poplar_error for a value that does not come from
// Engine::getGraphProfile() or getExecutionProfile().
void printGraphSummary(std::ostream& out, const ProfileValue& graphProfile, const OptionFlags& options = {});
void printExecutionSummary(std::ostream& out, const ProfileValue& graphProfile, const ProfileValue& executionProfile,
                           const OptionFlags& options = {});
void printProfileSummary(std::ostream& out, const ProfileValue& graphProfile, const ProfileValue& executionProfile,
                         const OptionFlags& options = {});

} // namespace poplar
