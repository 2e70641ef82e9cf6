#include "reports/exchange/perf_script.h"

#include "reports/core/text.h"
#include "reports/exchange/details_json.h"
#include "reports/exchange/folded_tree.h"
#include "reports/exchange/ftrace_text.h"
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

// `perf script --deltatime` prints the time since the previous sample, so about every second time is smaller than the one before;
// otherwise perf prints samples in the order of their times.
class PrintedTimes {
public:
  // Returns the sum of the times so far.
  int64_t add(int64_t time) {
    m_backward += m_count > 0 && time < m_previous;
    m_beginsAtZero = m_count == 0 ? time == 0 : m_beginsAtZero;
    m_previous = time;
    ++m_count;
    return m_sum = std::min(kMostScaled, m_sum + std::clamp<int64_t>(time, 0, kMostScaled));
  }
  bool areDifferences() const { return m_beginsAtZero && m_count >= kFewest && m_backward > m_count / 8; }

private:
  static constexpr int64_t kFewest = 10; // times
  int64_t m_count = 0, m_backward = 0, m_previous = 0, m_sum = 0;
  bool m_beginsAtZero = false;
};

class PerfReader {
public:
  PerfReader(Window& window, TraceAssembly& assembly) : m_lines(window), m_assembly(assembly), m_kernel(assembly) {}

  void read() {
    std::string_view line;
    while (m_lines.next(line)) {
      if (line.starts_with("# ========")) m_isInHead = !m_isInHead && !m_hasHeaders;
      if (line.starts_with('#') || m_isInHead) continue; // the recorded command may have several lines in the head
      const bool empty = line.find_first_not_of(" \t") == std::string_view::npos;
      const bool isIndented = !empty && (line.front() == ' ' || line.front() == '\t');
      const bool isInside = isIndented && m_inside; // an indented line after a header is a frame, or the next header
      if (empty) {
        flush();
      } else if (isInside && !isTimedHeader(line)) {
        if (isPerfFrame(line) || m_stack.empty())
          addFrames(line);
        else
          notShown(Mend::EventFieldsNotShown, "source lines of frames"); // `perf script -F +srcline` prints them
      } else if (!m_hasHeaders && isIndented && isPerfFrameWithModule(line)) {
        PerfHeader none; // for stacks without headers, separated by blank lines
        none.event = "samples";
        start(none);
        addFrames(line);
      } else if (const auto header = parsePerfHeader(line)) {
        flush();
        m_hasHeaders = true;
        if (header->event.starts_with("PERF_RECORD_")) {
          addRecord(*header);
          continue;
        }
        start(*header);
        if (isPerfFrame(header->rest))
          addFrames(header->rest); // some tools print one sample per line, with its only frame after the event
      } else {
        m_assembly.counts().mend(Mend::LinesNotRead);
      }
    }
    flush();
    finish();
  }

private:
  struct Sample {
    int64_t time = 0, summed = 0; // see PrintedTimes
    std::vector<Frame> stack;     // from the outermost frame to the innermost
    std::optional<int64_t> period;
    int64_t cpu = -1;
    int64_t until = StackTimeline::kNever; // time when another thread was seen on its CPU
  };
  // The samples of one event on one thread. Events are separate, because cycles and cache misses must not be summed.
  struct Thread {
    std::size_t track = 0, event = 0, runner = 0; // `runner`: identifies the thread for all of its events
    int64_t tid = -1;
    std::vector<Sample> samples;
  };
  // Upper bound of the time per event: `period` events took at most `gap` nanoseconds, the time since the previous sample of the
  // thread.
  struct Rate {
    int64_t gap, period;
    long double perEvent() const { return static_cast<long double>(gap) / static_cast<long double>(period); }
  };
  struct Event {
    std::string name;
    bool hasPeriods = false;
    FoldedTree withoutTime;
    std::vector<int64_t> gaps, gapsOfCpus; // between samples in a row
    std::vector<Rate> rates;
    int64_t largestPeriod = 1, usual = 0, longest = 0; // gaps
    long double timeOfOne = 0;
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

  void notShown(Mend what, const std::string& name) {
    m_assembly.counts().mend(what);
    ++m_assembly.counts().notShown[name];
  }
  // Reads a record of `perf script --show-switch-events` and similar options. A thread that leaves its CPU ends its sample; other
  // records are not shown.
  void addRecord(const PerfHeader& header) {
    std::string_view what = header.rest;
    while (!what.empty() && what.front() == ' ') what.remove_prefix(1);
    if (header.event.starts_with("PERF_RECORD_SWITCH") && header.time && header.tid >= 0) {
      if (what.starts_with("OUT")) m_switchedOut[header.tid].push_back(*header.time);
    } else {
      notShown(Mend::EventFieldsNotShown, std::string(header.event));
    }
  }

  // Adds an event of the scheduler or of frequencies; returns whether a lane of a CPU or a state of a thread shows it. It is also
  // a sample if it has a stack, or if it is not shown.
  bool addKernelEvent(const PerfHeader& header) {
    const std::size_t colon = header.event.find(':');
    const std::string_view group = header.event.substr(0, colon == std::string_view::npos ? 0 : colon);
    if ((group != "sched" && group != "power") || !header.time || header.cpu < 0) return false;
    FtraceLine line;
    line.command = header.command, line.event = header.event.substr(colon + 1), line.fields = header.rest;
    line.tid = std::max<int64_t>(0, header.tid), line.cpu = header.cpu, line.time = *header.time;
    if (header.pid > 0) line.process = header.pid;
    const bool isShown = m_kernel.add(line);
    m_hasKernel |= isShown;
    return isShown;
  }

  void start(const PerfHeader& header) {
    m_inside = true;
    m_isKernel = addKernelEvent(header);
    m_java = header.command == "java";
    m_time = header.time;
    if (m_time) m_summed = m_times.add(*m_time);
    m_cpu = header.cpu;
    m_period = header.period;
    m_stack.clear();
    m_event = m_eventOf.get(header.event, [&] {
      m_events.push_back({validUtf8(header.event), false, FoldedTree(m_assembly), {}, {}, {}, 1, 0, 0, 0, {}});
      return m_events.size() - 1;
    });
    m_events[m_event].hasPeriods = m_events[m_event].hasPeriods || header.period;
    std::string command = header.command.empty() && header.tid >= 0 ? "thread " + std::to_string(header.tid)
                          : header.command.empty()                  ? std::string("samples")
                                                                    : validUtf8(header.command);
    std::replace(command.begin(), command.end(), ' ', '_');
    m_command = m_assembly.string(command);
    m_commandText = std::move(command), m_pid = header.pid, m_tid = header.tid;
  }

  std::size_t threadOfSample() {
    const std::string key =
        m_commandText + '\x1f' + std::to_string(m_pid) + '/' + std::to_string(m_tid) + '\x1f' + std::to_string(m_event);
    return m_threadOf.get(key, [&] {
      const int64_t pid = m_pid >= 0 ? m_pid : m_tid;
      const auto number = [](int64_t id) { return id >= 0 ? std::optional(id) : std::nullopt; };
      const std::size_t process = m_processOf.get(m_commandText + '\x1f' + std::to_string(pid), [&] {
        ++m_assembly.counts().processes;
        return m_assembly.addProcess(m_commandText, number(pid));
      });
      const std::string name = m_tid >= 0 ? "thread " + std::to_string(m_tid) : "all threads";
      const std::size_t track = m_assembly.addTrack(process, name, number(m_tid));
      m_assembly.tracks()[track].rowKind = "sample";
      const std::size_t runner =
          m_runnerOf.get(m_tid >= 0 ? std::to_string(m_tid) : m_commandText, [&] { return m_runnerOf.size(); });
      m_threads.push_back({track, m_event, runner, m_tid, {}});
      return m_threads.size() - 1;
    });
  }

  void flush() {
    if (!m_inside) return;
    m_inside = false;
    if (m_stack.empty() && m_isKernel) return;
    if (m_stack.empty()) {
      m_assembly.counts().mend(Mend::SamplesWithoutStack);
      m_stack.emplace_back(m_assembly.string(m_events[m_event].name)); // a tracepoint
    }
    m_stack.emplace_back(m_command);
    std::reverse(m_stack.begin(), m_stack.end());
    if (m_time) m_tids.get(std::to_string(m_tid), [&] { return ++m_threadCount, true; });
    if (m_time)
      m_threads[threadOfSample()].samples.push_back({*m_time, m_summed, m_stack, m_period, m_cpu});
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
    source.clock = m_threads.empty() && !m_hasKernel ? "none" : "monotonic";
    m_kernel.finish();
    if (m_times.areDifferences()) addUpTimes();
    int64_t last = std::numeric_limits<int64_t>::min(), first = std::numeric_limits<int64_t>::max();
    for (Thread& thread : m_threads) {
      auto& samples = thread.samples;
      std::stable_sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
      last = std::max(last, samples.back().time);
      first = std::min(first, samples.front().time);
      Event& event = m_events[thread.event];
      for (const Sample& sample : samples) event.largestPeriod = std::max(event.largestPeriod, sample.period.value_or(1));
      for (std::size_t i = 1; i < samples.size(); ++i) {
        event.gaps.push_back(samples[i].time - samples[i - 1].time);
        if (samples[i].period > 0) event.rates.push_back({event.gaps.back(), *samples[i].period});
      }
    }
    boundByCpus();
    boundBySwitches();
    if (first <= last && !m_hasKernel) source.eventDuration = last - first;
    for (Thread& thread : m_threads) layOut(thread);
    layOutUntimed();
  }
  void addUpTimes() {
    int64_t samples = 0;
    for (Thread& thread : m_threads)
      for (Sample& sample : thread.samples) sample.time = sample.summed, ++samples;
    m_assembly.sink().add(ReportIssueRow{0, "notice", m_assembly.source().name,
                                         "the times are those since the previous sample: they were added up",
                                         "print the text again without --deltatime for times of the recording", samples});
  }
  // Limits samples to the time until another thread is seen on their CPU, because a CPU runs one thread at a time.
  void boundByCpus() {
    struct Seen {
      std::size_t runner, event;
      Sample* sample;
    };
    std::map<int64_t, std::vector<Seen>> cpus;
    for (Thread& thread : m_threads)
      for (Sample& sample : thread.samples)
        if (sample.cpu >= 0) cpus[sample.cpu].push_back({thread.runner, thread.event, &sample});
    for (auto& [cpu, seen] : cpus) {
      std::stable_sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) { return a.sample->time < b.sample->time; });
      for (std::size_t i = seen.size() - 1; i > 0; --i) {
        const Seen &one = seen[i - 1], &next = seen[i];
        one.sample->until = one.runner == next.runner ? next.sample->until : next.sample->time;
        if (one.event == next.event) m_events[one.event].gapsOfCpus.push_back(next.sample->time - one.sample->time);
      }
    }
  }
  void boundBySwitches() {
    for (auto& [tid, times] : m_switchedOut) std::sort(times.begin(), times.end());
    for (Thread& thread : m_threads)
      if (const auto found = m_switchedOut.find(thread.tid); found != m_switchedOut.end())
        for (Sample& sample : thread.samples) {
          const auto next = std::lower_bound(found->second.begin(), found->second.end(), sample.time);
          if (next != found->second.end()) sample.until = std::min(sample.until, *next);
        }
  }
  void layOut(Thread& thread) {
    Event& event = m_events[thread.event];
    if (m_events.size() > 1) m_assembly.tracks()[thread.track].name += ": " + event.name;
    StackTimeline timeline(m_assembly, thread.track, m_assembly.channel(event.name), true);
    if (event.usual == 0) measure(event);
    timeline.setUsualGap(event.usual);
    for (const Sample& sample : thread.samples) {
      timeline.add(sample.time, sample.stack, weightOf(event, sample));
      timeline.setSpan(spanOf(event, sample), sample.until);
    }
    timeline.finish(timeline.lastTime() + timeline.span());
    thread.samples.clear();
  }
  // The time that a sample represents, in proportion to its number of events; at most the longest known gap between samples.
  static int64_t spanOf(const Event& event, const Sample& sample) {
    if (!sample.period) return event.usual;
    if (countsNanoseconds(event)) return std::clamp<int64_t>(*sample.period, 1, kMostScaled / 4);
    const long double span = event.timeOfOne * static_cast<long double>(*sample.period) + 0.5L;
    return int64_t(std::clamp<long double>(span, 1, static_cast<long double>(event.longest)));
  }
  // Whether the periods of the event are nanoseconds.
  static bool countsNanoseconds(const Event& event) {
    return event.name.starts_with("cpu-clock") || event.name.starts_with("task-clock");
  }
  // Sets the time per event: the median over all events, not over samples. Periods grow from 1 while perf looks for the requested
  // frequency, so the median over samples would be that of the first few. A sleeping thread has gaps without events; gaps far
  // above those of the fastest tenth do not count.
  static void measure(Event& event) {
    std::vector<int64_t>& gaps = event.gaps.empty() ? event.gapsOfCpus : event.gaps;
    event.usual = usualGap(gaps);
    event.longest = gaps.empty() ? event.usual : std::max<int64_t>(1, *std::max_element(gaps.begin(), gaps.end()));
    event.timeOfOne = static_cast<long double>(event.usual) / static_cast<long double>(event.largestPeriod);
    std::vector<Rate>& rates = event.rates;
    if (rates.empty()) return;
    std::sort(rates.begin(), rates.end(), [](const Rate& a, const Rate& b) { return a.perEvent() < b.perEvent(); });
    // The time per event that the fastest `share` of events do not exceed, over the first `n` rates.
    const auto quantile = [&](std::size_t n, long double share) {
      long double all = 0, upTo = 0;
      for (std::size_t i = 0; i < n; ++i) all += static_cast<long double>(rates[i].period);
      for (std::size_t i = 0; i < n; ++i)
        if ((upTo += static_cast<long double>(rates[i].period)) >= all * share) return rates[i].perEvent();
      return rates[n - 1].perEvent();
    };
    const long double most = kSleepGaps * quantile(rates.size(), 0.1L);
    std::size_t awake = rates.size();
    while (awake > 1 && rates[awake - 1].perEvent() > most) --awake;
    event.timeOfOne = quantile(awake, 0.5L);
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
    if (!m_threads.empty()) // samples without times are not drawn beside samples with times
      return m_assembly.counts().mend(Mend::EventsWithoutTime, m_untimed), void();
    const std::size_t process = m_assembly.addProcess("samples without times");
    m_assembly.counts().processes = 1;
    for (Event& event : m_events)
      if (!event.withoutTime.isEmpty())
        event.withoutTime.layOut(0, process, m_events.size() > 1 ? event.name : "all stacks", event.name, false);
    m_assembly.sink().add(ReportIssueRow{0, "notice", m_assembly.source().name,
                                         "the samples have no times: each is drawn as 1 µs x its period",
                                         "read durations as shares; perf script -F +time writes times", m_untimed});
  }

  TextLines m_lines;
  TraceAssembly& m_assembly;
  NameCache<Frame> m_frames;
  NameCache<std::size_t> m_processOf, m_threadOf, m_eventOf, m_runnerOf;
  NameCache<bool> m_tids;
  std::deque<Thread> m_threads;
  KernelText m_kernel;
  bool m_inside = false, m_java = false, m_hasHeaders = false;
  bool m_isKernel = false; // the event being read is drawn as a lane or a state
  bool m_hasKernel = false;
  bool m_isInHead = false; // between the lines "# ========" of `perf script --header`
  PrintedTimes m_times;
  int64_t m_summed = 0;                       // at the sample being read
  std::optional<int64_t> m_time, m_period;    // of the sample being read
  int64_t m_cpu = -1, m_pid = -1, m_tid = -1; // of the sample being read
  std::string m_commandText;                  // of the sample being read
  int64_t m_untimed = 0, m_threadCount = 0;
  std::map<int64_t, std::vector<int64_t>> m_switchedOut; // by thread: when it left its CPU
  uint32_t m_command = 0;
  std::deque<Event> m_events;
  std::size_t m_event = 0;    // of the sample being read
  std::vector<Frame> m_stack; // from the innermost frame to the outermost
};

} // namespace

namespace {
// Whether a frame has a long address: programs are loaded above 64 KiB, so that a null pointer faults, while texts of other
// formats have short numbers here.
bool hasLongAddress(std::string_view frame) {
  const std::size_t begin = frame.find_first_not_of(" \t0");
  return begin != std::string_view::npos && frame.find_first_of(" \t", begin) - begin > std::string_view("ffff").size();
}
} // namespace

// A header without a time may be any line that ends with a colon, so a frame must follow.
bool looksLikePerfScript(std::string_view head) {
  int looked = 0;
  bool isHeader = false;
  const char lineEnd = lineEndOf(head);
  for (std::size_t at = 0; at < head.size() && looked < 4;) {
    const std::size_t end = std::min(head.find(lineEnd, at), head.size());
    std::string_view line = head.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#')) continue;
    if ((isHeader && isPerfFrame(line) && (isPerfFrameWithModule(line) || hasLongAddress(line))) ||
        (looked == 0 && isPerfFrameWithModule(line)))
      return true;
    const auto header = parsePerfHeader(line);
    if (header && header->time && (header->tid >= 0 || !header->command.empty())) return true;
    isHeader = header.has_value();
    ++looked;
  }
  return false;
}

void readPerfScript(Window& window, TraceAssembly& assembly) { PerfReader(window, assembly).read(); }

} // namespace reports::exchange
