#include "reports/exchange/foreign_formats.h"

#include "reports/core/text.h"

#include <array>

namespace reports::exchange {

namespace {

using namespace std::string_view_literals;

// FILE in a command is replaced by the path.
struct Kind {
  std::string_view what, advice;
};

struct MagicKind {
  std::string_view magic;
  Kind kind;
};
constexpr std::array kMagics{
    MagicKind{"PERFILE2"sv, {"a recording of perf", "write it as text: perf script -i FILE > out.txt, and import out.txt"}},
    MagicKind{"SIMPLEPERF"sv,
              {"a file of simpleperf samples",
               "fold the stacks with simpleperf's script: stackcollapse.py -i perf.data > out.folded, and import out.folded"}},
    MagicKind{"PK\x03\x04"sv, {"a zip archive", "unpack it: unzip FILE, and import the trace in it"}},
    MagicKind{"\xfd"
              "7zXZ"sv,
              {"packed with xz", "unpack it: xz -dk FILE"}},
    MagicKind{"BZh"sv, {"packed with bzip2", "unpack it: bzip2 -dk FILE"}},
    MagicKind{"7z\xbc\xaf\x27\x1c"sv, {"a 7z archive", "unpack it: 7z x FILE, and import the trace in it"}},
    MagicKind{"\x04\x22\x4d\x18"sv, {"packed with lz4", "unpack it: lz4 -d FILE"}},
    MagicKind{"\x17\x08\x44tracing"sv,
              {"a recording of trace-cmd", "write it as text: trace-cmd report -i FILE > out.txt, and import out.txt"}},
    MagicKind{"\x10\x00\x04\x46\x78\x54\x16\x00"sv,
              {"a Fuchsia trace", "write it as JSON: trace2json < FILE > out.json, and import out.json"}},
    MagicKind{
        "FLR\0"sv,
        {"a recording of the JDK Flight Recorder",
         "fold its stacks with the converter of async-profiler: jfrconv -o collapsed FILE out.folded, and import out.folded"}},
    MagicKind{"gmon"sv, {"a profile of gprof", "it holds no call stacks in time: gprof PROGRAM FILE shows it"}},
    MagicKind{"tlZ\x04"sv, {"a trace of Tracy", "Tilescope does not read it: tracy-csvexport FILE lists its zones"}},
    MagicKind{"\x7f"
              "ELF"sv,
              {"a program", "name a trace file"}},
    MagicKind{"%PDF"sv, {"a PDF document", "name a trace file"}},
    MagicKind{"\x89PNG"sv, {"an image", "name a trace file"}},
    MagicKind{"# callgrind format"sv,
              {"a profile of callgrind",
               "it holds calls but no call stacks in time: callgrind_annotate FILE shows it; perf record -g records stacks"}},
    MagicKind{
        "Analysis of sampling "sv,
        {"the text of sample (macOS)", "fold its stacks: stackcollapse-sample.awk FILE > out.folded, and import out.folded"}},
    MagicKind{"/* CTF "sv, {"the metadata of a Common Trace Format trace", "Tilescope does not read it: babeltrace2 shows it"}},
};

constexpr Kind kCallgrind = {
    "a profile of callgrind",
    "it holds calls but no call stacks in time: callgrind_annotate FILE shows it; perf record -g records "
    "stacks"};
constexpr Kind kCachegrind = {
    "a profile of cachegrind",
    "it holds sums of lines and no call stacks: cg_annotate FILE shows it; perf record -g, and perf script > "
    "out.txt, record what is read"};
constexpr Kind kXctrace = {"a table of Instruments (xctrace)",
                           "fold its stacks: inferno-collapse-xctrace FILE > out.folded, and import out.folded"};
constexpr Kind kGecko = {
    "a profile of the Firefox Profiler",
    "open it at https://www.speedscope.app, export it there, and import the file; of perf data: perf script > "
    "out.txt is read"};
constexpr Kind kStrace = {"a log of strace",
                          "it holds calls of the system and no trace events: perf trace, or perf record -g and perf "
                          "script > out.txt, record what is read"};
constexpr Kind kDtrace = {"the output of dtrace", "fold them: stackcollapse.pl FILE > out.folded, and import out.folded"};
constexpr Kind kMassif = {"a profile of massif", "it holds sizes of the heap and no time of functions: ms_print FILE shows it"};
constexpr Kind kGprof = {"a report of gprof",
                         "it holds sums of functions and no call stacks: perf record -g, and perf script > out.txt, record "
                         "what is read"};
constexpr Kind kPerfReport = {
    "a report of perf (perf report)",
    "it holds shares and no samples: write them from the same recording: perf script > out.txt, and import "
    "out.txt"};
constexpr Kind kPerfStat = {"the counts of perf stat",
                            "they are sums and have no times: perf record -g, and perf script > out.txt, record what is read"};
constexpr Kind kMemoryList = {"a list of sizes of memory, as in /proc/meminfo",
                              "it holds one moment and no events: a Perfetto trace with linux.sys_stats records it over time"};
constexpr Kind kNumberList = {
    "a list of names and numbers",
    "folded stacks have a ';' between their frames; --format folded reads each name as a stack of one frame"};
constexpr Kind kHtml = {"a page of HTML",
                        "if it is a systrace, open it in Chrome (about:tracing), save the trace there, and import what it saved"};

bool has(std::string_view head, std::string_view text) { return head.find(text) != std::string_view::npos; }

// Calls f(line) for the first whole lines, at most 40.
template<class F> void forEachHeadLine(std::string_view head, F&& f) {
  for (int lines = 0; lines < 40 && !head.empty(); ++lines) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    std::string_view line = head.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    f(line);
    head.remove_prefix(std::min(end + 1, head.size()));
  }
}

bool isDigits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

// Whether a line is like "openat(AT_FDCWD, "x") = 3", optionally after a pid and a time.
bool isStrace(std::string_view head) {
  int calls = 0, others = 0;
  forEachHeadLine(head, [&](std::string_view line) {
    if (line.empty()) return;
    const std::size_t equals = line.rfind(" = ");
    std::string_view call = line.substr(0, equals == std::string_view::npos ? 0 : equals);
    while (call.ends_with(' ')) call.remove_suffix(1);
    const std::string_view name = call.substr(0, call.find('('));
    const bool isCall = call.ends_with(')') && !name.empty() && name.find_first_of("{};<>") == std::string_view::npos;
    const bool isOther =
        line.starts_with("+++ ") || line.starts_with("--- ") || has(line, " resumed>") || has(line, "<unfinished ...>");
    ++(isCall || isOther ? calls : others);
  });
  return calls > 0 && calls > 2 * others;
}

// Whether lines are like "MemTotal:       32793564 kB", of /proc/meminfo, /proc/PID/status or smaps.
bool isMemoryList(std::string_view head) {
  int sizes = 0, others = 0;
  forEachHeadLine(head, [&](std::string_view line) {
    if (line.empty()) return;
    const std::size_t colon = line.find(':');
    const bool isSize = colon != std::string_view::npos && line.find(' ') > colon && line.ends_with(" kB");
    ++(isSize ? sizes : others);
  });
  return sizes >= 3 && sizes > others;
}

// Whether lines are like "processor 0": names, each with a number. Folded stacks have a ';' in at least one line.
bool isNumberList(std::string_view head) {
  int numbers = 0, others = 0;
  forEachHeadLine(head, [&](std::string_view line) {
    if (line.empty()) return;
    const std::size_t space = line.find_last_of(" \t");
    const bool isNumber =
        space != std::string_view::npos && isDigits(line.substr(space + 1)) && line.front() > ' ' && !has(line, ";");
    ++(isNumber ? numbers : others);
  });
  return numbers >= 2 && others == 0;
}

// Texts that profilers print for people.
std::optional<Kind> reportKind(std::string_view head) {
  const std::string_view start = head.substr(0, 4096);
  const bool isTable = has(start, "self") && has(start, "cumulative");
  if ((has(start, "Flat profile:") && isTable) || has(start, "Call graph (explanation follows)")) return kGprof;
  if (start.starts_with("desc: ") && has(start, "\ntime_unit: ")) return kMassif;
  if (has(start, "Performance counter stats for ")) return kPerfStat;
  if (has(start, "# Overhead  ") || (has(start, "# Samples: ") && has(start, " of event '"))) return kPerfReport;
  if (isMemoryList(head)) return kMemoryList;
  if (isNumberList(head)) return kNumberList;
  return std::nullopt;
}

// Blocks of frames "module`function+0x1", each closed by a line with only its count.
bool isDtrace(std::string_view head) {
  int frames = 0, counts = 0, others = 0;
  forEachHeadLine(head, [&](std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return;
    line.remove_prefix(first);
    ++(isDigits(line) ? counts : has(line, "`") && !has(line, " ") ? frames : others);
  });
  return counts > 0 && frames > counts && others <= counts;
}

std::optional<Kind> jsonKind(std::string_view head) {
  if (has(head, "\"traceEvents\"")) return std::nullopt;
  if (has(head, "\"threads\"") && has(head, "\"meta\"") && (has(head, "\"stackTable\"") || has(head, "\"libs\""))) return kGecko;
  if (has(head, "\"resourceSpans\"") || has(head, "\"traceID\"") || has(head, "\"traceId\""))
    return Kind{"a file of OpenTelemetry, Jaeger or Zipkin spans",
                "Tilescope does not read them; write them as Chrome trace events"};
  if (has(head, "\"log\"") && has(head, "\"entries\"") && has(head, "\"creator\""))
    return Kind{"an HTTP archive (HAR)", "Tilescope does not read it; record a trace with the Performance panel instead"};
  if (has(head, "\"selfSize\"") || (has(head, "\"snapshot\"") && has(head, "\"node_fields\"")))
    return Kind{"a heap profile of V8", "it holds allocations and no time; the CPU profile (*.cpuprofile) is read"};
  if (has(head, "\"constants\"") && has(head, "\"logEventTypes\""))
    return Kind{"a network log of Chrome", "Tilescope does not read it; record a trace with chrome://tracing"};
  return std::nullopt;
}

std::optional<Kind> kindOf(std::string_view head) {
  for (const MagicKind& m : kMagics)
    if (head.starts_with(m.magic)) return m.kind;
  if (head.size() > 262 && head.substr(257, 5) == "ustar")
    return Kind{"a tar archive", "unpack it: tar xf FILE, and import the trace in it"};
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  const std::string_view text = first == std::string_view::npos ? std::string_view() : head.substr(first);
  if (text.starts_with('{') || text.starts_with('[')) return jsonKind(head);
  if (has(head.substr(0, 4096), "<trace-query-result")) return kXctrace;
  if (text.starts_with("<!DOCTYPE html") || text.starts_with("<!doctype html") || text.starts_with("<html")) return kHtml;
  if ((text.starts_with("version: ") || text.starts_with("events: ") || text.starts_with("creator: ")) && has(head, "\nfn="))
    return kCallgrind;
  if (text.starts_with("desc: ") && has(head, "\nevents: ") && has(head, "\nfn=")) return kCachegrind;
  if (text.starts_with("Sampling process ")) return kindOf("Analysis of sampling ");
  if (isStrace(head)) return kStrace;
  if (isDtrace(head)) return kDtrace;
  return reportKind(head);
}

} // namespace

std::optional<ForeignFormat> foreignFormat(std::string_view head, const std::filesystem::path& file) {
  const auto kind = kindOf(head);
  if (!kind) return std::nullopt;
  ForeignFormat format{std::string(kind->what), std::string(kind->advice)};
  if (const std::size_t at = format.advice.find("FILE"); at != std::string::npos)
    format.advice.replace(at, 4, displayText(file.string()));
  return format;
}

} // namespace reports::exchange
