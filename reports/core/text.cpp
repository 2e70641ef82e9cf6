#include "reports/core/text.h"

#include <cstdint>
#include <cstdio>

namespace reports {

namespace {
constexpr char32_t kMalformed = 0xFFFFFFFF;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Takes one character from `bytes` at `at` and moves on; malformed input moves on by one byte.
char32_t next(std::string_view bytes, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return uint8_t(bytes[i]); };
  const uint8_t first = byte(at);
  if (first < 0x80) return ++at, first;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (first < 0xC2 || first > 0xF4 || at + length > bytes.size()) return ++at, kMalformed;
  char32_t c = first & (0x7F >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return ++at, kMalformed;
    c = (c << 6) | (byte(at + i) & 0x3F);
  }
  if (c < kLeast[length] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return ++at, kMalformed;
  at += length;
  return c;
}

bool changesDirection(char32_t c) {
  return c == 0x200E || c == 0x200F || c == 0x061C || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}
bool isControl(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029; }
} // namespace

std::string validUtf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t begin = at;
    if (next(bytes, at) == kMalformed)
      text += kReplacement;
    else
      text += bytes.substr(begin, at - begin);
  }
  return text;
}

std::string displayText(std::string_view bytes, std::size_t limit) {
  std::string text;
  std::size_t characters = 0;
  for (std::size_t at = 0; at < bytes.size(); ++characters) {
    if (characters == limit) return text + "…";
    const std::size_t begin = at;
    const char32_t c = next(bytes, at);
    if (c == kMalformed) {
      text += kReplacement;
    } else if (isControl(c) || changesDirection(c)) {
      char code[16];
      std::snprintf(code, sizeof code, c < 0x100 ? "\\x%02x" : "\\u%04x", unsigned(c));
      text += code;
    } else {
      text += bytes.substr(begin, at - begin);
    }
  }
  return text;
}

} // namespace reports
