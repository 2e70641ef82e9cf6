// Options by name, kept in the order of their names.
#pragma once

#include "poplar/StringRef.hpp"
#include "poplar/exceptions.hpp"

#include <initializer_list>
#include <map>
#include <ostream>
#include <string>
#include <utility>

namespace poplar {

class OptionFlags {
public:
  using OptionFlag = std::pair<const std::string, std::string>;
  using initializer_list = std::initializer_list<OptionFlag>;
  using iterator = std::map<std::string, std::string>::const_iterator;

  OptionFlags() = default;
  OptionFlags(initializer_list values) { set(values); }

  // If a name occurs several times, its last value counts.
  void set(initializer_list values) {
    for (const OptionFlag& value : values) m_values[value.first] = value.second;
  }
  void set(StringRef name, StringRef value) { m_values[name.cloneAsString()] = value.cloneAsString(); }
  // Returns the value of an option. Throws invalid_option for a name that is not set.
  StringRef at(StringRef name) const {
    const iterator found = find(name);
    if (found == end()) throw invalid_option("OptionFlags::at: the option '" + name.cloneAsString() + "' is not set");
    return found->second;
  }
  iterator find(StringRef name) const { return m_values.find(name.cloneAsString()); }
  std::size_t size() const { return m_values.size(); }
  bool has(StringRef name) const { return m_values.count(name.cloneAsString()) > 0; }
  void clear() { m_values.clear(); }
  iterator begin() const { return m_values.begin(); }
  iterator end() const { return m_values.end(); }
  bool operator==(const OptionFlags& other) const { return m_values == other.m_values; }
  bool operator!=(const OptionFlags& other) const { return m_values != other.m_values; }
  bool operator<(const OptionFlags& other) const { return m_values < other.m_values; }

private:
  std::map<std::string, std::string> m_values;
};

// Reads options from a JSON object of names and values. Throws parse_error for invalid text.
void readJSON(StringRef text, OptionFlags& options);
void readJSON(std::istream& in, OptionFlags& options);
void readJSONFromEnv(StringRef variable, OptionFlags& options); // does nothing if the variable is not set
std::ostream& operator<<(std::ostream& out, const OptionFlags& options);

} // namespace poplar
