#include "reports/exchange/perf_script.h"

#include "reports/core/text.h"
#include "reports/exchange/details_json.h"
#include "reports/exchange/folded_tree.h"
#include "reports/exchange/name_cache.h"
#include "reports/exchange/perf_lines.h"
#include "reports/exchange/stack_timeline.h"
#include "reports/exchange/text_lines.h"

#include <algorithm>
#include <deque>
#include <map>

namespace reports::exchange {

namespace {

using Frame = StackTimeline::Frame;

class PerfReader {
public:
  PerfReader(Window& window, TraceAssembly& assembly) : m_lines(window), m_assembly(assembly) {}

  void read() {
    std::string_view line;
    while (m_lines.next(line)) {
      if (line.starts_with('#')) continue;
      const bool empty = line.find_first_not_of(" \t") == std::string_view::npos;
      const bool isIndented = !empty && (line.front() == ' ' || line.front() == '\t');
      const bool isInside = isIndented && m_inside; // an indented line after a header is a frame, or the next header
      if (empty) {
        flush();
      } else if (isInside && !isTimedHeader(line)) {
        addFrames(line);
      } else if (const auto header = parsePerfHeader(line)) {
        flush();
        start(*header);
        if (isPerfFrame(header->rest))
          addFrames(header->rest); // some print one sample per line, with its only frame after the event
      } else {
        m_assembly.counts().mend(Mend::LinesNotRead);
      }
    }
    flush();
    finish();
  }

private:
  struct Sample {
    int64_t time = 0;
    std::vector<Frame> stack; // from the outermost frame to the innermost
    std::optional<int64_t> period;
  };
  // The samples of one event on one thread: cycles and cache misses must not be summed.
  struct Thread {
    std::size_t track = 0, event = 0;
    std::vector<Sample> samples;
  };
  struct Event {
    std::string name;
    bool hasPeriods = false;
    FoldedTree withoutTime;
    std::vector<int64_t> gaps, periods; // between samples of one thread; of all samples
    int64_t usualPeriod = 0;
    std::map<int64_t, int32_t> weights; // details of a sample, by its period
  };

  static bool isTimedHeader(std::string_view line) {
    for (std::size_t colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1))
      if (colon > 0 && line[colon - 1] >= '0' && line[colon - 1] <= '9') {
        const auto header = parsePerfHeader(line);
        return header && header->time;
      }
    return false;
  }
  void addFrames(std::string_view line) {
    std::vector<PerfFrame> frames = framesOfPerf(line, m_java);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      m_stack.push_back(m_frames.get(frame->name + '\x1f' + frame->module, [&] {
        std::string details;
        if (!frame->module.empty()) addMember(details, "dso", quotedJson(frame->module));
        return Frame(m_assembly.string(validUtf8(frame->name)), m_assembly.details(details));
      }));
  }

  void start(const PerfHeader& header) {
    m_inside = true;
    m_java = header.command == "java";
    m_time = header.time;
    m_period = header.period;
    m_stack.clear();
    m_event = m_eventOf.get(header.event, [&] {
      m_events.push_back({validUtf8(header.event), false, FoldedTree(m_assembly), {}, {}, 0, {}});
      return m_events.size() - 1;
    });
    m_events[m_event].hasPeriods = m_events[m_event].hasPeriods || header.period;
    std::string command = header.command.empty() && header.tid >= 0 ? "thread " + std::to_string(header.tid)
                          : header.command.empty()                  ? std::string("samples")
                                                                    : validUtf8(header.command);
    std::replace(command.begin(), command.end(), ' ', '_');
    m_command = m_assembly.string(command);
    m_tids.get(std::to_string(header.tid), [&] { return m_threadCount += m_time.has_value(), true; });
    if (!m_time) return;
    const std::string key =
        command + '\x1f' + std::to_string(header.pid) + '/' + std::to_string(header.tid) + '\x1f' + std::to_string(m_event);
    m_thread = m_threadOf.get(key, [&] {
      const int64_t pid = header.pid >= 0 ? header.pid : header.tid;
      const auto number = [](int64_t id) { return id >= 0 ? std::optional(id) : std::nullopt; };
      const std::size_t process = m_processOf.get(command + '\x1f' + std::to_string(pid), [&] {
        ++m_assembly.counts().processes;
        return m_assembly.addProcess(command, number(pid));
      });
      const std::string name = header.tid >= 0 ? "thread " + std::to_string(header.tid) : "all threads";
      const std::size_t track = m_assembly.addTrack(process, name, number(header.tid));
      m_assembly.tracks()[track].rowKind = "sample";
      m_threads.push_back({track, m_event, {}});
      return m_threads.size() - 1;
    });
  }

  void flush() {
    if (!m_inside) return;
    m_inside = false;
    if (m_stack.empty()) {
      m_assembly.counts().mend(Mend::SamplesWithoutStack);
      m_stack.emplace_back(m_assembly.string(m_events[m_event].name)); // a tracepoint
    }
    m_stack.emplace_back(m_command);
    std::reverse(m_stack.begin(), m_stack.end());
    if (m_time)
      m_threads[m_thread].samples.push_back({*m_time, m_stack, m_period});
    else
      addWithoutTime();
    m_stack.clear();
  }
  void addWithoutTime() {
    std::vector<uint32_t> names;
    for (const Frame& frame : m_stack) names.push_back(frame.name);
    const int64_t period = std::clamp<int64_t>(m_period.value_or(1), 0, kMostScaled / kNanosecondsPerFoldedSample);
    if (!m_events[m_event].withoutTime.add(names, {period * kNanosecondsPerFoldedSample, 0}))
      return m_assembly.counts().mend(Mend::LinesNotRead);
    ++m_assembly.counts().samples;
    ++m_untimed;
  }

  void finish() {
    TraceSource& source = m_assembly.source();
    m_assembly.counts().threads += m_threadCount;
    source.clock = m_threads.empty() ? "none" : "monotonic";
    int64_t last = std::numeric_limits<int64_t>::min(), first = std::numeric_limits<int64_t>::max();
    for (Thread& thread : m_threads) {
      auto& samples = thread.samples;
      std::stable_sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
      last = std::max(last, samples.back().time);
      first = std::min(first, samples.front().time);
      for (const Sample& sample : samples)
        m_events[thread.event].periods.push_back(std::max<int64_t>(1, sample.period.value_or(1)));
      for (std::size_t i = 1; i < samples.size(); ++i)
        m_events[thread.event].gaps.push_back(samples[i].time - samples[i - 1].time);
    }
    if (first <= last) source.eventDuration = last - first;
    for (Thread& thread : m_threads) layOut(thread);
    layOutUntimed();
  }
  void layOut(Thread& thread) {
    Event& event = m_events[thread.event];
    if (m_events.size() > 1) m_assembly.tracks()[thread.track].name += ": " + event.name;
    StackTimeline timeline(m_assembly, thread.track, m_assembly.channel(event.name), true);
    const int64_t usual = usualGap(event.gaps);
    timeline.setUsualGap(usual);
    for (const Sample& sample : thread.samples) {
      timeline.add(sample.time, sample.stack, weightOf(event, sample));
      // A sample of fewer events than most represents less time, one of more events more.
      if (event.hasPeriods)
        timeline.setSpan(countsNanoseconds(event) ? std::max<int64_t>(1, sample.period.value_or(1))
                                                  : spanOf(usual, sample.period.value_or(1), usualPeriod(event)));
    }
    timeline.finish(timeline.lastTime() + timeline.span());
    thread.samples.clear();
  }
  // Whether the periods of the event are nanoseconds.
  static bool countsNanoseconds(const Event& event) {
    return event.name.starts_with("cpu-clock") || event.name.starts_with("task-clock");
  }
  static int64_t usualPeriod(Event& event) {
    if (event.usualPeriod == 0) event.usualPeriod = usualGap(event.periods); // their median
    return event.usualPeriod;
  }
  static int64_t spanOf(int64_t usual, int64_t period, int64_t usualPeriod) {
    const long double span =
        static_cast<long double>(usual) * static_cast<long double>(period) / static_cast<long double>(usualPeriod);
    return int64_t(std::clamp<long double>(span, 1, static_cast<long double>(kMostScaled / 4)));
  }
  int32_t weightOf(Event& event, const Sample& sample) {
    if (!event.hasPeriods) return -1;
    const auto [found, isNew] = event.weights.try_emplace(sample.period.value_or(1), -1);
    if (isNew)
      found->second =
          m_assembly.details("{\"weight\":" + std::to_string(found->first) + ",\"unit\":" + quotedJson(event.name) + "}");
    return found->second;
  }
  void layOutUntimed() {
    if (m_untimed == 0) return;
    if (!m_threads.empty()) // not placed beside samples with times
      return m_assembly.counts().mend(Mend::EventsWithoutTime, m_untimed), void();
    const std::size_t process = m_assembly.addProcess("samples without times");
    m_assembly.counts().processes = 1;
    for (Event& event : m_events)
      if (!event.withoutTime.isEmpty())
        event.withoutTime.layOut(0, process, m_events.size() > 1 ? event.name : "all stacks", event.name, false);
    m_assembly.sink().add(ReportIssueRow{0, "notice", m_assembly.source().name,
                                         "the samples have no times: one is drawn as 1 µs, as often as its period says",
                                         "read durations as shares; perf script -F +time writes times", m_untimed});
  }

  TextLines m_lines;
  TraceAssembly& m_assembly;
  NameCache<Frame> m_frames;
  NameCache<std::size_t> m_processOf, m_threadOf, m_eventOf;
  NameCache<bool> m_tids;
  std::deque<Thread> m_threads;
  std::size_t m_thread = 0;
  bool m_inside = false, m_java = false;
  std::optional<int64_t> m_time, m_period; // of the sample being read
  int64_t m_untimed = 0, m_threadCount = 0;
  uint32_t m_command = 0;
  std::deque<Event> m_events;
  std::size_t m_event = 0;    // of the sample being read
  std::vector<Frame> m_stack; // from the innermost frame to the outermost
};

} // namespace

// A header without a time may be any line that ends with a colon, so a frame must follow.
bool looksLikePerfScript(std::string_view head) {
  int looked = 0;
  bool isHeader = false;
  for (std::size_t at = 0; at < head.size() && looked < 4;) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    std::string_view line = head.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#')) continue;
    if (isHeader && isPerfFrame(line)) return true;
    const auto header = parsePerfHeader(line);
    if (header && header->time && (header->tid >= 0 || !header->command.empty())) return true;
    isHeader = header.has_value();
    ++looked;
  }
  return false;
}

void readPerfScript(Window& window, TraceAssembly& assembly) { PerfReader(window, assembly).read(); }

} // namespace reports::exchange
