#include "reports/exchange/details_json.h"

#include "reports/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace reports::exchange {

namespace {

constexpr int kMostDetailsDepth = 64; // deeper values become text

bool isDetailsDigit(char c) { return c >= '0' && c <= '9'; }

// A number in JSON's syntax: without a plus sign or leading zeros, with digits around the point.
bool isLawfulNumber(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && isDetailsDigit(text[at])) ++at;
    return at - from;
  };
  const bool leadingZero = at < text.size() && text[at] == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (leadingZero && whole > 1)) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

// Reads a text once and decides whether it is one valid object.
class ObjectCheck {
public:
  explicit ObjectCheck(std::string_view json) : m_text(json), m_at(json.data()), m_end(json.data() + json.size()) {}

  bool isLawful() {
    if (m_at == m_end || *m_at != '{') return false;
    open('{');
    while (m_depth > 0) {
      space();
      if (m_at == m_end) return false;
      if (*m_at == close()) {
        if (m_afterComma) return false;
        ++m_at;
        --m_depth;
        m_wantsComma = true;
        continue;
      }
      if (m_wantsComma) {
        if (*m_at != ',') return false;
        ++m_at;
        m_wantsComma = false;
        m_afterComma = true;
        continue;
      }
      if (close() == '}' && !key()) return false;
      if (!value()) return false;
      m_afterComma = false;
    }
    space();
    return m_at == m_end && !(m_hasHigh && !isUtf8());
  }

private:
  char close() const { return m_isObject >> (m_depth - 1) & 1 ? '}' : ']'; }
  bool open(char bracket) {
    if (m_depth == kMostDetailsDepth) return false;
    const uint64_t bit = uint64_t(1) << m_depth++;
    m_isObject = bracket == '{' ? m_isObject | bit : m_isObject & ~bit;
    ++m_at;
    m_wantsComma = m_afterComma = false;
    return true;
  }
  void space() {
    while (m_at != m_end && (*m_at == ' ' || *m_at == '\n' || *m_at == '\r' || *m_at == '\t')) ++m_at;
  }
  bool string() {
    if (m_at == m_end || *m_at != '"') return false;
    // The backslashes of a Windows path may look like escapes.
    if (m_end - m_at > 4 && m_at[2] == ':' && m_at[3] == '\\' && m_at[4] != '\\') return false;
    for (++m_at; m_at != m_end && *m_at != '"'; ++m_at) {
      const auto c = uint8_t(*m_at);
      if (c < 0x20) return false;
      m_hasHigh = m_hasHigh || c >= 0x80;
      if (c != '\\') continue;
      if (++m_at == m_end) return false;
      if (*m_at == 'u') {
        for (int i = 0; i < 4; ++i)
          if (++m_at == m_end || !std::isxdigit(uint8_t(*m_at))) return false;
      } else if (std::string_view("\"\\/bfnrt").find(*m_at) == std::string_view::npos) {
        return false;
      }
    }
    if (m_at == m_end) return false;
    ++m_at;
    return true;
  }
  bool key() {
    const char* const from = m_at;
    if (!string()) return false;
    if (m_depth == 1 && !isNew({from, std::size_t(m_at - from)})) return false;
    space();
    if (m_at == m_end || *m_at != ':') return false;
    ++m_at;
    space();
    return true;
  }
  bool isNew(std::string_view name) {
    if (m_keys < m_names.size()) {
      for (std::size_t i = 0; i < m_keys; ++i)
        if (m_names[i] == name) return false;
      m_names[m_keys++] = name;
      return true;
    }
    if (m_more.empty()) m_more.insert(m_names.begin(), m_names.end());
    return m_more.insert(name).second;
  }
  bool value() {
    if (m_at == m_end) return false;
    if (*m_at == '{' || *m_at == '[') return open(*m_at);
    if (*m_at == '"') {
      m_wantsComma = true;
      return string();
    }
    const char* const from = m_at;
    while (m_at != m_end && *m_at != ',' && *m_at != '}' && *m_at != ']' && uint8_t(*m_at) > 0x20) ++m_at;
    const std::string_view word(from, std::size_t(m_at - from));
    m_wantsComma = true;
    return word == "true" || word == "false" || word == "null" || isLawfulNumber(word);
  }
  bool isUtf8() const { return validUtf8(m_text) == m_text; }

  std::string_view m_text;
  const char* m_at;
  const char* m_end;
  uint64_t m_isObject = 0; // one bit per open bracket
  int m_depth = 0;
  bool m_wantsComma = false, m_afterComma = false, m_hasHigh = false;
  std::array<std::string_view, 24> m_names;
  std::size_t m_keys = 0;
  std::unordered_set<std::string_view> m_more;
};

struct DetailsMember {
  std::string key, value;
};

// Members in their order; a repeated key gets a number.
class DetailsMembers {
public:
  void add(std::string key, std::string value) {
    std::string name = key;
    for (int n = 2; !m_places.emplace(name, m_members.size()).second; ++n) name = key + " (" + std::to_string(n) + ")";
    m_members.push_back({std::move(name), std::move(value)});
  }
  const DetailsMember* find(const std::string& key) const {
    const auto found = m_places.find(key);
    return found == m_places.end() ? nullptr : &m_members[found->second];
  }
  const std::vector<DetailsMember>& all() const { return m_members; }
  std::string text() const {
    std::string out = "{";
    for (const DetailsMember& m : m_members) out += (out.size() > 1 ? "," : "") + quotedJson(m.key) + ":" + m.value;
    return out + "}";
  }

private:
  std::vector<DetailsMember> m_members;
  std::unordered_map<std::string, std::size_t> m_places;
};

std::string mendedValue(const JsonToken& token, int depth);

// False if the text between the braces cannot be read.
bool readMembers(std::string_view object, DetailsMembers& members, int depth) {
  JsonCursor cursor(object);
  cursor.skip();
  for (bool first = true;; first = false) {
    cursor.skipSpace();
    while (!first && !cursor.atEnd() && cursor.peek() == ',') { // extra commas
      const JsonCursor before = cursor;
      cursor.skip();
      cursor.skipSpace();
      if (cursor.atEnd() || cursor.peek() == ',' || cursor.peek() == '}') continue;
      cursor = before;
      break;
    }
    JsonToken key, value;
    if (cursor.key(key, first) != Scan::Good) return false;
    if (!key) return true;
    if (cursor.value(value) != Scan::Good) return false;
    members.add(textOf(key), mendedValue(value, depth + 1));
  }
}

std::string mendedValue(const JsonToken& token, int depth) {
  switch (token.kind) {
  case JsonToken::String: return quotedJson(textOf(token));
  case JsonToken::Number: return isLawfulNumber(token.text) ? std::string(token.text) : quotedJson(token.text);
  case JsonToken::Word:
    return token.text == "true" || token.text == "false" || token.text == "null" ? std::string(token.text)
                                                                                 : quotedJson(token.text);
  case JsonToken::Object: {
    DetailsMembers members;
    if (depth >= kMostDetailsDepth || !readMembers(token.text, members, depth)) break;
    return members.text();
  }
  case JsonToken::Array: {
    if (depth >= kMostDetailsDepth) break;
    std::string out = "[";
    if (!forEachElement(token.text, [&](const JsonToken& e) { out += (out.size() > 1 ? "," : "") + mendedValue(e, depth + 1); }))
      break;
    return out + "]";
  }
  case JsonToken::None: return "null";
  }
  return quotedJson(token.text);
}

// The members of an object that the importers made or checked.
DetailsMembers membersOf(std::string_view object) {
  DetailsMembers members;
  if (!object.empty()) readMembers(object, members, 0);
  return members;
}

bool isEmptyObject(std::string_view object) {
  return object.empty() || (object.size() >= 2 && object.find_first_not_of(" \t\r\n", 1) == object.size() - 1);
}

} // namespace

std::string quotedJson(std::string_view text) {
  std::string out = "\"";
  for (const char c : validUtf8(text)) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (uint8_t(c) < 0x20)
      out += fmt::format("\\u{:04x}", int(uint8_t(c)));
    else
      out += c;
  }
  return out + '"';
}

bool isPlainObject(std::string_view json) { return ObjectCheck(json).isLawful(); }

std::string mendedObject(std::string_view json) {
  JsonCursor cursor(json);
  JsonToken value;
  if (cursor.value(value) != Scan::Good) value = {json, isLawfulNumber(json) ? JsonToken::Number : JsonToken::Word};
  if (value.kind == JsonToken::Object) {
    DetailsMembers members;
    if (readMembers(value.text, members, 0)) return members.text();
  }
  return "{\"value\":" + mendedValue(value, 1) + "}";
}

std::string joinObjects(std::string_view a, std::string_view b) {
  if (isEmptyObject(a)) return std::string(isEmptyObject(b) ? std::string_view() : b);
  if (isEmptyObject(b)) return std::string(a);
  const DetailsMembers first = membersOf(a), second = membersOf(b);
  DetailsMembers both;
  for (const DetailsMember& m : first.all()) {
    const DetailsMember* const other = second.find(m.key);
    if (!other || other->value != m.value) both.add(other ? m.key + " (begin)" : m.key, m.value);
  }
  for (const DetailsMember& m : second.all()) both.add(m.key, m.value);
  return both.text();
}

void addMember(std::string& object, std::string_view key, std::string_view json) {
  if (isEmptyObject(object))
    object = "{";
  else
    object.back() = ',';
  object += quotedJson(key);
  object += ':';
  object += json;
  object += '}';
}

} // namespace reports::exchange
