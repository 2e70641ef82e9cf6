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

// Parses "123.456789:"; returns nanoseconds.
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

// Reads "977/978" (pid and tid) or "978" (tid).
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

std::optional<int64_t> cpuIn(std::string_view word) {
  if (word.size() <= 2 || word.front() != '[' || word.back() != ']') return std::nullopt;
  return numberIn(word.substr(1, word.size() - 2));
}

// Reads the part before the time, or before the period: a command of any words, ids, a CPU.
void readSubject(std::string_view before, PerfHeader& header) {
  before = trimmed(before);
  const auto lastWord = [&] { return before.substr(before.find_last_of(" \t") + 1); };
  if (const auto cpu = cpuIn(lastWord())) {
    header.cpu = *cpu;
    before = trimmed(before.substr(0, before.size() - lastWord().size()));
  }
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
  // `-F` without the event: the frame follows the time directly.
  if (!event.ends_with(':') && isPerfFrame(std::string_view(event.data() - 1, event.size() + text.size() + 1))) {
    header.event = "samples";
    header.rest = std::string_view(event.data() - 1, event.size() + text.size() + 1);
    return;
  }
  while (event.ends_with(':')) event.remove_suffix(1);
  header.event = event.empty() ? std::string_view("samples") : event;
  header.rest = text;
}

bool isEventName(std::string_view word) {
  return word.size() > 1 && word.back() == ':' && !numberIn(word.substr(0, word.size() - 1));
}

// Whether the number before the event is a period, not a thread. perf pads periods to ten columns; a thread's number has at most
// seven digits and is at most 2^22.
bool isPeriod(std::string_view before, std::string_view number) {
  constexpr std::size_t kColumns = 10;
  constexpr int64_t kMostThreads = int64_t(1) << 22;
  const std::size_t lastWord = before.find_last_not_of(" \t");
  const std::size_t blanks = lastWord == std::string_view::npos ? before.size() : before.size() - lastWord - 2;
  const auto value = numberIn(number);
  return value && (blanks + number.size() >= kColumns || *value > kMostThreads);
}

// Parses a header without a time: ids, a CPU or neither, perhaps a period, and a name with a colon. The name may be alone.
std::optional<PerfHeader> headerWithoutTime(std::string_view line) {
  std::string_view rest = line;
  while (!trimmed(rest).empty()) {
    PerfHeader header;
    std::string_view look = rest;
    const std::string_view first = takeWord(look), before = line.substr(0, std::size_t(first.data() - line.data()));
    std::string_view event = look, word = takeWord(event);
    const auto cpu = cpuIn(first);
    if (cpu || isPeriod(before, first)) {
      if (cpu && numberIn(word)) word = takeWord(event);
      if (isEventName(word)) {
        header.cpu = cpu.value_or(-1);
        header.command = trimmed(before);
        readEvent(cpu ? look : rest, header);
        return header;
      }
    }
    if (readIds(first, header)) {
      event = look, word = takeWord(event);
      if (const auto on = cpuIn(word)) {
        header.cpu = *on;
        look = event, word = takeWord(event);
      }
      if (numberIn(word)) word = takeWord(event);
      if (isEventName(word) || trimmed(look).empty()) {
        header.command = trimmed(before);
        readEvent(look, header);
        return header;
      }
    }
    if (trimmed(before).empty() && isEventName(first) && (trimmed(look).empty() || isPerfFrame(look))) {
      readEvent(rest, header);
      return header;
    }
    rest = look;
  }
  return std::nullopt;
}

} // namespace

std::optional<PerfHeader> parsePerfHeader(std::string_view whole) {
  const std::string_view line = trimmed(whole); // perf aligns the command to the right if no call stack follows
  // A command may have a word like "5.6:"; perf's times have six decimals or nine.
  std::string_view rest = line, before, behind;
  std::optional<int64_t> time;
  for (bool isWhole = false; !rest.empty() && !isWhole;) {
    const std::string_view here = line.substr(0, line.size() - rest.size()), word = takeWord(rest);
    const auto found = timeIn(word);
    isWhole = found && word.size() - word.find('.') >= std::string_view(".123456:").size();
    if (found && (!time || isWhole)) time = found, before = here, behind = rest;
  }
  if (time) {
    PerfHeader header;
    header.time = time;
    readSubject(before, header);
    readEvent(behind, header);
    return header;
  }
  return headerWithoutTime(whole.substr(0, std::size_t(line.data() + line.size() - whole.data())));
}

namespace {

// The position of the opening parenthesis that matches the one at the end of `text`.
std::optional<std::size_t> openOfLast(std::string_view text) {
  int depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    depth += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
    if (depth == 0) return at;
  }
  return std::nullopt;
}

// Whether the last argument list belongs to the returned type, not to the function: "bool (*get(int))", "int (&table())", "void
// (Shape::*slot())". `before` is the text before that list. Such functions return a pointer or reference to a function, an array
// or a member.
bool returnsPointer(std::string_view before) {
  if (!before.ends_with(')')) return false;
  const auto open = openOfLast(before);
  if (!open || *open == 0 || !isSpace(before[*open - 1])) return false;
  const std::string_view inside = before.substr(*open + 1);
  const std::size_t mark = inside.find_first_of("*&("), member = inside.find("::*");
  return mark == 0 ? inside.front() != '(' : member != std::string_view::npos && member + 2 == mark;
}

} // namespace

std::string_view withoutArguments(std::string_view name) {
  std::string_view at = name;
  for (bool more = true; more;) {
    at = trimmed(at);
    more = false;
    for (const std::string_view word : {"const", "volatile", "noexcept", "&"})
      if (at.ends_with(word) && at.size() > word.size()) at.remove_suffix(word.size()), more = true;
  }
  if (!at.ends_with(')')) return name;
  const auto open = openOfLast(at);
  if (!open) return name;
  const std::string_view list = at.substr(*open), before = trimmed(at.substr(0, *open));
  // "operator()" and "(anonymous namespace)" are names, and Go's "(*Client)" is part of a name.
  if (before.empty() || returnsPointer(before) || before.ends_with("operator") || before.ends_with("::") ||
      before.ends_with('.') || list == "(anonymous namespace)")
    return name;
  return before;
}

namespace {

// The position, from `at` on, of the "->" in "outer->inner"; the end of the text without one. The arrow of a return type has
// blanks around it or is within brackets, and "operator->" is a name.
std::size_t arrowOfInlined(std::string_view names, std::size_t at) {
  int depth = 0;
  for (; at < names.size(); ++at) {
    const char c = names[at];
    const bool isArrow = c == '-' && names.substr(at).starts_with("->");
    const std::string_view before = names.substr(0, at);
    if (isArrow && depth == 0 && !before.ends_with("operator") && !before.ends_with(' ') && !names.substr(at).starts_with("-> "))
      return at;
    if (isArrow)
      ++at; // the > of "->" closes no bracket
    else if (c == '<' || c == '(' || c == '[' || c == '{')
      depth += !before.ends_with("operator") || c == '('; // the < of "operator<" opens no bracket
    else if (c == '>' || c == ')' || c == ']' || c == '}')
      depth -= depth > 0;
  }
  return names.size();
}

// The position of the module, " (/usr/bin/prog)", at the end of a frame. Paths may contain blanks and parentheses.
std::size_t moduleAt(std::string_view frame) {
  if (!frame.ends_with(')')) return std::string_view::npos;
  if (frame.starts_with("[unknown] (")) return std::string_view("[unknown]").size();
  const std::size_t offset = frame.rfind("+0x"); // ends the name
  if (offset != std::string_view::npos)
    if (const std::size_t open = frame.find_first_not_of("0123456789abcdef", offset + 3); frame.substr(open).starts_with(" ("))
      return open;
  int depth = 0;
  for (std::size_t at = frame.size(); at-- > 1;) {
    depth += frame[at] == ')' ? 1 : frame[at] == '(' ? -1 : 0;
    if (depth == 0 && frame[at - 1] == ' ') return at - 1;
    if (depth == 0) break;
  }
  return frame.rfind(" ("); // the parentheses do not match
}

} // namespace

bool isPerfFrame(std::string_view line) {
  if (line.empty() || !isSpace(line.front())) return false;
  const std::string_view word = takeWord(line);
  return !word.empty() && word.find_first_not_of("0123456789abcdef") == std::string_view::npos && !trimmed(line).empty();
}

bool isPerfFrameWithModule(std::string_view line) {
  if (!isPerfFrame(line)) return false;
  line = trimmed(line);
  const std::size_t open = moduleAt(line);
  return open != std::string_view::npos && (line.substr(open).starts_with(" (/") || line.substr(open).starts_with(" (["));
}

std::vector<PerfFrame> framesOfPerf(std::string_view line, bool isJava) {
  takeWord(line); // the address
  line = trimmed(line);
  std::string module;
  if (const std::size_t open = moduleAt(line); open != std::string_view::npos) {
    module = line.substr(open + 2, line.size() - open - 3);
    line = line.substr(0, open);
    if (module == "inlined") module.clear(); // perf writes "(inlined)" instead of the module
  }
  if (line.empty() || (line.front() == '(' && module.empty())) return {}; // only a module
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
    const std::size_t end = arrowOfInlined(line, at);
    std::string_view name = withoutArguments(line.substr(at, end - at));
    if (isJava && name.starts_with('L') && name.find('/') != std::string_view::npos) name.remove_prefix(1);
    frames.push_back({std::string(name), module});
    at = end + 2;
  }
  return frames;
}

} // namespace reports::exchange
