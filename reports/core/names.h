// The words for the values of an enumeration, in a table of pairs, for reading and writing them.
#pragma once

#include "reports/core/error.h"
#include "reports/core/join.h"

#include <string>
#include <utility>

namespace reports {

// Throws Error(InvalidInput) listing all words; `what` begins the message, e.g. "no optimiser is".
template<class E, std::size_t N>
E valueCalled(const std::pair<E, const char*> (&names)[N], const std::string& word, const std::string& what) {
  for (const auto& [value, name] : names)
    if (word == name) return value;
  throw Error(ErrorCode::InvalidInput, what + " called '" + word + "'", "",
              "known: " + joined(names, [](const auto& pair) { return pair.second; }));
}
template<class E, std::size_t N> const char* nameOf(const std::pair<E, const char*> (&names)[N], E value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return "";
}

} // namespace reports
