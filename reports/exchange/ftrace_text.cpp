#include "reports/exchange/ftrace_text.h"

#include "reports/core/join.h"
#include "reports/core/text.h"
#include "reports/exchange/json_scan.h"
#include "reports/exchange/text_lines.h"

#include <charconv>

namespace reports::exchange {

namespace {

std::string_view strippedText(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::optional<int64_t> wholeNumber(std::string_view text) {
  int64_t v = 0;
  text = strippedText(text);
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), v);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return v;
}

// The value of "key=value". It extends to the next key, because a command may contain spaces.
std::string_view fieldNamed(std::string_view fields, std::string_view key) {
  for (std::size_t at = fields.find(key); at != std::string_view::npos; at = fields.find(key, at + 1)) {
    if (at > 0 && fields[at - 1] != ' ') continue;
    std::string_view rest = fields.substr(at + key.size());
    if (!rest.starts_with('=')) continue;
    rest.remove_prefix(1);
    std::size_t end = rest.find('=');
    if (end != std::string_view::npos) end = rest.rfind(' ', end);
    return strippedText(rest.substr(0, end));
  }
  return {};
}

// Converts the letter of a state to the kernel's bits.
int64_t stateBits(std::string_view state) {
  constexpr std::string_view kLetters = "SDTtXZPI";
  if (state.empty()) return 0;
  const std::size_t bit = kLetters.find(state.front());
  return bit == std::string_view::npos ? (state == "R+" ? 0x100 : 0) : int64_t(1) << bit;
}

// A thread as libtraceevent prints it: "worker:101 [120]". Its name may contain colons.
struct PrintedThread {
  std::string_view name;
  int64_t tid = -1, priority = -1;
};
std::optional<PrintedThread> printedThread(std::string_view text) {
  const std::size_t bracket = text.rfind(" [");
  if (bracket == std::string_view::npos) return std::nullopt;
  PrintedThread thread;
  std::string_view priority = text.substr(bracket + 2);
  thread.priority = wholeNumber(priority.substr(0, priority.find(']'))).value_or(-1);
  const std::string_view before = strippedText(text.substr(0, bracket));
  const std::size_t colon = before.rfind(':');
  const auto tid = colon == std::string_view::npos ? std::nullopt : wholeNumber(before.substr(colon + 1));
  if (!tid) return std::nullopt;
  thread.name = before.substr(0, colon), thread.tid = *tid;
  return thread;
}

// "prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120", or "a:1 [120] S ==> b:2 [120]".
std::optional<PerfettoKernel::Switch> switchIn(std::string_view fields) {
  PerfettoKernel::Switch change;
  std::string_view state;
  if (fields.find("next_pid=") != std::string_view::npos) {
    const auto number = [&](std::string_view key) { return wholeNumber(fieldNamed(fields, key)); };
    change.previous = number("prev_pid").value_or(-1);
    change.next = number("next_pid").value_or(0);
    change.priority = number("next_prio").value_or(-1);
    state = fieldNamed(fields, "prev_state");
    change.previousName = fieldNamed(fields, "prev_comm");
    change.nextName = fieldNamed(fields, "next_comm");
  } else {
    const std::size_t arrow = fields.find(" ==> ");
    if (arrow == std::string_view::npos) return std::nullopt;
    const auto before = printedThread(fields.substr(0, arrow)), after = printedThread(fields.substr(arrow + 5));
    if (!before || !after) return std::nullopt;
    change.previous = before->tid, change.previousName = before->name;
    change.next = after->tid, change.nextName = after->name, change.priority = after->priority;
    state = strippedText(fields.substr(0, arrow));
    state = state.substr(state.rfind(']') + 1);
    state = strippedText(state);
  }
  change.previousState = stateBits(state.substr(0, state.find(' ')));
  return change;
}

} // namespace

struct KernelText::Rows {
  explicit Rows(TraceAssembly& assembly) : rows(assembly), kernel(assembly, rows) {}
  PerfettoRows rows;
  PerfettoKernel kernel;

  bool addKind(const FtraceLine& line) {
    const auto number = [&](std::string_view key) { return wholeNumber(fieldNamed(line.fields, key)); };
    if (line.event == "tracing_mark_write" || line.event == "print" || line.event == "0") {
      kernel.addMark(line.fields, line.time, line.tid);
      return true;
    }
    if (line.event == "sched_switch") {
      auto change = switchIn(line.fields);
      if (!change) return false;
      change->time = line.time;
      kernel.addSwitch(line.cpu, *change);
      return true;
    }
    if (line.event == "sched_waking" || line.event == "sched_wakeup" || line.event == "sched_wakeup_new") {
      PrintedThread woken;
      if (const auto tid = number("pid"))
        woken.tid = *tid, woken.name = fieldNamed(line.fields, "comm");
      else if (const auto printed = printedThread(line.fields))
        woken = *printed;
      if (woken.tid < 0) return false;
      rows.nameThread(woken.tid, {}, validUtf8(woken.name), false);
      kernel.addWaking(woken.tid, line.time);
      return true;
    }
    if (line.event == "cpu_frequency") {
      const auto state = number("state"), cpu = number("cpu_id");
      if (!state || !cpu) return false;
      kernel.addFrequency(*cpu, line.time, *state);
      return true;
    }
    return false;
  }
};

KernelText::KernelText(TraceAssembly& assembly) : m_assembly(assembly) {}
KernelText::~KernelText() = default;

bool KernelText::add(const FtraceLine& line) {
  if (!m_rows) m_rows = std::make_unique<Rows>(m_assembly);
  if (line.process) m_rows->rows.setProcessOf(line.tid, *line.process);
  if (line.tid > 0 && line.command != "<...>") m_rows->rows.nameThread(line.tid, {}, validUtf8(line.command), false);
  m_assembly.source().see(line.time);
  return m_rows->addKind(line);
}

void KernelText::finish() {
  if (!m_rows) return;
  m_rows->kernel.finish();
  m_rows->rows.finish();
}

namespace {

class FtraceTextReader {
public:
  explicit FtraceTextReader(TraceAssembly& assembly) : m_assembly(assembly), m_kernel(assembly) {}

  void add(std::string_view line) {
    if (line.starts_with('#') || strippedText(line).empty() || line.starts_with("cpus=")) return;
    if (line.starts_with("CPU ") || line.starts_with("CPU:")) { // "CPU 3 is empty", "CPU:3 [LOST 20 EVENTS]"
      if (line.find("LOST") != std::string_view::npos) m_assembly.counts().mend(Mend::PacketsLost);
      return;
    }
    const auto event = parseFtraceLine(line);
    if (!event) return m_assembly.counts().mend(Mend::LinesNotRead);
    if (!m_kernel.add(*event)) {
      m_assembly.counts().mend(Mend::EventsOfUnknownKind);
      ++m_notShown[validUtf8(event->event)];
    }
  }
  void finish() {
    m_kernel.finish();
    if (m_notShown.empty()) return;
    int64_t all = 0;
    for (const auto& [kind, n] : m_notShown) all += n, m_assembly.counts().notShown["ftrace " + kind] += n;
    const std::string list = joined(m_notShown, [](const auto& k) { return k.first + " (" + std::to_string(k.second) + ")"; });
    m_assembly.sink().add(ReportIssueRow{0, "notice", m_assembly.source().name,
                                         "kinds of kernel events that are not shown: " + displayText(list, 2000), "", all});
  }

private:
  TraceAssembly& m_assembly;
  KernelText m_kernel;
  std::map<std::string, int64_t> m_notShown;
};

} // namespace

std::optional<FtraceLine> parseFtraceLine(std::string_view line) {
  line = strippedText(line);
  // The CPU in brackets separates the thread from the time; the name of the thread may contain any text.
  std::size_t open = line.find(" [");
  std::optional<int64_t> cpu;
  std::size_t close = 0;
  for (; open != std::string_view::npos; open = line.find(" [", open + 1)) {
    close = line.find(']', open);
    if (close == std::string_view::npos) return std::nullopt;
    cpu = wholeNumber(line.substr(open + 2, close - open - 2));
    if (cpu) break;
  }
  if (!cpu) return std::nullopt;
  FtraceLine event;
  event.cpu = *cpu;
  std::string_view thread = strippedText(line.substr(0, open));
  if (thread.ends_with(')')) { // the process, or dashes
    const std::size_t from = thread.rfind('(');
    if (from == std::string_view::npos) return std::nullopt;
    event.process = wholeNumber(thread.substr(from + 1, thread.size() - from - 2));
    thread = strippedText(thread.substr(0, from));
  }
  const std::size_t dash = thread.rfind('-');
  const auto tid = dash == std::string_view::npos ? std::nullopt : wholeNumber(thread.substr(dash + 1));
  if (!tid || *tid < 0) return std::nullopt;
  event.tid = *tid;
  event.command = thread.substr(0, dash);
  // Flags may precede the time.
  std::string_view rest = strippedText(line.substr(close + 1));
  for (int words = 0; words < 3; ++words) {
    const std::size_t end = rest.find(' ');
    std::string_view word = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : strippedText(rest.substr(end));
    if (!word.ends_with(':')) continue;
    word.remove_suffix(1);
    JsonToken token;
    token.kind = JsonToken::Number;
    token.text = word;
    const auto time =
        word.find_first_not_of("0123456789.") == std::string_view::npos ? scaledOf(token, 1'000'000'000) : std::nullopt;
    if (!time || *time >= kMostScaled) return std::nullopt;
    event.time = *time;
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    event.event = strippedText(rest.substr(0, colon));
    event.fields = strippedText(rest.substr(colon + 1));
    return event;
  }
  return std::nullopt;
}

// `perf script` also prints events as such lines, without the dash before the tid.
bool looksLikeFtraceText(std::string_view head) {
  if (head.starts_with("# tracer:")) return true;
  int lines = 0;
  while (!head.empty() && lines < 8) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 1, head.size()));
    if (strippedText(line).empty() || line.starts_with('#') || line.starts_with("cpus=") || line.starts_with("CPU ")) continue;
    if (parseFtraceLine(line)) return true;
    ++lines;
  }
  return false;
}

void readFtraceText(Window& window, TraceAssembly& assembly) {
  FtraceTextReader reader(assembly);
  assembly.source().clock = "boottime";
  TextLines lines(window);
  for (std::string_view line; lines.next(line);) reader.add(line);
  reader.finish();
}

void addFtraceText(std::string_view text, TraceAssembly& assembly) {
  FtraceTextReader reader(assembly);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.add(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  reader.finish();
}

} // namespace reports::exchange
