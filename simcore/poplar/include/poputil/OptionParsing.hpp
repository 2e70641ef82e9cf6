// Reads options of a library into variables. For programs in C++17.
#pragma once

#include "poplar/StringRef.hpp"
#include "poplar/exceptions.hpp"

#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#endif

namespace poplibs {

// Each throws poplar::invalid_option for text that is not a valid value.
namespace parse {
template<class T> T asInteger(const poplar::StringRef& text) {
  const std::string word = text.cloneAsString();
  std::istringstream in(word);
  T value = T();
  if (word.compare(0, 2, "0x") == 0) in >> std::hex;
  in >> value;
  if (in.fail() || !in.eof()) throw poplar::invalid_option("'" + word + "' is not a whole number");
  return value;
}
template<class T> T asFloatingPoint(const poplar::StringRef& text) {
  std::istringstream in(text.cloneAsString());
  T value = T();
  in >> value;
  if (in.fail()) throw poplar::invalid_option("'" + text.cloneAsString() + "' is not a number");
  return value;
}
template<class T> T asEnum(const poplar::StringRef& text, const std::map<std::string, T>& values) {
  const auto found = values.find(text.cloneAsString());
  if (found != values.end()) return found->second;
  std::string all;
  for (const auto& each : values) all += (all.empty() ? "" : ", ") + each.first;
  throw poplar::invalid_option("'" + text.cloneAsString() + "' is not one of " + all);
}
inline bool asBool(const poplar::StringRef& text) {
  return asEnum<bool>(text, std::map<std::string, bool>{{"true", true}, {"false", false}});
}
} // namespace parse

// Reads the value of an option into a variable.
class OptionHandler {
public:
  template<class F> OptionHandler(F f) : m_take(std::move(f)) {}
  void parseValue(poplar::StringRef value) const { m_take(value); }

  template<class T> static OptionHandler createWithEnum(T& output, std::map<std::string, T> values) {
    return OptionHandler([&output, values](poplar::StringRef value) { output = parse::asEnum<T>(value, values); });
  }
  template<class T> static OptionHandler createWithInteger(T& output) {
    return OptionHandler([&output](poplar::StringRef value) { output = T(parse::asInteger<long long>(value)); });
  }
  template<class T> static OptionHandler createWithBool(T& output) {
    return OptionHandler([&output](poplar::StringRef value) { output = T(parse::asBool(value)); });
  }
  template<class T>
  static void ensureValueIsWithinBounds(T value, const T& lower, bool lowerIncluded, const T& upper, bool upperIncluded) {
    if (value < lower || (!lowerIncluded && value == lower) || value > upper || (!upperIncluded && value == upper))
      throw poplar::invalid_option(std::to_string(value) + " is not between " + std::to_string(lower) + " and " +
                                   std::to_string(upper));
  }
  template<class T>
  static OptionHandler createWithDouble(T& output, double lower = std::numeric_limits<double>::lowest(),
                                        bool lowerIncluded = true, double upper = std::numeric_limits<double>::max(),
                                        bool upperIncluded = true) {
    return OptionHandler([&output, lower, lowerIncluded, upper, upperIncluded](poplar::StringRef text) {
      const double value = parse::asFloatingPoint<double>(text);
      ensureValueIsWithinBounds(value, lower, lowerIncluded, upper, upperIncluded);
      output = T(value);
    });
  }
  static OptionHandler createWithString(std::string& output) {
    return OptionHandler([&output](poplar::StringRef value) { output = value.cloneAsString(); });
  }
  template<class T> static OptionHandler createWithList(std::vector<T>& output) { // values separated by commas
    return OptionHandler([&output](poplar::StringRef text) {
      std::istringstream in(text.cloneAsString());
      for (std::string word; std::getline(in, word, ',');) output.push_back(parse::asInteger<T>(poplar::StringRef(word)));
    });
  }

private:
  std::function<void(poplar::StringRef)> m_take;
};

// The options of a library. Throws poplar::invalid_option for an unknown name, unless unknown names are ignored.
class OptionSpec {
public:
  OptionSpec(std::initializer_list<std::pair<const std::string, OptionHandler>> handlers)
      : m_handlers(handlers.begin(), handlers.end()) {}
  void parse(poplar::StringRef option, poplar::StringRef value, bool ignoreUnknown = false) const {
    const auto found = m_handlers.find(option.cloneAsString());
    if (found == m_handlers.end()) {
      if (ignoreUnknown) return;
      throw poplar::invalid_option("unknown option '" + option.cloneAsString() + "'");
    }
    try {
      found->second.parseValue(value);
    } catch (const poplar::invalid_option& error) {
      throw poplar::invalid_option("option '" + option.cloneAsString() + "': " + error.what());
    }
  }

private:
  std::map<std::string, OptionHandler> m_handlers;
};

#if __cplusplus >= 201703L
template<class T>
OptionHandler createOptionalDoubleHandler(std::optional<T>& output, double lower = std::numeric_limits<double>::lowest(),
                                          bool lowerIncluded = true, double upper = std::numeric_limits<double>::max(),
                                          bool upperIncluded = true) {
  return OptionHandler([&output, lower, lowerIncluded, upper, upperIncluded](poplar::StringRef text) {
    const double value = parse::asFloatingPoint<double>(text);
    OptionHandler::ensureValueIsWithinBounds(value, lower, lowerIncluded, upper, upperIncluded);
    output = T(value);
  });
}
template<class T> OptionHandler createOptionalEnumHandler(std::optional<T>& output, std::map<std::string, T> values) {
  return OptionHandler([&output, values](poplar::StringRef text) {
    if (text.cloneAsString() == "none")
      output = std::nullopt;
    else
      output = parse::asEnum<T>(text, values);
  });
}
#endif

} // namespace poplibs
