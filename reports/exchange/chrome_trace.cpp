#include "reports/exchange/chrome_trace.h"

#include "reports/core/text.h"
#include "reports/exchange/begin_end.h"
#include "reports/exchange/chrome_processes.h"
#include "reports/exchange/chrome_profiles.h"
#include "reports/exchange/chrome_samples.h"
#include "reports/exchange/ftrace_text.h"
#include "reports/exchange/name_cache.h"
#include "reports/exchange/packed_slices.h"

#include <deque>
#include <map>

namespace reports::exchange {

namespace {

constexpr int64_t kNanosecondsPerTick = 1000;                // "ts" is in microseconds
constexpr std::size_t kMostFactBytes = std::size_t(1) << 20; // of a member of the file that is kept as text

} // namespace

struct ChromeTrace::State {
  struct ChromeThread {
    std::size_t index = 0;
    BeginEndStack stack;
  };
  // Work identified by an id: asynchronous events and objects.
  struct ChromeAsync {
    std::size_t track = 0;
    BeginEndStack stack;
    std::string thread; // the thread whose clock gives its thread times
  };
  // An event that refers to a stack of `stackFrames`. These may come after the event, so its details wait.
  struct WaitingStack {
    std::size_t track = 0;
    std::optional<std::size_t> instant; // empty: a slice, identified by `order`
    uint32_t order = 0;
    std::string details, frame;
  };

  explicit State(TraceAssembly& a) : assembly(a), counts(a.counts()), source(a.sources().size() - 1), processes(a), profiles(a) {}

  TraceAssembly& assembly;
  ImportCounts& counts;
  std::size_t source;
  NameCache<uint32_t> names;
  NameCache<uint8_t> channels;
  ChromeProcesses processes;
  NameCache<std::size_t> threadOf; // by pid and tid, into `threads`
  std::deque<ChromeThread> threads;
  NameCache<std::size_t> asyncRows; // tracks, by process and name
  NameCache<std::size_t> asyncs;    // by category, id and scope, into `async`
  std::deque<ChromeAsync> async;
  NameCache<std::optional<std::size_t>> series; // by process, counter and key
  NameCache<uint64_t> flows;
  std::optional<int64_t> baseTime;
  bool isKineto = false;
  uint32_t order = 0;
  ChromeSamples samples;
  ChromeProfiles profiles;
  std::string systemTrace;
  std::vector<WaitingStack> waiting;
  std::map<std::size_t, std::size_t> stateRows;          // tracks of states, by the track of their thread
  std::unordered_map<uint32_t, std::string> beginStacks; // frames of begins, by order
  ChromeUnknownMembers unknownMembers;
  std::string scratch, threadKey, ownArgs;
  Backslashes backslashes = Backslashes::Escaped;

  // The text of a name; counts those with bare backslashes.
  std::string plainText(const JsonToken& token) {
    if (isBare(token, backslashes)) counts.mend(Mend::BareBackslashes);
    return textOf(token, backslashes);
  }
  uint32_t nameOf(const JsonToken& token) {
    const auto read = [&] { return assembly.string(token ? plainText(token) : "(no name)"); };
    if (!token) return names.get({}, read);
    if (!token.escaped) return names.get(token.text, read);
    scratch.assign("\\");
    scratch += token.text; // marks the key: the same text without escapes is another name
    return names.get(scratch, read);
  }
  uint8_t channelOf(const JsonToken& token) {
    return channels.get(token.text, [&] { return assembly.channel(token ? plainText(token) : std::string()); });
  }
  std::size_t flowOf(std::string_view key) {
    return flows.get(key, [&] { return uint64_t(flows.size()) | uint64_t(source) << 40; });
  }

  // ---- processes and threads

  // A key that distinguishes processes.
  std::string pidKey(const ChromeEvent& e, std::optional<int64_t> time) {
    std::string key;
    processes.appendKey(key, e.pid, time);
    return key;
  }
  // The thread of an event. Without a tid it is the main thread, whose number is that of the process.
  ChromeThread& threadFor(const ChromeEvent& e, std::optional<int64_t> time) {
    const JsonToken& tid = e.tid ? e.tid : e.pid;
    const bool isSum = isTotal(e);
    threadKey.clear();
    processes.appendKey(threadKey, e.pid, time);
    threadKey += isSum ? "\x1fs" : tid ? "\x1ft" : "\x1f";
    if (!isSum) threadKey += tid.text;
    return threads[threadOf.get(threadKey, [&] {
      const auto number = wholeOf(tid);
      const std::string name = !tid ? "no thread" : number ? "thread " + std::to_string(*number) : textOf(tid);
      const std::size_t process = processes.at(e.pid, time);
      threads.push_back(
          {isSum ? assembly.addAsyncTrack(process, "totals", "total") : assembly.addTrack(process, name, number), {}});
      return threads.size() - 1;
    })];
  }

  // The arguments as JSON: a string gets its quotes back, an event's own stack frames are added. Valid until the next call.
  std::string_view argsOf(const ChromeEvent& e) {
    const bool mayBePaths = backslashes == Backslashes::SomeBare && e.args.text.find('\\') != std::string_view::npos;
    if (e.args.kind != JsonToken::String && !e.stack && !mayBePaths) return e.args.text;
    ownArgs = e.args.kind == JsonToken::String ? '"' + std::string(e.args.text) + '"' : std::string(e.args.text);
    if (auto mended = mayBePaths ? withEscapedPaths(ownArgs) : std::nullopt) {
      if (isPlainObject(*mended)) counts.mend(Mend::DetailsMended); // others are counted when the details are repaired
      ownArgs = std::move(*mended);
    }
    if (e.stack) {
      if (!ownArgs.empty() && !isPlainObject(ownArgs)) ownArgs = mendedObject(ownArgs);
      addMember(ownArgs, "stack", e.stack.kind == JsonToken::String ? quotedJson(textOf(e.stack)) : e.stack.text);
    }
    return ownArgs;
  }
  static std::optional<int64_t> threadTimeOf(const JsonToken& token) { return scaledOf(token, kNanosecondsPerTick); }
  int32_t detailsOf(const ChromeEvent& e) {
    const std::string_view args = argsOf(e);
    const auto start = e.threadTime ? threadTimeOf(e.threadTime) : std::nullopt;
    if (!start && !e.threadDuration) return assembly.details(args);
    std::string details(args);
    if (!details.empty() && !isPlainObject(details)) details = mendedObject(details);
    const auto duration = threadTimeOf(e.threadDuration);
    if (start)
      addThreadTime(details, *start, duration);
    else if (duration)
      addMember(details, "thread_duration_ns", std::to_string(*duration));
    return assembly.details(details);
  }
  void waitForStack(const ChromeEvent& e, std::size_t track, std::optional<std::size_t> instant, uint32_t ofOrder) {
    waiting.push_back({track, instant, ofOrder, std::string(argsOf(e)), std::string(e.stackFrame.text)});
  }
  // Adds the stack that ends in a frame of `stackFrames` to the details.
  void addStack(std::string& details, const std::string& frame) {
    if (!details.empty() && !isPlainObject(details)) details = mendedObject(details);
    const auto stack = samples.stackJson(frame, counts);
    if (!stack) counts.mend(Mend::UnknownNames);
    addMember(details, "stack", stack ? *stack : quotedJson("#" + frame));
  }
  void addWaitingStacks() {
    for (WaitingStack& w : waiting) {
      addStack(w.details, w.frame);
      const int32_t details = assembly.details(w.details);
      TraceTrack& track = assembly.tracks()[w.track];
      if (w.instant)
        track.instants[*w.instant].details = details;
      else
        track.lateDetails.emplace_back(w.order, details);
    }
  }

  std::optional<int64_t> timeOf(const ChromeEvent& e, uint32_t name) {
    const auto time = scaledOf(e.ts, kNanosecondsPerTick);
    if (!time) {
      counts.mend(Mend::EventsWithoutTime);
      return time;
    }
    if (*time >= kMostScaled || *time <= -kMostScaled) {
      counts.mend(Mend::TimesOutOfRange); // one such time would shrink all other slices to a pixel
      return std::nullopt;
    }
    assembly.see(*time, name);
    if (!e.pid) counts.mend(Mend::EventsWithoutProcess);
    return time;
  }

  void addSlice(const ChromeEvent& e) {
    const uint32_t name = nameOf(e.name);
    const auto time = timeOf(e, name);
    if (!time) return;
    const auto given = scaledOf(e.dur, kNanosecondsPerTick);
    if (e.dur && !given) counts.mend(Mend::DurationsNotNumbers);
    int64_t duration = given.value_or(0);
    if (duration < 0) counts.mend(Mend::NegativeDurations), duration = 0;
    if (duration >= kMostScaled) return counts.mend(Mend::TimesOutOfRange);
    ChromeThread& thread = threadFor(e, time);
    assembly.source().see(*time + duration);
    TraceTrack& track = assembly.tracks()[thread.index];
    if (e.stackFrame) waitForStack(e, thread.index, {}, order);
    track.slices.push_back({*time, *time + duration, name, e.stackFrame ? -1 : detailsOf(e), order++, channelOf(e.cat), 0});
    ++counts.slices;
    if (counts.slices > kSlicesAsTheyAre) packSlices(track); // slices of begin and end events are added at the end
    if (e.bindId) addBoundFlow(e, *time, thread.index, name);
  }
  void addBegin(const ChromeEvent& e) {
    const uint32_t name = nameOf(e.name);
    const auto time = timeOf(e, name);
    if (!time) return;
    ChromeThread& thread = threadFor(e, time);
    if (e.stackFrame) beginStacks[order] = std::string(e.stackFrame.text);
    thread.stack.begin(*time, name, channelOf(e.cat), argsOf(e), order++,
                       threadTimeOf(e.threadTime).value_or(BeginEndStack::kNoTime));
    if (e.bindId) addBoundFlow(e, *time, thread.index, name);
  }
  BeginEndStack::End endOf(const ChromeEvent& e) {
    BeginEndStack::End end;
    if (e.name && !e.name.text.empty()) end.name = nameOf(e.name);
    if (e.cat && !e.cat.text.empty()) end.channel = channelOf(e.cat);
    end.threadTime = threadTimeOf(e.threadTime).value_or(BeginEndStack::kNoTime);
    return end;
  }
  void addEnd(const ChromeEvent& e) {
    if (const auto time = timeOf(e, nameOf({}))) threadFor(e, time).stack.end(*time, argsOf(e), endOf(e));
  }
  void addInstant(const ChromeEvent& e, bool counted) {
    const uint32_t name = nameOf(e.name);
    const auto time = timeOf(e, name);
    if (!time) return;
    const InstantScope scope = e.s.text == "g"   ? InstantScope::Trace
                               : e.s.text == "p" ? InstantScope::Process
                                                 : InstantScope::Thread;
    const std::size_t track = threadFor(e, time).index;
    auto& instants = assembly.tracks()[track].instants;
    if (e.stackFrame) waitForStack(e, track, instants.size(), 0);
    instants.push_back({*time, name, channelOf(e.cat), scope, e.stackFrame ? -1 : detailsOf(e)});
    ++(counted ? counts.instants : counts.otherInstants);
  }
  // Adds a separate sample, or a piece of a JavaScript profile.
  void addSample(const ChromeEvent& e) {
    if (!ChromeProfiles::isProfile(e)) {
      ++counts.samples;
      return addInstant(e, false);
    }
    const auto time = timeOf(e, nameOf(e.name));
    profiles.add(e, pidKey(e, time), threadFor(e, time).index);
  }
  void addCounter(const ChromeEvent& e) {
    int64_t values = 0, numbers = 0;
    forEachMember(e.args.text, [&](const JsonToken&, const JsonToken& value) { ++values, numbers += realOf(value).has_value(); });
    // before timeOf(), so that the event's time does not extend the trace
    if (values > 0 && numbers == 0) return counts.mend(Mend::CounterValuesNotNumbers, values);
    const auto time = timeOf(e, nameOf(e.name));
    if (!time) return;
    ++counts.counterSamples;
    const std::string prefix = pidKey(e, time) + '\x1f' + std::string(e.name.text) + '\x1f' + std::string(e.id.text) + '\x1f';
    if (e.args && e.args.kind != JsonToken::Object) counts.mend(Mend::CounterValuesNotNumbers);
    forEachMember(e.args.text, [&](const JsonToken& key, const JsonToken& value) {
      const auto real = realOf(value); // some tracers write numbers as text
      if (!real) return counts.mend(Mend::CounterValuesNotNumbers);
      const auto& index = series.get(prefix + std::string(key.text), [&]() -> std::optional<std::size_t> {
        std::string graph = e.name ? textOf(e.name, backslashes) : "(no name)";
        if (e.id) graph += " " + textOf(e.id);
        ++counts.counterSeries;
        return assembly.addCounter(processes.at(e.pid, time), std::move(graph), textOf(key));
      });
      assembly.counters()[*index].samples.push_back({*time, *real});
      ++counts.counterValues;
    });
  }

  // ---- items identified by an id

  std::size_t asyncRow(const ChromeEvent& e, int64_t time, const char* kind) {
    const std::string text = e.name ? textOf(e.name, backslashes) : "(no name)";
    return asyncRows.get(pidKey(e, time) + '\x1f' + kind + '\x1f' + text,
                         [&] { return assembly.addAsyncTrack(processes.at(e.pid, time), text, kind); });
  }
  ChromeAsync& asyncOf(const ChromeEvent& e, int64_t time, const char* kind, bool byName) {
    std::string id(e.id.text);
    if (e.id2.kind == JsonToken::Object) {
      const JsonToken local = memberOf(e.id2.text, "local"), global = memberOf(e.id2.text, "global");
      id = local ? pidKey(e, time) + "\x1flocal" + std::string(local.text) : "global" + std::string(global.text);
    } else if (!e.id) {
      id = e.id2 ? std::string(e.id2.text) : pidKey(e, time) + "\x1fno id";
    }
    // Nestable work has an id of its process, unless the id is marked as global. Older kinds may end in another process.
    if (!byName && e.id) id = pidKey(e, time) + '\x1f' + id;
    std::string key = std::string(kind) + '\x1f' + std::string(e.cat.text) + '\x1f' + id + '\x1f' + std::string(e.scope.text);
    if (byName) key += '\x1f' + std::string(e.name.text);
    return async[asyncs.get(key, [&] {
      async.push_back({asyncRow(e, time, kind), {}, {}});
      return async.size() - 1;
    })];
  }
  // CPU clocks of two threads cannot be compared, so thread times are kept only from the thread of the first event.
  int64_t threadTimeOfAsync(const ChromeEvent& e, ChromeAsync& one) {
    const auto time = threadTimeOf(e.threadTime);
    if (!time) return BeginEndStack::kNoTime;
    const std::string thread = std::string(e.pid.text) + '\x1f' + std::string(e.tid.text);
    if (one.thread.empty()) one.thread = thread;
    if (one.thread == thread) return *time;
    unknownMembers.add("tts of another thread");
    return BeginEndStack::kNoTime;
  }
  void addAsync(const ChromeEvent& e, char what, const char* kind, bool byName) {
    const uint32_t name = nameOf(e.name);
    const auto time = timeOf(e, name);
    if (!time) return;
    ChromeAsync& one = asyncOf(e, *time, kind, byName);
    if (what == 'b')
      one.stack.begin(*time, name, channelOf(e.cat), argsOf(e), 0, threadTimeOfAsync(e, one));
    else if (what == 'e') {
      BeginEndStack::End end = byName ? BeginEndStack::End{} : endOf(e);
      end.threadTime = threadTimeOfAsync(e, one);
      one.stack.end(*time, argsOf(e), end);
    } else {
      assembly.tracks()[one.track].instants.push_back({*time, name, channelOf(e.cat), InstantScope::Thread, detailsOf(e)});
      ++counts.otherInstants;
    }
  }

  // The state of a thread: running, waiting for a CPU, or sleeping.
  void addThreadState(const ChromeEvent& e) {
    const uint32_t name = nameOf(e.name);
    const auto time = timeOf(e, name);
    if (!time) return;
    const auto duration = scaledOf(e.dur, kNanosecondsPerTick).value_or(0);
    if (duration < 0 || duration >= kMostScaled) return counts.mend(Mend::TimesOutOfRange);
    const std::size_t thread = threadFor(e, time).index;
    const auto [states, isNew] = stateRows.try_emplace(thread, 0);
    if (isNew) {
      states->second = assembly.addTrack(assembly.tracks()[thread].process, "states", assembly.tracks()[thread].tid);
      assembly.tracks()[states->second].rowKind = "state";
    }
    assembly.source().see(*time + duration);
    assembly.tracks()[states->second].slices.push_back(
        {*time, *time + duration, name, detailsOf(e), order++, channelOf(e.cat), 0});
    ++counts.asyncSlices;
  }

  void addFlow(const ChromeEvent& e, FlowPoint::Kind kind) {
    const uint32_t name = nameOf(e.name);
    const auto time = timeOf(e, name);
    if (!time) return;
    const std::string key =
        std::string(e.cat.text) + '\x1f' + std::string(e.name.text) + '\x1f' + std::string(e.id ? e.id.text : e.id2.text);
    FlowPoint point;
    point.time = *time;
    point.flow = flowOf(key);
    point.track = uint32_t(threadFor(e, time).index);
    point.name = name;
    point.kind = kind;
    point.nextSlice = kind == FlowPoint::End && e.bp.text != "e";
    point.channel = channelOf(e.cat);
    assembly.flowPoints().push_back(point);
  }
  void addBoundFlow(const ChromeEvent& e, int64_t time, std::size_t track, uint32_t name) {
    const bool in = e.flowIn.isTrue(), out = e.flowOut.isTrue();
    if (!in && !out) return;
    FlowPoint point;
    point.time = time;
    point.flow = flowOf("\x1f"
                        "bind\x1f" +
                        std::string(e.bindId.text));
    point.track = uint32_t(track);
    point.name = name;
    point.kind = in && out ? FlowPoint::Step : out ? FlowPoint::Start : FlowPoint::End;
    point.stays = !out;
    point.channel = channelOf(e.cat);
    assembly.flowPoints().push_back(point);
  }

  void addMetadata(const ChromeEvent& e) {
    ++counts.metadataEvents;
    ChromeProcesses::Process& process = processes.of(e.pid);
    const std::string_view what = e.name.text;
    const JsonToken name = memberOf(argsOf(e), "name");
    const auto time = scaledOf(e.ts, kNanosecondsPerTick);
    if (what == "process_name") {
      if (const std::string text = plainText(name); !text.empty()) processes.name(process, text, time);
    } else if (what == "process_labels") {
      process.labels = plainText(memberOf(argsOf(e), "labels"));
    } else if (what == "process_sort_index") {
      process.sortOrder = wholeOf(memberOf(argsOf(e), "sort_index"));
    } else if (what == "thread_name") {
      if (const std::string text = plainText(name); !text.empty()) processes.nameThread(threadFor(e, time).index, text);
    } else if (what == "thread_sort_index") {
      assembly.tracks()[threadFor(e, time).index].sortOrder = wholeOf(memberOf(argsOf(e), "sort_index"));
    } else {
      counts.mend(Mend::MetadataNotShown);
    }
  }

  void pairAll() {
    const int64_t last = assembly.source().last;
    const BeginEndStack::Amend amend = [this](uint32_t of, std::string& details) {
      if (const auto found = beginStacks.find(of); found != beginStacks.end()) addStack(details, found->second);
    };
    for (ChromeThread& thread : threads) {
      if (thread.stack.isEmpty()) continue;
      const auto result = thread.stack.pair(assembly, last, assembly.tracks()[thread.index].slices, nullptr,
                                            beginStacks.empty() ? BeginEndStack::Amend() : amend);
      counts.slices += result.pairs;
      mendUnpaired(counts, result);
    }
    uint32_t group = 0;
    for (ChromeAsync& one : async) {
      const auto result = one.stack.pair(assembly, last, assembly.tracks()[one.track].slices, &group);
      counts.asyncSlices += result.pairs;
      mendUnpaired(counts, result, true);
    }
  }
};

ChromeTrace::ChromeTrace(TraceAssembly& assembly) : m_state(std::make_unique<State>(assembly)) {}
ChromeTrace::~ChromeTrace() = default;

void ChromeTrace::setBackslashes(Backslashes backslashes) { m_state->backslashes = backslashes; }

void ChromeTrace::add(const ChromeEvent& e) {
  State& s = *m_state;
  if (e.phase() != 'M' && e.pid) s.processes.of(e.pid);
  s.unknownMembers.addOf(e);
  switch (e.phase()) {
  case 'X': return s.addSlice(e);
  case 'B': return s.addBegin(e);
  case 'E': return s.addEnd(e);
  case 'i':
  case 'I':
  case 'R': return s.addInstant(e, true);
  case 'C': return s.addCounter(e);
  case 'b': return s.addAsync(e, 'b', "async", false);
  case 'e': return s.addAsync(e, 'e', "async", false);
  case 'n': return s.addAsync(e, 'n', "async", false);
  case 'S': return s.addAsync(e, 'b', "async", true);
  case 'F': return s.addAsync(e, 'e', "async", true);
  case 'T':
    if (e.dur && e.cat.text == "thread_state") return s.addThreadState(e);
    [[fallthrough]];
  case 'p': return s.addAsync(e, 'n', "async", true);
  case 'N': return s.addAsync(e, 'b', "object", true);
  case 'D': return s.addAsync(e, 'e', "object", true);
  case 'O': return s.addAsync(e, 'n', "object", true);
  case 's': return s.addFlow(e, FlowPoint::Start);
  case 't': return s.addFlow(e, FlowPoint::Step);
  case 'f': return s.addFlow(e, FlowPoint::End);
  case 'M': return s.addMetadata(e);
  case 'P': return s.addSample(e);
  case 'v':
  case 'V':
  case 'c':
  case '(':
  case ')': return s.addInstant(e, false);
  default: break;
  }
  if (!e.ph) return s.counts.mend(Mend::NotEvents);
  s.timeOf(e, s.nameOf(e.name));
  s.counts.mend(Mend::EventsOfUnknownKind);
}

void ChromeTrace::addFileMember(const std::string& name, const JsonToken& value) {
  State& s = *m_state;
  if (name == "stackFrames") return s.samples.setFrames(value.text);
  if (name == "samples") return s.samples.setSamples(value.text);
  if (name == "displayTimeUnit") return; // only tells other viewers how to show times
  if (name == "baseTimeNanoseconds") s.baseTime = wholeOf(value);
  if (name == "beginningOfTime") s.baseTime = scaledOf(value, kNanosecondsPerTick); // written by clang
  if (name == "schemaVersion") s.isKineto = true;
  if (name == "systemTraceEvents" && value.kind == JsonToken::String) // kernel events that were traced together with Chrome
    return s.systemTrace = textOf(value), void();
  if (value.text.size() <= kMostFactBytes) return s.assembly.addFact(name, value);
  s.counts.mend(Mend::MembersNotShown);
  ++s.counts.notShown["member " + name + " of the file"];
  s.assembly.sink().add(ReportIssueRow{0, "notice", s.assembly.source().name,
                                       "the member " + displayText(name, 100) + " of the file is not shown: it has " +
                                           std::to_string(value.text.size()) + " bytes",
                                       "", 1});
}

void ChromeTrace::finish() {
  State& s = *m_state;
  s.pairAll();
  s.addWaitingStacks();
  TraceSource& source = s.assembly.source();
  source.eventDuration = source.hasTimes() ? source.last - source.first : 0; // without the call stacks
  s.samples.addTo(s.assembly, [&](const JsonToken& pid, const JsonToken& tid) { return s.processes.ofThread(pid, tid); });
  s.profiles.addTo();
  s.processes.finish();
  for (const auto& [thread, states] : s.stateRows) {
    TraceTrack &of = s.assembly.tracks()[thread], &row = s.assembly.tracks()[states];
    row.name = "states of " + of.name;
    row.sortOrder = of.sortOrder;
  }
  if (!s.systemTrace.empty()) addFtraceText(s.systemTrace, s.assembly);
  s.unknownMembers.addTo(s.assembly);
  // Kineto: times count from baseTimeNanoseconds; before that field existed, they were Unix time.
  if (s.baseTime)
    source.unixOffset = *s.baseTime;
  else if (s.isKineto && source.hasTimes())
    source.unixOffset = 0;
  if (source.unixOffset) source.clock = "unix";
}

} // namespace reports::exchange
