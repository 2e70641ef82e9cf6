#include "reports/core/text.h"

#include <utf8cpp/utf8.h>

#include <cstdio>

namespace reports {

namespace {
constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; // U+FFFD

// Calls `valid` with each stretch of valid UTF-8 and `malformed` with each byte in between.
template<class Valid, class Malformed> void scan(std::string_view bytes, Valid&& valid, Malformed&& malformed) {
  while (true) {
    const auto end = utf8::find_invalid(bytes.begin(), bytes.end());
    const auto length = std::size_t(end - bytes.begin());
    valid(bytes.substr(0, length));
    if (end == bytes.end()) return;
    malformed(bytes.substr(length, 1));
    bytes.remove_prefix(length + 1);
  }
}

bool changesDirection(char32_t c) {
  return c == 0x200E || c == 0x200F || c == 0x061C || c == 0xFEFF || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}
bool isControl(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029; }
} // namespace

std::string validUtf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  scan(
      bytes, [&](std::string_view valid) { text += valid; }, [&](std::string_view) { text += kReplacement; });
  return text;
}

std::vector<std::size_t> characterStarts(std::string_view text) {
  std::vector<std::size_t> starts;
  const auto add = [&](const char* at) { starts.push_back(std::size_t(at - text.data())); };
  scan(
      text,
      [&](std::string_view valid) {
        const char* const end = valid.data() + valid.size();
        for (const char* at = valid.data(); at != end; utf8::unchecked::next(at)) add(at);
      },
      [&](std::string_view byte) { add(byte.data()); });
  return starts;
}

void appendCharacter(std::string& text, char32_t character) {
  if (character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
    text += kReplacement;
  else
    utf8::unchecked::append(character, std::back_inserter(text));
}

std::string displayText(std::string_view bytes, std::size_t limit) {
  std::string text;
  const std::string valid = validUtf8(bytes);
  std::size_t characters = 0;
  for (auto at = valid.begin(); at != valid.end(); ++characters) {
    if (characters == limit) return text + "…";
    const auto begin = at;
    const char32_t c = utf8::unchecked::next(at);
    if (isControl(c) || changesDirection(c)) {
      char code[16];
      std::snprintf(code, sizeof code, c < 0x100 ? "\\x%02x" : "\\u%04x", unsigned(c));
      text += code;
    } else {
      text.append(begin, at);
    }
  }
  return text;
}

std::vector<std::string> pathParts(std::string_view path, std::size_t most) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t slash = parts.size() + 1 < most ? std::min(path.find('/', at), path.size()) : path.size();
    if (slash > at) parts.emplace_back(path.substr(at, slash - at));
    at = slash + 1;
  }
  return parts;
}

} // namespace reports
