// Names come from untrusted files and may contain any bytes. These functions turn them into text that is safe to show and print.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reports {

// Valid UTF-8: each malformed byte becomes U+FFFD; overlong forms and surrogates count as malformed. Valid text is unchanged.
std::string validUtf8(std::string_view bytes);

// The byte offset of each character; a malformed byte counts as one.
std::vector<std::size_t> characterStarts(std::string_view text);
// The width of the text in a text table, in columns.
inline std::size_t characterCount(std::string_view text) { return characterStarts(text).size(); }
// Appends a code point; surrogates and numbers beyond Unicode become U+FFFD.
void appendCharacter(std::string& text, char32_t character);

// For display on one line: control characters (also line ends and NUL) become their code such as \x0a, and characters that
// reverse the direction of the surrounding text become \u202e and the like. Cut to `limit` characters with an ellipsis.
std::string displayText(std::string_view bytes, std::size_t limit = 4096);

// "1 tile", "12 tiles", instead of "tile(s)".
inline std::string counted(int64_t n, std::string_view one, std::string_view many) {
  return std::to_string(n).append(" ").append(n == 1 ? one : many);
}
inline std::string counted(int64_t n, const std::string& one) { return counted(n, one, one + "s"); }

// The parts of a name between slashes: {"h.0", "attn", "MatMul"} for "/h.0/attn/MatMul". No part is empty. At most `most` parts:
// the rest of the name stays in the last.
std::vector<std::string> pathParts(std::string_view path, std::size_t most = 32);

} // namespace reports
