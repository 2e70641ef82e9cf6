#include "reports/exchange/perf_script.h"

#include "reports/core/text.h"
#include "reports/exchange/json_scan.h"
#include "reports/exchange/name_cache.h"
#include "reports/exchange/stack_timeline.h"
#include "reports/exchange/text_lines.h"

#include <algorithm>
#include <charconv>
#include <deque>

namespace reports::exchange {

namespace {

bool isSpace(char c) { return c == ' ' || c == '\t'; }

// Takes the next word off `text`.
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
  header.tid = *first;
  if (slash == std::string_view::npos) return true;
  const auto second = numberIn(word.substr(slash + 1));
  if (!second) return false;
  header.pid = *first;
  header.tid = *second;
  return true;
}

} // namespace

std::optional<PerfHeader> parsePerfHeader(std::string_view line) {
  // perf aligns the command to the right where no call stack follows.
  while (!line.empty() && isSpace(line.front())) line.remove_prefix(1);
  if (line.empty()) return std::nullopt;
  // A command may hold spaces and numbers: the ids are the first word that is followed by a time, or by [cpu] and a time.
  std::string_view rest = line;
  takeWord(rest);
  while (!rest.empty()) {
    const std::string_view before = line.substr(0, line.size() - rest.size());
    PerfHeader header;
    std::string_view look = rest;
    const bool ids = readIds(takeWord(look), header);
    std::string_view word = takeWord(look);
    if (word.starts_with('[') && word.ends_with(']')) word = takeWord(look);
    const auto time = timeIn(word);
    if (ids && time) {
      header.time = *time;
      header.command = before;
      std::string_view event = takeWord(look);
      if (numberIn(event)) event = takeWord(look);
      while (event.ends_with(':')) event.remove_suffix(1);
      header.event = event.empty() ? std::string_view("samples") : event;
      header.rest = look;
      return header;
    }
    takeWord(rest);
  }
  return std::nullopt;
}

namespace {

// As stackcollapse-perf: no arguments, no quotes, no `;`.
std::string tidyName(std::string_view raw, bool java) {
  std::string name(raw);
  std::replace(name.begin(), name.end(), ';', ':');
  // Go's methods keep their parentheses: "net/http.(*Client).Do"
  const std::size_t open = name.find(".(");
  const bool isGo = open != std::string::npos && name.find(").", open) != std::string::npos;
  if (!isGo) {
    std::size_t at = name.find('(');
    while (at != std::string::npos && name.compare(at, 21, "(anonymous namespace)") == 0) at = name.find('(', at + 1);
    if (at != std::string::npos) name.erase(at);
  }
  std::erase_if(name, [](char c) { return c == '"' || c == '\''; });
  if (java && name.starts_with('L') && name.find('/') != std::string::npos) name.erase(0, 1);
  return name;
}

// "ffffffff8104f45a native_write_msr+0x6 ([kernel.kallsyms])" gives the function, or the module where it has no name.
std::vector<std::string> framesIn(std::string_view line, bool java) {
  takeWord(line); // the address
  while (!line.empty() && isSpace(line.front())) line.remove_prefix(1);
  std::string_view module;
  if (const std::size_t open = line.rfind(" ("); open != std::string_view::npos && line.ends_with(')')) {
    module = line.substr(open + 2, line.size() - open - 3);
    line = line.substr(0, open);
  }
  if (line.empty() || line.front() == '(') return {};
  if (const std::size_t offset = line.rfind("+0x");
      offset != std::string_view::npos && offset > 0 &&
      line.find_first_not_of("0123456789abcdef", offset + 3) == std::string_view::npos)
    line = line.substr(0, offset);
  if (line == "[unknown]") {
    if (module.empty() || module == "[unknown]") return {"[unknown]"};
    const std::size_t slash = module.rfind('/');
    return {"[" + std::string(slash == std::string_view::npos ? module : module.substr(slash + 1)) + "]"};
  }
  std::vector<std::string> frames; // "outer->inner" is a function with another inlined into it
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find("->", at), line.size());
    frames.push_back(tidyName(line.substr(at, end - at), java));
    at = end + 2;
  }
  return frames;
}

class PerfReader {
public:
  PerfReader(Window& window, TraceAssembly& assembly) : m_lines(window), m_assembly(assembly) {}

  void read() {
    std::string_view line;
    while (m_lines.next(line)) {
      if (line.starts_with('#')) continue;
      const bool empty = line.find_first_not_of(" \t") == std::string_view::npos;
      if (empty) {
        flush();
      } else if (isSpace(line.front()) && m_inside && !m_oneLine) {
        addFrames(line);
      } else if (const auto header = parsePerfHeader(line)) {
        flush();
        // A first header after spaces: every sample is one line, with its only frame behind the event.
        if (m_threads.empty()) m_oneLine = isSpace(line.front());
        start(*header);
        if (m_oneLine && isAddress(header->rest)) addFrames(header->rest);
      } else {
        m_assembly.counts().mend(Mend::LinesNotRead);
      }
    }
    flush();
    finish();
  }

private:
  // The samples of one event on one thread: cycles and cache misses are not added.
  struct Thread {
    std::size_t track = 0, event = 0;
    uint32_t command = 0;
    std::vector<std::pair<int64_t, std::vector<uint32_t>>> samples;
  };

  // Tracepoints have fields behind the event, samples the address they were taken at.
  static bool isAddress(std::string_view text) {
    const std::string_view word = takeWord(text);
    return !word.empty() && word.find_first_not_of("0123456789abcdef") == std::string_view::npos && !text.empty();
  }
  void addFrames(std::string_view line) {
    for (auto& frame : reversed(framesIn(line, m_java)))
      m_stack.push_back(m_names.get(frame, [&] { return m_assembly.string(validUtf8(frame)); }));
  }

  static std::vector<std::string> reversed(std::vector<std::string> frames) {
    std::reverse(frames.begin(), frames.end());
    return frames;
  }

  void start(const PerfHeader& header) {
    m_inside = true;
    m_java = header.command == "java";
    m_time = header.time;
    m_stack.clear();
    m_event = m_eventOf.get(header.event, [&] {
      m_events.push_back(validUtf8(header.event));
      return m_events.size() - 1;
    });
    std::string command = validUtf8(header.command);
    std::replace(command.begin(), command.end(), ' ', '_');
    const std::string key =
        command + '\x1f' + std::to_string(header.pid) + '/' + std::to_string(header.tid) + '\x1f' + std::to_string(m_event);
    m_thread = m_threadOf.get(key, [&] {
      const int64_t pid = header.pid >= 0 ? header.pid : header.tid;
      const std::size_t process = m_processOf.get(command + '\x1f' + std::to_string(pid), [&] {
        ++m_assembly.counts().processes;
        return m_assembly.addProcess(command, pid);
      });
      const std::size_t track = m_assembly.addTrack(process, "thread " + std::to_string(header.tid), header.tid);
      m_assembly.tracks()[track].rowKind = "sample";
      m_tids.get(std::to_string(header.tid), [&] { return ++m_assembly.counts().threads, true; });
      m_threads.push_back({track, m_event, m_assembly.string(command), {}});
      return m_threads.size() - 1;
    });
  }

  void flush() {
    if (!m_inside) return;
    m_inside = false;
    Thread& thread = m_threads[m_thread];
    if (m_stack.empty()) {
      m_assembly.counts().mend(Mend::SamplesWithoutStack);
      if (m_oneLine) m_stack.push_back(m_assembly.string(m_events[m_event]));
    }
    m_stack.push_back(thread.command);
    std::reverse(m_stack.begin(), m_stack.end());
    thread.samples.emplace_back(m_time, m_stack);
    m_stack.clear();
  }

  void finish() {
    TraceSource& source = m_assembly.source();
    source.clock = "monotonic";
    int64_t last = std::numeric_limits<int64_t>::min(), first = std::numeric_limits<int64_t>::max();
    for (Thread& thread : m_threads) {
      auto& samples = thread.samples;
      std::stable_sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      last = std::max(last, samples.back().first);
      first = std::min(first, samples.front().first);
    }
    if (first <= last) source.eventDuration = last - first;
    for (Thread& thread : m_threads) {
      const std::string& event = m_events[thread.event];
      if (m_events.size() > 1) m_assembly.tracks()[thread.track].name += ": " + event;
      StackTimeline timeline(m_assembly, thread.track, m_assembly.channel(event), true);
      for (const auto& [time, stack] : thread.samples) timeline.add(time, stack);
      timeline.finish(timeline.lastTime() + periodOf(thread));
    }
  }

  // The usual distance of samples: how long the last one is drawn.
  static int64_t periodOf(const Thread& thread) {
    std::vector<int64_t> gaps;
    for (std::size_t i = 1; i < thread.samples.size(); ++i) gaps.push_back(thread.samples[i].first - thread.samples[i - 1].first);
    if (gaps.empty()) return 1'000'000;
    std::nth_element(gaps.begin(), gaps.begin() + std::ptrdiff_t(gaps.size() / 2), gaps.end());
    return std::max<int64_t>(1, gaps[gaps.size() / 2]);
  }

  TextLines m_lines;
  TraceAssembly& m_assembly;
  NameCache<uint32_t> m_names;
  NameCache<std::size_t> m_processOf, m_threadOf, m_eventOf;
  NameCache<bool> m_tids;
  std::deque<Thread> m_threads;
  std::size_t m_thread = 0;
  bool m_inside = false, m_java = false, m_oneLine = false;
  int64_t m_time = 0;
  std::vector<std::string> m_events;
  std::size_t m_event = 0;       // of the sample being read
  std::vector<uint32_t> m_stack; // from the innermost frame out
};

} // namespace

bool looksLikePerfScript(std::string_view head) {
  int looked = 0;
  for (std::size_t at = 0; at < head.size() && looked < 3;) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    std::string_view line = head.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#')) continue;
    if (parsePerfHeader(line)) return true;
    ++looked;
  }
  return false;
}

void readPerfScript(Window& window, TraceAssembly& assembly) { PerfReader(window, assembly).read(); }

} // namespace reports::exchange
