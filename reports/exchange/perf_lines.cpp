#include "reports/exchange/perf_lines.h"

#include "reports/exchange/json_scan.h"

#include <algorithm>
#include <charconv>

namespace reports::exchange {

namespace {

bool isSpace(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && (isSpace(text.back()) || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// Removes the next word from `text` and returns it.
std::string_view takeWord(std::string_view& text) {
  while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
  std::size_t n = 0;
  while (n < text.size() && !isSpace(text[n])) ++n;
  const std::string_view word = text.substr(0, n);
  text.remove_prefix(n);
  return word;
}

std::optional<int64_t> numberIn(std::string_view text) {
  int64_t v = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), v);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return v;
}

// "123.456789:" in nanoseconds.
std::optional<int64_t> timeIn(std::string_view word) {
  if (!word.ends_with(':')) return std::nullopt;
  word.remove_suffix(1);
  const std::size_t dot = word.find('.');
  if (dot == std::string_view::npos || word.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  JsonToken token;
  token.kind = JsonToken::Number;
  token.text = word;
  return scaledOf(token, 1'000'000'000);
}

// "977/978" or "978".
bool readIds(std::string_view word, PerfHeader& header) {
  const std::size_t slash = word.find('/');
  const auto first = numberIn(word.substr(0, slash));
  if (!first) return false;
  if (slash == std::string_view::npos) {
    header.tid = *first;
    return true;
  }
  const auto second = numberIn(word.substr(slash + 1));
  if (!second) return false;
  header.pid = *first;
  header.tid = *second;
  return true;
}

bool isCpu(std::string_view word) {
  return word.size() > 2 && word.front() == '[' && word.back() == ']' && numberIn(word.substr(1, word.size() - 2));
}

// The part before the time, or before the period: a command of any words, ids, a CPU.
void readSubject(std::string_view before, PerfHeader& header) {
  before = trimmed(before);
  const auto lastWord = [&] { return before.substr(before.find_last_of(" \t") + 1); };
  if (isCpu(lastWord())) before = trimmed(before.substr(0, before.size() - lastWord().size()));
  if (const std::string_view word = lastWord(); readIds(word, header))
    before = trimmed(before.substr(0, before.size() - word.size()));
  header.command = before;
}

void readEvent(std::string_view text, PerfHeader& header) {
  std::string_view event = takeWord(text);
  if (const auto period = numberIn(event)) {
    header.period = *period;
    event = takeWord(text);
  }
  while (event.ends_with(':')) event.remove_suffix(1);
  header.event = event.empty() ? std::string_view("samples") : event;
  header.rest = text;
}

// A header without a time: ids, optionally a CPU and a period, and a name with a colon.
std::optional<PerfHeader> headerWithoutTime(std::string_view line) {
  std::string_view rest = line;
  while (!rest.empty()) {
    const std::string_view before = line.substr(0, line.size() - rest.size());
    PerfHeader header;
    std::string_view look = rest;
    if (readIds(takeWord(look), header)) {
      std::string_view event = look, word = takeWord(event);
      if (isCpu(word)) look = event, word = takeWord(event);
      if (numberIn(word)) word = takeWord(event);
      const bool isEvent = word.size() > 1 && word.back() == ':' && !numberIn(word.substr(0, word.size() - 1));
      if (isEvent || trimmed(look).empty()) {
        header.command = trimmed(before);
        readEvent(look, header);
        return header;
      }
    }
    takeWord(rest);
  }
  return std::nullopt;
}

} // namespace

std::optional<PerfHeader> parsePerfHeader(std::string_view line) {
  line = trimmed(line); // perf right-aligns the command if no call stack follows
  std::string_view rest = line;
  while (!rest.empty()) {
    const std::string_view before = line.substr(0, line.size() - rest.size());
    if (const auto time = timeIn(takeWord(rest))) {
      PerfHeader header;
      header.time = time;
      readSubject(before, header);
      readEvent(rest, header);
      return header;
    }
  }
  return headerWithoutTime(line);
}

std::string_view withoutArguments(std::string_view name) {
  std::string_view at = name;
  for (bool more = true; more;) {
    at = trimmed(at);
    more = false;
    for (const std::string_view word : {"const", "volatile", "noexcept", "&"})
      if (at.ends_with(word) && at.size() > word.size()) at.remove_suffix(word.size()), more = true;
  }
  if (!at.ends_with(')')) return name;
  int depth = 0;
  std::size_t open = at.size();
  while (open > 0) {
    const char c = at[--open];
    depth += c == ')' ? 1 : c == '(' ? -1 : 0;
    if (depth == 0) break;
  }
  const std::string_view list = at.substr(open), before = trimmed(at.substr(0, open));
  // "operator()" and "(anonymous namespace)" are names; Go's "(*Client)" is a part of one.
  if (depth != 0 || before.empty() || before.ends_with("operator") || before.ends_with("::") || before.ends_with('.') ||
      list == "(anonymous namespace)")
    return name;
  return before;
}

bool isPerfFrame(std::string_view line) {
  if (line.empty() || !isSpace(line.front())) return false;
  const std::string_view word = takeWord(line);
  return !word.empty() && word.find_first_not_of("0123456789abcdef") == std::string_view::npos && !trimmed(line).empty();
}

std::vector<PerfFrame> framesOfPerf(std::string_view line, bool isJava) {
  takeWord(line); // the address
  line = trimmed(line);
  std::string module;
  constexpr std::string_view kGone = " (deleted))"; // a file that was removed or replaced since
  std::size_t behind = std::string_view::npos;
  if (line.ends_with(kGone)) behind = line.size() - kGone.size() - 1;
  if (const std::size_t open = line.rfind(" (", behind); open != std::string_view::npos && line.ends_with(')')) {
    module = line.substr(open + 2, line.size() - open - 3);
    line = line.substr(0, open);
  }
  if (line.empty() || (line.front() == '(' && module.empty())) return {}; // a module alone
  if (const std::size_t offset = line.rfind("+0x");
      offset != std::string_view::npos && offset > 0 &&
      line.find_first_not_of("0123456789abcdef", offset + 3) == std::string_view::npos)
    line = line.substr(0, offset);
  if (line == "[unknown]") {
    if (module.empty() || module == "[unknown]") return {{"[unknown]", {}}};
    return {{"[" + module.substr(module.rfind('/') + 1) + "]", module}};
  }
  std::vector<PerfFrame> frames;
  for (std::size_t at = 0; at <= line.size();) {
    std::size_t end = line.find("->", at);
    while (end != std::string_view::npos && line.substr(0, end).ends_with("operator")) end = line.find("->", end + 2);
    end = std::min(end, line.size());
    std::string_view name = withoutArguments(line.substr(at, end - at));
    if (isJava && name.starts_with('L') && name.find('/') != std::string_view::npos) name.remove_prefix(1);
    frames.push_back({std::string(name), module});
    at = end + 2;
  }
  return frames;
}

} // namespace reports::exchange
