// Lists in sentences and tables: "conv1, conv2, fc".
#pragma once

#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

namespace reports {

// Joins `textOf(element)` (text or a number) of all elements, in order, with `separator` between them.
template<class Range, class TextOf = std::identity>
std::string joined(const Range& range, TextOf textOf = {}, std::string_view separator = ", ") {
  std::string text;
  for (auto it = std::begin(range); it != std::end(range); ++it) {
    if (it != std::begin(range)) text += separator;
    const auto& word = std::invoke(textOf, *it);
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(word)>>)
      text += fmt::to_string(word);
    else
      text += word;
  }
  return text;
}

} // namespace reports
