#include "reports/exchange/json_scan.h"

#include "reports/core/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace reports::exchange {

namespace {

enum Class : uint8_t { Ordinary, Quote, Escape, Open, Close };

constexpr std::array<uint8_t, 256> kClasses = [] {
  std::array<uint8_t, 256> table{};
  table['"'] = Quote;
  table['\\'] = Escape;
  table['{'] = table['['] = Open;
  table['}'] = table[']'] = Close;
  return table;
}();

bool isWordByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// The first quote or backslash at or after `p`, or `end`. Tests eight characters at once on a little-endian machine.
const char* findQuoteOrEscape(const char* p, const char* end) {
  if constexpr (std::endian::native == std::endian::little) {
    constexpr uint64_t kOnes = 0x0101010101010101u, kTops = 0x8080808080808080u;
    const auto zeroBytes = [](uint64_t v) { return (v - kOnes) & ~v & kTops; }; // only the lowest mark is reliable
    for (; end - p >= 8; p += 8) {
      uint64_t word = 0;
      std::memcpy(&word, p, 8);
      if (const uint64_t marks = zeroBytes(word ^ kOnes * uint8_t('"')) | zeroBytes(word ^ kOnes * uint8_t('\\')))
        return p + std::countr_zero(marks) / 8;
    }
  }
  while (p != end && *p != '"' && *p != '\\') ++p;
  return p;
}

// The literals of JSON, and the variants that printf() and scripting languages write.
bool isWord(std::string_view text) {
  if (text == "true" || text == "false" || text == "null") return true;
  if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  if (!text.empty() && (isDigit(text.front()) || (text.front() == '.' && text.size() > 1 && isDigit(text[1]))))
    return true; // +1, .5
  constexpr std::size_t kLongest = 9;
  if (text.size() > kLongest) return false;
  std::string small(text);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  for (const char* word : {"nan", "inf", "infinity", "none", "undefined", "true", "false", "null"})
    if (small == word) return true;
  return false;
}

} // namespace

Scan JsonCursor::string(JsonToken& token) {
  if (m_at == m_end) return Scan::More;
  if (*m_at != '"') return Scan::Bad;
  token.escaped = false;
  for (const char* p = m_at + 1;;) {
    p = findQuoteOrEscape(p, m_end);
    if (p == m_end) return Scan::More;
    if (*p == '"') {
      token.kind = JsonToken::String;
      token.text = {m_at + 1, std::size_t(p - m_at - 1)};
      m_at = p + 1;
      return Scan::Good;
    }
    token.escaped = true;
    if (m_end - p < 2) return Scan::More;
    p += 2;
  }
}

// Skips an object or array: only brackets and strings matter.
Scan JsonCursor::nested(JsonToken& token) {
  int64_t depth = 0;
  for (const char* p = m_at; p != m_end; ++p) {
    switch (kClasses[uint8_t(*p)]) {
    case Open: ++depth; break;
    case Close:
      if (--depth > 0) break;
      token.kind = *m_at == '{' ? JsonToken::Object : JsonToken::Array;
      token.text = {m_at, std::size_t(p + 1 - m_at)};
      token.escaped = false;
      m_at = p + 1;
      return Scan::Good;
    case Quote:
      for (++p;; p += 2) {
        p = findQuoteOrEscape(p, m_end);
        if (p == m_end) return Scan::More;
        if (*p == '"') break;
        if (m_end - p < 2) return Scan::More;
      }
      break;
    default: break;
    }
  }
  return Scan::More;
}

Scan JsonCursor::value(JsonToken& token) {
  skipSpace();
  if (m_at == m_end) return Scan::More;
  if (*m_at == '"') return string(token);
  if (*m_at == '{' || *m_at == '[') return nested(token);
  const char* p = m_at;
  while (p != m_end && isWordByte(*p)) ++p;
  if (p == m_end) return Scan::More; // a number at the very end of a file has no terminator
  if (p == m_at) return Scan::Bad;
  token.text = {m_at, std::size_t(p - m_at)};
  token.escaped = false;
  token.kind = isDigit(*m_at) || (*m_at == '-' && p - m_at > 1 && isDigit(m_at[1])) ? JsonToken::Number : JsonToken::Word;
  if (token.kind == JsonToken::Word && !isWord(token.text)) return Scan::Bad;
  m_at = p;
  return Scan::Good;
}

Scan JsonCursor::key(JsonToken& token, bool first) {
  token = {};
  skipSpace();
  if (m_at == m_end) return Scan::More;
  if (*m_at == '}') {
    ++m_at;
    return Scan::Good;
  }
  if (!first) {
    if (*m_at != ',') return Scan::Bad;
    ++m_at;
    skipSpace();
    if (m_at == m_end) return Scan::More;
    if (*m_at == '}') { // a comma too many
      ++m_at;
      return Scan::Good;
    }
  }
  if (const Scan scan = string(token); scan != Scan::Good) return scan;
  skipSpace();
  if (m_at == m_end) return Scan::More;
  if (*m_at != ':') return Scan::Bad;
  ++m_at;
  return Scan::Good;
}

namespace {

std::optional<uint32_t> hexOf(std::string_view digits) {
  uint32_t v = 0;
  if (digits.size() < 4) return std::nullopt;
  const auto parsed = std::from_chars(digits.data(), digits.data() + 4, v, 16);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + 4) return std::nullopt;
  return v;
}

// The character after `\u` or a surrogate pair; `taken`: the bytes of `rest` that it used. Lone surrogates become U+FFFD.
uint32_t unicodeEscape(std::string_view rest, std::size_t& taken) {
  const auto first = hexOf(rest);
  if (!first) {
    taken = 0;
    return 0xfffd;
  }
  taken = 4;
  if (*first < 0xd800 || *first > 0xdfff) return *first;
  if (*first < 0xdc00 && rest.substr(4).starts_with("\\u"))
    if (const auto second = hexOf(rest.substr(6)); second && *second >= 0xdc00 && *second <= 0xdfff) {
      taken = 10;
      return 0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00);
    }
  return 0xfffd;
}

} // namespace

namespace {

bool isNameByte(char c) { return std::isalnum(uint8_t(c)) || c == '_' || uint8_t(c) >= 0x80; }

// Whether the text has a drive (a single letter, a colon, a backslash) whose backslash forms one of these escapes.
bool hasDriveBefore(std::string_view in, std::string_view escapes) {
  for (std::size_t at = in.find(":\\"); at != std::string_view::npos; at = in.find(":\\", at + 1)) {
    const bool isDrive = at > 0 && std::isalpha(uint8_t(in[at - 1])) && (at == 1 || !isNameByte(in[at - 2]));
    if (isDrive && at + 3 < in.size() && escapes.find(in[at + 2]) != std::string_view::npos && isNameByte(in[at + 3]))
      return true;
  }
  return false;
}

// Whether a word is a path with unescaped backslashes, e.g. "src\new\run.c:12": each backslash forms an escape between letters of
// names, and the word has a drive or ends as a file name.
bool hasPathWord(std::string_view in) {
  constexpr std::string_view kEnds = " \t\n\"'()[]<>,;|=";
  for (std::size_t from = 0; from < in.size();) {
    const std::size_t end = std::min(in.find_first_of(kEnds, from), in.size());
    std::string_view word = in.substr(from, end - from);
    from = end + 1;
    bool isPath = word.find('\\') != std::string_view::npos;
    for (std::size_t i = 0; i < word.size() && isPath; ++i) {
      if (word[i] != '\\') continue;
      const bool follows =
          i > 0 && (isNameByte(word[i - 1]) || std::string_view(":.-+").find(word[i - 1]) != std::string_view::npos);
      isPath = follows && i + 2 < word.size() && std::string_view("bfnrt").find(word[i + 1]) != std::string_view::npos &&
               (isNameByte(word[i + 2]) || std::string_view("-.\\").find(word[i + 2]) != std::string_view::npos);
    }
    if (!isPath) continue;
    if (word.size() > 2 && std::isalpha(uint8_t(word[0])) && word[1] == ':' && word[2] == '\\') return true;
    word = word.substr(0, word.find(':', 2)); // removes a line number
    const std::size_t dot = word.rfind('.');
    const std::size_t length = dot == std::string_view::npos ? 0 : word.size() - dot - 1;
    if (length >= 1 && length <= 4 && std::all_of(word.end() - std::ptrdiff_t(length), word.end(), isNameByte)) return true;
  }
  return false;
}

} // namespace

bool hasWrongEscape(std::string_view json) {
  for (std::size_t at = json.find('\\'); at != std::string_view::npos && at + 1 < json.size(); at = json.find('\\', at + 2)) {
    const char c = json[at + 1];
    if (std::string_view("\"\\/bfnrtu").find(c) == std::string_view::npos) return true;
    if (c == 'u' && at + 6 <= json.size() && !hexOf(json.substr(at + 2))) return true;
  }
  return false;
}

bool isBare(const JsonToken& token, Backslashes writer) {
  if (!token.escaped || token.kind != JsonToken::String) return false;
  const std::string_view in = token.text;
  const bool hasDrive = in.size() > 3 && std::isalpha(uint8_t(in[0])) && in.substr(1, 2) == ":\\" && in[3] != '\\';
  const bool isPython = in.find(".py(") != std::string_view::npos && in.find("\\\\") == std::string_view::npos;
  for (std::size_t i = 0; i + 1 < in.size(); ++i) {
    if (in[i] != '\\') continue;
    const char c = in[++i];
    const bool isLetter = std::string_view("bfnrtu").find(c) != std::string_view::npos;
    if (!isLetter && std::string_view("\"\\/").find(c) == std::string_view::npos) return true;
    if (isLetter && (hasDrive || (isPython && c != 'u') || (c == 'u' && !hexOf(in.substr(i + 1))))) return true;
  }
  return hasDriveBefore(in, "bf") || (writer == Backslashes::SomeBare && hasPathWord(in));
}

std::optional<std::string> withEscapedPaths(std::string_view json) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = json.find('"'); at != std::string_view::npos; at = json.find('"', at)) {
    JsonCursor cursor(json.substr(at));
    JsonToken token;
    if (cursor.string(token) != Scan::Good) break;
    const std::size_t end = std::size_t(cursor.at() - json.data());
    if (isBare(token, Backslashes::SomeBare) && !isBare(token)) {
      out += json.substr(copied, at - copied);
      out += '"';
      for (const char c : token.text) out.append(c == '\\' ? 2 : 1, c);
      out += '"';
      copied = end;
    }
    at = end;
  }
  if (copied == 0) return std::nullopt;
  return out + std::string(json.substr(copied));
}

std::string textOf(const JsonToken& token, Backslashes writer) {
  if (!token.escaped) return validUtf8(token.text);
  std::string out;
  const std::string_view in = token.text;
  const bool bare = isBare(token, writer);
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (bare && i == 0 && in.size() > 2 && in.starts_with("\\\\") && isNameByte(in[2])) { // "\\server\share"
      out += "\\\\";
      i = 1;
      continue;
    }
    if (in[i] != '\\' || i + 1 == in.size()) {
      out += in[i];
      continue;
    }
    if (bare && in[i + 1] != '"' && in[i + 1] != '\\') {
      out += in[i];
      continue;
    }
    switch (in[++i]) {
    case 'n': out += '\n'; break;
    case 't': out += '\t'; break;
    case 'r': out += '\r'; break;
    case 'b': out += '\b'; break;
    case 'f': out += '\f'; break;
    case 'u': {
      std::size_t taken = 0;
      appendCharacter(out, unicodeEscape(in.substr(i + 1), taken));
      i += taken;
      break;
    }
    default: out += in[i];
    }
  }
  return validUtf8(out);
}

std::string closedJson(std::string_view cut) {
  struct Open {
    char bracket;
    std::size_t end; // of the complete content before the bracket
    bool inArray;
  };
  std::vector<Open> open;
  std::size_t end = 0; // of the last complete value inside the innermost bracket
  for (std::size_t i = 0; i < cut.size(); ++i) {
    switch (cut[i]) {
    case '"':
      for (++i; i < cut.size() && cut[i] != '"'; ++i) i += cut[i] == '\\';
      break;
    case '{':
    case '[':
      open.push_back({cut[i], end, !open.empty() && open.back().bracket == '['});
      end = i + 1;
      break;
    case '}':
    case ']':
      if (!open.empty()) open.pop_back();
      end = i + 1;
      break;
    case ',': end = i; break;
    default: break;
    }
  }
  const auto element = std::find_if(open.begin(), open.end(), [](const Open& o) { return o.inArray; });
  if (element != open.end()) end = element->end;
  std::string whole(cut.substr(0, end));
  for (auto o = std::make_reverse_iterator(element); o != open.rend(); ++o) whole += o->bracket == '{' ? '}' : ']';
  return whole;
}

JsonToken memberOf(std::string_view json, std::string_view name) {
  JsonToken found;
  forEachMember(json, [&](const JsonToken& key, const JsonToken& value) {
    if (key.text == name) found = value;
  });
  return found;
}

std::optional<double> realOf(const JsonToken& token) {
  if (token.kind != JsonToken::Number && token.kind != JsonToken::String) return std::nullopt;
  double v = 0;
  std::string_view text = token.text;
  if (text.starts_with("+")) text.remove_prefix(1);
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), v);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || !std::isfinite(v)) return std::nullopt;
  return v;
}

std::optional<int64_t> wholeOf(const JsonToken& token) {
  if (token.kind != JsonToken::Number && token.kind != JsonToken::String) return std::nullopt;
  int64_t v = 0;
  const auto parsed = std::from_chars(token.text.data(), token.text.data() + token.text.size(), v);
  if (parsed.ec != std::errc() || parsed.ptr != token.text.data() + token.text.size()) return std::nullopt;
  return v;
}

std::optional<int64_t> scaledOf(const JsonToken& token, int64_t scale) {
  if (token.kind != JsonToken::Number && token.kind != JsonToken::String) return std::nullopt;
  constexpr int64_t kMost = kMostScaled;
  const char* p = token.text.data();
  const char* const end = p + token.text.size();
  const bool negative = p != end && *p == '-';
  if (negative) ++p;
  const char* const digits = p;
  int64_t whole = 0, part = 0, unit = 1;
  bool simple = true;
  for (; p != end && isDigit(*p); ++p) {
    if (whole > kMost / 10 - 1)
      simple = false;
    else
      whole = whole * 10 + (*p - '0');
  }
  simple = simple && p != digits;
  if (p != end && *p == '.') {
    for (++p; p != end && isDigit(*p); ++p) {
      if (unit >= 1'000'000'000) continue;
      part = part * 10 + (*p - '0');
      unit *= 10;
    }
  }
  if (simple && p == end && whole < kMost / scale) {
    const int64_t v = whole * scale + (part * scale + unit / 2) / unit;
    return negative ? -v : v;
  }
  const auto real = realOf(token);
  if (!real) return std::nullopt;
  return int64_t(std::llround(std::clamp(*real * double(scale), -double(kMost), double(kMost))));
}

} // namespace reports::exchange
