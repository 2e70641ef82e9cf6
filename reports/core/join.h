// Lists in sentences and tables: "conv1, conv2, fc".
#pragma once

#include <fmt/ranges.h>

#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace reports {

// Joins `textOf(element)` (text or a number) of all elements, in order, with `separator` between them.
template<class Range, class TextOf = std::identity>
std::string joined(const Range& range, TextOf textOf = {}, std::string_view separator = ", ") {
  std::vector<std::decay_t<std::invoke_result_t<TextOf&, decltype(*std::begin(range))>>> words;
  for (const auto& element : range) words.push_back(std::invoke(textOf, element));
  return fmt::format("{}", fmt::join(words, separator));
}

} // namespace reports
