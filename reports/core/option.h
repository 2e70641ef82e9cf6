// Options of a run by name, independent of their spelling in a program. Layers below the programs write {option shape} in the
// location and advice of an error or in a text; the command line shows it as --shape.
#pragma once

#include <string>
#include <string_view>

namespace reports {

inline constexpr std::string_view kOptionMark = "{option ";

// The mark of an option in a text: {option shape} for "shape".
inline std::string option(std::string_view name) { return std::string(kOptionMark).append(name).append("}"); }
// Whether the location of an error is an option.
inline bool isOption(std::string_view place) { return place.starts_with(kOptionMark); }

// The text with every mark replaced by `spell(name)` of its option.
template<class Spell> std::string withOptions(std::string_view text, Spell spell) {
  std::string result;
  for (std::size_t at = 0;;) {
    const std::size_t mark = text.find(kOptionMark, at), end = mark == text.npos ? mark : text.find('}', mark);
    if (end == text.npos) return result.append(text.substr(at));
    const std::string_view name = text.substr(mark + kOptionMark.size(), end - mark - kOptionMark.size());
    result.append(text.substr(at, mark - at)).append(spell(name));
    at = end + 1;
  }
}

// Replaces every mark by the option's name, for readers who do not use the command line.
inline std::string withOptionNames(std::string_view text) {
  return withOptions(text, [](std::string_view name) { return std::string(name); });
}

} // namespace reports
