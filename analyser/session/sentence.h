// A sentence whose numbers and names are still values: the window prints it in the units of its user and shortens names to the
// available width; the command line prints text(). Built by streaming parts into it.
#pragma once

#include "reports/core/units.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace analyser {

class Sentence {
public:
  // A name of the report: foreign text, shortened in the middle if the width is too small.
  struct Name {
    std::string text;
  };
  struct Percent {
    double fraction = 0;
  };
  // A difference, printed with its sign.
  template<class Quantity> struct Change { Quantity value; };
  using Part = std::variant<std::string, Name, Percent, int64_t, reports::Bytes, reports::Cycles, reports::Nanoseconds,
                            Change<reports::Bytes>, Change<reports::Cycles>>;
  static constexpr std::size_t kNameWidth = 60;

  Sentence() = default;
  Sentence(const char* words) { *this << words; }
  Sentence& operator<<(Part part) {
    m_parts.push_back(std::move(part));
    return *this;
  }
  Sentence& append(const Sentence& other) {
    m_parts.insert(m_parts.end(), other.m_parts.begin(), other.m_parts.end());
    return *this;
  }
  bool empty() const { return m_parts.empty(); }
  const std::vector<Part>& parts() const { return m_parts; }
  // In cycles and KiB, as in text reports; names are at most `nameWidth` characters long.
  std::string text(std::size_t nameWidth = kNameWidth) const;

private:
  std::vector<Part> m_parts;
};

} // namespace analyser
