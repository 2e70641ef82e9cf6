#include "reports/exchange/chrome_json.h"

#include "reports/exchange/chrome_trace.h"

#include <algorithm>
#include <utility>

namespace reports::exchange {

namespace {

constexpr std::size_t kMostEventBytes = 64u << 20;   // one element of the array
constexpr std::size_t kMostMemberBytes = 256u << 20; // one member beside traceEvents, such as stackFrames
constexpr std::size_t kUsualEventBytes = 1u << 20;
constexpr std::size_t kMostBytesInVain = 256u << 20; // limit for reading events a second time without success

// Whether it is an empty object: some writers end their list with "{}".
bool holdsNothing(std::string_view text) {
  return std::all_of(text.begin() + 1, text.end() - 1, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
}

// JSON in which the backslash at the end of a string is escaped: "C:\dir\" becomes "C:\dir\\". Some writers do not escape Windows
// paths.
struct EscapedEnds {
  explicit EscapedEnds(std::string_view json) {
    std::size_t copied = 0;
    for (std::size_t at = json.find('\\'); at != std::string_view::npos && at + 1 < json.size(); at = json.find('\\', at + 2)) {
      if (json[at + 1] != '"' || !endsValue(json.substr(at + 2))) continue;
      text.append(json, copied, at - copied).append("\\\\");
      added.push_back(text.size() - 1);
      copied = at + 1;
    }
    text.append(json, copied);
  }
  // The number of bytes of the original JSON in the first `bytes` bytes of `text`.
  std::size_t taken(std::size_t bytes) const {
    return bytes - std::size_t(std::lower_bound(added.begin(), added.end(), bytes) - added.begin());
  }
  std::string text;
  std::vector<std::size_t> added; // positions of the added backslashes in `text`

private:
  static bool endsValue(std::string_view rest) {
    const auto next = [&] {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
      const char c = rest.empty() ? '\0' : rest.front();
      if (c != '\0') rest.remove_prefix(1);
      return c;
    };
    const char c = next();
    return c == '}' || c == ']' || (c == ',' && next() == '"');
  }
};

// Reads the event at the beginning of JSON after escaping bare backslashes; its text is in `mended.text` and ends at `end`. Most
// events are short, so a longer beginning is copied only if the event needs it.
bool readEscaped(std::string_view json, EscapedEnds& mended, ChromeEvent& event, std::size_t& end) {
  const std::size_t most = std::min(json.size(), kUsualEventBytes);
  for (std::size_t bytes = 4096;; bytes *= 16) {
    mended = EscapedEnds(json.substr(0, std::min(bytes, most)));
    JsonCursor cursor(mended.text);
    const Scan scan = scanEvent(cursor, event);
    end = std::size_t(cursor.at() - mended.text.data());
    if (scan != Scan::More || bytes >= most) return scan == Scan::Good && event.phase() != '\0';
  }
}

// Whether JSON begins with an event, either unchanged or with its bare backslashes escaped.
bool beginsWithEvent(std::string_view json) {
  JsonCursor cursor(json);
  ChromeEvent event;
  if (scanEvent(cursor, event) == Scan::Good) return event.phase() != '\0';
  EscapedEnds mended("");
  std::size_t end = 0;
  return readEscaped(json, mended, event, end);
}

// Reads the text around the events: the array, the members beside it, broken parts.
class ChromeReader {
public:
  ChromeReader(Window& window, TraceAssembly& assembly) : m_window(window), m_trace(assembly), m_counts(assembly.counts()) {}

  // One array or object of events; or several in sequence, as in joined packed files; or only events, one per line.
  void read() {
    if (!skipSpace()) torn();
    noteBackslashes();
    while (!m_isTorn && skipSpace() && readPart()) {
    }
    m_trace.finish();
  }

private:
  // A wrong escape at the beginning of the file shows that its writer does not escape the backslashes of Windows paths.
  void noteBackslashes() {
    if (hasWrongEscape({m_window.at(), m_window.size()})) m_trace.setBackslashes(Backslashes::SomeBare);
  }
  // Reads one array, object or event; false if the text is not the JSON of a trace.
  bool readPart() {
    const char c = m_window.at()[0];
    if (c == '[') {
      readArray();
    } else if (c == '{' && (m_hasLines || isEvent())) {
      m_hasLines = true;
      ++m_elements;
      readElement();
    } else if (c == '{') {
      readObject();
    } else if (c == ',' && m_hasLines) {
      m_window.advanceTo(m_window.at() + 1);
    } else if (m_hasLines) {
      m_counts.mend(Mend::UnreadableEvents);
      skipLine();
    } else if (!m_hasParts) {
      m_counts.mend(Mend::NotEvents);
      return false;
    } else {
      m_counts.mend(Mend::TrailingContent);
      return false;
    }
    m_hasParts = true;
    return true;
  }
  void skipLine() {
    do {
      const std::string_view rest(m_window.at(), m_window.size());
      const std::size_t end = rest.find('\n');
      m_window.advanceTo(end == std::string_view::npos ? m_window.end() : m_window.at() + end);
      if (end != std::string_view::npos) return;
    } while (m_window.grow());
  }
  bool isEvent() const { return beginsWithEvent({m_window.at(), m_window.size()}); }

  // Returns false at the end of the file.
  bool skipSpace() {
    for (;;) {
      const char* p = m_window.at();
      while (p != m_window.end() && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) ++p;
      m_window.advanceTo(p);
      if (p != m_window.end()) return true;
      if (!m_window.grow()) return false;
    }
  }

  // Reads `[` and the elements up to `]` or the end of the file.
  void readArray() {
    m_window.advanceTo(m_window.at() + 1);
    bool comma = true; // whether an element may follow
    for (;;) {
      if (!skipSpace()) return torn();
      const char c = m_window.at()[0];
      if (c == ']') {
        m_window.advanceTo(m_window.at() + 1);
        if (comma && m_elements > 0) m_counts.mend(Mend::TrailingCommas);
        return;
      }
      if (c == ',') {
        m_window.advanceTo(m_window.at() + 1);
        if (comma) m_counts.mend(Mend::TrailingCommas);
        comma = true;
        continue;
      }
      comma = false;
      ++m_elements;
      if (!readElement()) return;
    }
  }

  // Reads one element of the array; false at the end of the file.
  bool readElement() {
    for (bool isLong = false;;) {
      JsonCursor cursor(m_window.at(), m_window.end());
      Scan scan;
      if (cursor.peek() == '{') {
        scan = scanEvent(cursor, m_event);
        if (scan == Scan::Good && !holdsNothing({m_window.at(), cursor.at()})) m_trace.add(m_event);
      } else {
        JsonToken other;
        scan = cursor.value(other);
        if (scan == Scan::Good) m_counts.mend(Mend::NotEvents);
      }
      if (scan == Scan::Good) {
        m_window.advanceTo(cursor.at());
        return true;
      }
      const bool wasLong = std::exchange(isLong, m_window.size() >= kUsualEventBytes);
      if ((scan == Scan::Bad || wasLong != isLong) && readWithBareEnds()) return true;
      if (scan == Scan::Bad) {
        m_counts.mend(Mend::UnreadableEvents);
        if (!m_hasLines) return resume();
        skipLine();
        return true;
      }
      if (m_window.size() >= kMostEventBytes) {
        m_counts.mend(Mend::UnreadableEvents);
        return skipHuge();
      }
      if (!m_window.grow()) return readWithBareEnds() || endedWithin();
    }
  }

  // Reads an event whose JSON is invalid or does not end because strings in it end in a bare backslash. False if it has another
  // fault.
  bool readWithBareEnds() {
    if (m_window.at()[0] != '{' || m_bytesInVain > kMostBytesInVain) return false;
    EscapedEnds mended("");
    std::size_t bytes = 0;
    if (!readEscaped({m_window.at(), m_window.size()}, mended, m_event, bytes) || mended.taken(bytes) == bytes) {
      m_bytesInVain += mended.text.size();
      return false;
    }
    m_trace.setBackslashes(Backslashes::SomeBare);
    const int64_t counted = m_counts.mended[std::size_t(Mend::BareBackslashes)];
    m_trace.add(m_event);
    if (m_counts.mended[std::size_t(Mend::BareBackslashes)] == counted) m_counts.mend(Mend::BareBackslashes);
    m_window.advanceTo(m_window.at() + mended.taken(bytes));
    return true;
  }

  // Continues at the next event: an object with a phase.
  bool resume() {
    std::size_t from = 1;
    for (;;) {
      const std::string_view rest(m_window.at(), m_window.size());
      const std::size_t brace = rest.find('{', from);
      if (brace == std::string_view::npos || rest.size() - brace > kMostEventBytes) {
        m_window.advanceTo(m_window.end());
        from = 0;
        if (!m_window.grow()) return endedWithin();
        continue;
      }
      JsonCursor cursor(m_window.at() + brace, m_window.end());
      ChromeEvent event;
      const Scan scan = scanEvent(cursor, event);
      if (scan == Scan::Good && event.phase() != '\0') {
        m_window.advanceTo(m_window.at() + brace);
        return true;
      }
      if (scan == Scan::More && m_window.grow()) continue; // keeps the bytes from at(), so `from` stays valid
      from = brace + 1;
      if (scan == Scan::More && m_window.atEnd() && from >= m_window.size()) return endedWithin();
    }
  }
  bool endedWithin() {
    torn();
    return false;
  }
  void torn() { // may be called repeatedly
    m_isTorn = true;
    m_counts.mended[std::size_t(Mend::TornFile)] = 1;
  }

  // Skips an element or member that is too large for memory.
  bool skipHuge() {
    int64_t depth = 0;
    bool inString = false, escape = false;
    for (;;) {
      const char* p = m_window.at();
      for (; p != m_window.end(); ++p) {
        if (escape) {
          escape = false;
        } else if (inString) {
          escape = *p == '\\';
          inString = *p != '"';
          if (!inString && depth == 0) {
            m_window.advanceTo(p + 1);
            return true;
          }
        } else if (*p == '"') {
          inString = true;
        } else if (*p == '{' || *p == '[') {
          ++depth;
        } else if ((*p == '}' || *p == ']') && --depth == 0) {
          m_window.advanceTo(p + 1);
          return true;
        }
      }
      m_window.advanceTo(p);
      if (!m_window.grow()) return endedWithin();
    }
  }

  // Reads the members of the outer object: traceEvents element by element, the others whole.
  void readObject() {
    m_window.advanceTo(m_window.at() + 1);
    for (;;) {
      if (!skipSpace()) return torn();
      if (m_window.at()[0] == '}') return m_window.advanceTo(m_window.at() + 1);
      if (m_window.at()[0] == ',') {
        m_window.advanceTo(m_window.at() + 1);
        continue;
      }
      JsonToken key;
      std::string name;
      for (;;) {
        JsonCursor cursor(m_window.at(), m_window.end());
        const Scan scan = cursor.key(key, true);
        if (scan == Scan::Good) {
          name = textOf(key);
          m_window.advanceTo(cursor.at());
          break;
        }
        if (scan == Scan::Bad || m_window.size() > kMostMemberBytes || !m_window.grow()) return torn();
      }
      if (!skipSpace()) return torn();
      if (name == "traceEvents" && m_window.at()[0] == '[')
        readArray();
      else if (!readMember(name))
        return;
    }
  }

  bool readMember(const std::string& name) {
    for (;;) {
      JsonCursor cursor(m_window.at(), m_window.end());
      JsonToken value;
      const Scan scan = cursor.value(value);
      if (scan == Scan::Good) {
        m_trace.addFileMember(name, value);
        m_window.advanceTo(cursor.at());
        return true;
      }
      if (scan == Scan::More && m_window.size() >= kMostMemberBytes) return skipHuge();
      if (scan == Scan::Bad || !m_window.grow()) return endedWithin();
    }
  }

  Window& m_window;
  ChromeTrace m_trace;
  ImportCounts& m_counts;
  ChromeEvent m_event;
  int64_t m_elements = 0;
  bool m_hasLines = false; // an event is outside of any array
  bool m_hasParts = false;
  bool m_isTorn = false;
  std::size_t m_bytesInVain = 0;
};

} // namespace

bool looksLikeChromeJson(std::string_view head) {
  JsonCursor cursor(head);
  cursor.skipSpace();
  if (cursor.atEnd()) return false;
  if (cursor.peek() == '[') {
    cursor.skip();
    cursor.skipSpace();
    if (cursor.atEnd() || cursor.peek() == ']') return true;
    if (cursor.peek() != '{') return false;
    ChromeEvent event;
    const Scan scan = scanEvent(cursor, event);
    return scan == Scan::More || bool(event.ph) || beginsWithEvent({cursor.at(), head.end()});
  }
  if (cursor.peek() != '{') return false;
  if (head.find("\"traceEvents\"") != std::string_view::npos) return true;
  // Events one per line. A logger may write up to kMostOthers other objects before the first event.
  constexpr int kMostOthers = 16;
  for (int i = 0; i <= kMostOthers && !cursor.atEnd() && cursor.peek() == '{'; ++i) {
    ChromeEvent event;
    if (scanEvent(cursor, event) != Scan::Good) return beginsWithEvent({cursor.at(), head.end()});
    if (event.phase() != '\0') return true;
    cursor.skipSpace();
  }
  return false;
}

void readChromeJson(Window& window, TraceAssembly& assembly) { ChromeReader(window, assembly).read(); }

} // namespace reports::exchange
