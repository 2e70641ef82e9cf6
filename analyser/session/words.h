// Titles inside sentences.
#pragma once

#include <cctype>
#include <string>

namespace analyser {

// "Vertex code" becomes "vertex code"; "IPU 3" stays.
inline std::string lowerFirst(std::string title) {
  const auto isUpper = [&](std::size_t at) { return at < title.size() && std::isupper(static_cast<unsigned char>(title[at])); };
  if (isUpper(0) && !isUpper(1)) title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
  return title;
}

} // namespace analyser
