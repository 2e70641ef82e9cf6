// Reads JSON in place, value by value, without building anything: a token is a piece of the text. The text is a window that may
// end in the middle of a value; such a value is neither valid nor invalid but needs more text. No recursion: any depth is fine.
// Also accepts what tracers write outside the standard: NaN, Infinity, control characters in strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reports::exchange {

enum class Scan : uint8_t {
  Good,
  More, // the window ends within the value
  Bad,  // no JSON
};

struct JsonToken {
  enum Kind : uint8_t { None, String, Number, Word, Object, Array };
  std::string_view text; // for a string without its quotes, else unchanged
  Kind kind = None;
  bool escaped = false; // a string that holds a backslash

  explicit operator bool() const { return kind != None; }
  bool isTrue() const { return kind == Word ? text == "true" : kind == Number ? text != "0" : kind == String && !text.empty(); }
};

class JsonCursor {
public:
  JsonCursor(const char* at, const char* end) : m_at(at), m_end(end) {}
  explicit JsonCursor(std::string_view text) : m_at(text.data()), m_end(text.data() + text.size()) {}

  const char* at() const { return m_at; }
  bool atEnd() const { return m_at == m_end; }
  char peek() const { return *m_at; } // only if not at the end
  void skip() { ++m_at; }
  void skipSpace() {
    while (m_at != m_end && (*m_at == ' ' || *m_at == '\n' || *m_at == '\r' || *m_at == '\t')) ++m_at;
  }
  // Reads one whole value of any kind and moves past it. If that fails, the cursor does not move.
  Scan value(JsonToken& token);
  Scan string(JsonToken& token);
  // Reads `"key":` of an object, with the spaces around it. At the closing brace, consumes it and returns Good with an empty
  // token. `first`: whether it is the first member.
  Scan key(JsonToken& token, bool first);

private:
  Scan nested(JsonToken& token);
  const char* m_at;
  const char* m_end;
};

// Whether the writer of a text leaves backslashes in its strings bare.
enum class Backslashes : uint8_t { Escaped, SomeBare };

// The value of a string token, in valid UTF-8. If isBare(), its backslashes are literal.
std::string textOf(const JsonToken& token, Backslashes writer = Backslashes::Escaped);

// Whether the backslashes of a string are literal: some tracers do not escape Windows paths. They are literal if the text has an
// escape that JSON does not know, begins with a drive, has a drive before a backspace or form feed ("[D:\bin\new.exe]"), or is a
// Python frame ("torch\nn\functional.py(12): relu"). Text such as "src\new\run.c" may also be two lines that end in "src" and
// "new". It is a path only if its writer is known to leave backslashes bare, and if it has a drive or ends as a file name; else
// JSON's meaning is kept, and nothing is counted.
bool isBare(const JsonToken& token, Backslashes writer = Backslashes::Escaped);

// Whether a piece of JSON holds an escape that JSON does not know.
bool hasWrongEscape(std::string_view json);

// The JSON with its paths escaped, for a writer that leaves some backslashes bare; nothing if no path needs it.
std::optional<std::string> withEscapedPaths(std::string_view json);

// Closes JSON that ends inside an object or array: drops an incomplete value and the incomplete element of the outermost array,
// so that no element lacks members.
std::string closedJson(std::string_view cut);

// A member of an object in `json`, which is one whole object; nothing if no member has the name.
JsonToken memberOf(std::string_view json, std::string_view name);

// Calls f(key, value) for each member of an object; false if the text is not an object.
template<class F> bool forEachMember(std::string_view object, F&& f) {
  JsonCursor cursor(object);
  cursor.skipSpace();
  if (cursor.atEnd() || cursor.peek() != '{') return false;
  cursor.skip();
  JsonToken key, value;
  for (bool first = true; cursor.key(key, first) == Scan::Good && key; first = false) {
    if (cursor.value(value) != Scan::Good) return false;
    f(key, value);
  }
  return true;
}
// Calls f(value) for each element of an array.
template<class F> bool forEachElement(std::string_view array, F&& f) {
  JsonCursor cursor(array);
  cursor.skipSpace();
  if (cursor.atEnd() || cursor.peek() != '[') return false;
  cursor.skip();
  for (JsonToken value;;) {
    cursor.skipSpace();
    if (!cursor.atEnd() && cursor.peek() == ',') cursor.skip();
    cursor.skipSpace();
    if (cursor.atEnd() || cursor.peek() == ']') return true;
    if (cursor.value(value) != Scan::Good) return false;
    f(value);
  }
}

// A number, or a string that contains one. Empty for other tokens and for numbers that are not finite.
std::optional<double> realOf(const JsonToken& token);
std::optional<int64_t> wholeOf(const JsonToken& token); // without a fraction, within 64 bits
// The number times `scale`, exact for up to nine decimals and rounded to the nearest; clamped to +-kMostScaled.
inline constexpr int64_t kMostScaled = int64_t(1) << 61;
std::optional<int64_t> scaledOf(const JsonToken& token, int64_t scale);

} // namespace reports::exchange
