// Names come from files of strangers: any bytes. This is where they become text that can be shown and printed safely.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reports {

// Valid UTF-8: each malformed byte becomes U+FFFD; overlong forms and surrogates count as malformed. Valid text is unchanged.
std::string validUtf8(std::string_view bytes);

// For showing on one line: control characters (also line ends and NUL) become their code such as \x0a, and characters that
// reverse the direction of the text around them become \u202e and the like. Cut to `limit` characters with an ellipsis.
std::string displayText(std::string_view bytes, std::size_t limit = 4096);

// "1 tile", "12 tiles": nobody wants to read "tile(s)".
inline std::string counted(int64_t n, std::string_view one, std::string_view many) {
  return std::to_string(n).append(" ").append(n == 1 ? one : many);
}
inline std::string counted(int64_t n, const std::string& one) { return counted(n, one, one + "s"); }

} // namespace reports
