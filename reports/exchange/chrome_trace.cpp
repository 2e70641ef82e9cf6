#include "reports/exchange/chrome_trace.h"

#include "reports/exchange/begin_end.h"
#include "reports/exchange/chrome_samples.h"
#include "reports/exchange/name_cache.h"
#include "reports/exchange/packed_slices.h"

#include <cmath>
#include <deque>

namespace reports::exchange {

namespace {

constexpr int64_t kNanosecondsPerTick = 1000; // "ts" is in microseconds

} // namespace

struct ChromeTrace::State {
  struct ChromeProcess {
    std::size_t index = 0;
    std::string name, labels, defaultName;
  };
  struct ChromeThread {
    std::size_t index = 0, process = 0;
    BeginEndStack stack;
  };
  // Work that is known by an id: asynchronous events and objects.
  struct ChromeAsync {
    std::size_t track = 0;
    BeginEndStack stack;
  };

  explicit State(TraceAssembly& a) : assembly(a), counts(a.counts()), source(a.sources().size() - 1) {}

  TraceAssembly& assembly;
  ImportCounts& counts;
  std::size_t source;
  NameCache<uint32_t> names;
  NameCache<uint8_t> channels;
  NameCache<ChromeProcess> processes;
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
  std::string scratch, threadKey, quotedArgs;
  ChromeProcess* lastProcess = nullptr; // most events are of the process of the one before
  std::string lastPid;
  bool lastHadPid = false;

  uint32_t nameOf(const JsonToken& token) {
    if (!token) return names.get({}, [&] { return assembly.string("(no name)"); });
    scratch.assign(token.escaped ? "\\" : "");
    if (!token.escaped) return names.get(token.text, [&] { return assembly.string(textOf(token)); });
    scratch += token.text; // a raw text with escapes is another than the same without
    return names.get(scratch, [&] { return assembly.string(textOf(token)); });
  }
  uint8_t channelOf(const JsonToken& token) {
    return channels.get(token.text, [&] { return assembly.channel(token ? textOf(token) : std::string()); });
  }
  std::size_t flowOf(std::string_view key) {
    return flows.get(key, [&] { return uint64_t(flows.size()) | uint64_t(source) << 40; });
  }

  ChromeProcess& processOf(const JsonToken& pid) {
    if (lastProcess && bool(pid) == lastHadPid && pid.text == lastPid) return *lastProcess;
    lastHadPid = bool(pid);
    lastPid.assign(pid.text);
    // A missing pid is not the same as an empty one.
    scratch.assign(pid ? "p" : "");
    scratch += pid.text;
    lastProcess = const_cast<ChromeProcess*>(&processes.get(scratch, [&] {
      ChromeProcess process;
      const auto number = wholeOf(pid);
      process.defaultName = !pid ? "no process" : number ? "process " + std::to_string(*number) : textOf(pid);
      if (process.defaultName.empty()) process.defaultName = "(empty name)";
      process.index = assembly.addProcess(process.defaultName, number);
      counts.processes += bool(pid);
      return process;
    }));
    return *lastProcess;
  }
  ChromeThread& threadFor(const ChromeEvent& e) {
    threadKey.assign(e.pid ? "p" : "");
    threadKey += e.pid.text;
    threadKey += e.tid ? "\x1ft" : "\x1f";
    threadKey += e.tid.text;
    return threads[threadOf.get(threadKey, [&] {
      const auto number = wholeOf(e.tid);
      const std::size_t process = processOf(e.pid).index;
      std::string name = !e.tid ? "no thread" : number ? "thread " + std::to_string(*number) : textOf(e.tid);
      threads.push_back({assembly.addTrack(process, std::move(name), number), process, {}});
      return threads.size() - 1;
    })];
  }
  static std::string pid(const ChromeEvent& e) { return (e.pid ? "p" : "") + std::string(e.pid.text); }

  // JSON: a string has its quotes again. Valid until the next call.
  std::string_view argsOf(const ChromeEvent& e) {
    if (e.args.kind != JsonToken::String) return e.args.text;
    quotedArgs = '"' + std::string(e.args.text) + '"';
    return quotedArgs;
  }
  std::optional<int64_t> timeOf(const ChromeEvent& e, uint32_t name) {
    const auto time = scaledOf(e.ts, kNanosecondsPerTick);
    if (!time) {
      counts.mend(Mend::EventsWithoutTime);
      return time;
    }
    if (*time >= kMostScaled || *time <= -kMostScaled) {
      counts.mend(Mend::TimesOutOfRange); // one such event would make all others a single pixel
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
    int64_t duration = scaledOf(e.dur, kNanosecondsPerTick).value_or(0);
    if (duration < 0) counts.mend(Mend::NegativeDurations), duration = 0;
    if (duration >= kMostScaled) return counts.mend(Mend::TimesOutOfRange);
    ChromeThread& thread = threadFor(e);
    assembly.source().see(*time + duration);
    TraceTrack& track = assembly.tracks()[thread.index];
    track.slices.push_back({*time, *time + duration, name, assembly.details(argsOf(e)), order++, channelOf(e.cat), 0});
    ++counts.slices;
    if (counts.slices > kSlicesAsTheyAre) packSlices(track); // pairs of begin and end join them at the end
    if (e.bindId) addBoundFlow(e, *time, thread.index, name);
  }
  void addBegin(const ChromeEvent& e) {
    const uint32_t name = nameOf(e.name);
    const auto time = timeOf(e, name);
    if (!time) return;
    ChromeThread& thread = threadFor(e);
    thread.stack.begin(*time, name, channelOf(e.cat), argsOf(e), order++);
    if (e.bindId) addBoundFlow(e, *time, thread.index, name);
  }
  void addEnd(const ChromeEvent& e) {
    if (const auto time = timeOf(e, nameOf({}))) threadFor(e).stack.end(*time, argsOf(e));
  }
  void addInstant(const ChromeEvent& e, bool counted) {
    const uint32_t name = nameOf(e.name);
    const auto time = timeOf(e, name);
    if (!time) return;
    const InstantScope scope = e.s.text == "g"   ? InstantScope::Trace
                               : e.s.text == "p" ? InstantScope::Process
                                                 : InstantScope::Thread;
    assembly.tracks()[threadFor(e).index].instants.push_back({*time, name, channelOf(e.cat), scope, assembly.details(argsOf(e))});
    ++(counted ? counts.instants : counts.otherInstants);
  }

  void addCounter(const ChromeEvent& e) {
    const auto time = timeOf(e, nameOf(e.name));
    if (!time) return;
    ++counts.counterSamples;
    const std::string prefix = pid(e) + '\x1f' + std::string(e.name.text) + '\x1f' + std::string(e.id.text) + '\x1f';
    forEachMember(e.args.text, [&](const JsonToken& key, const JsonToken& value) {
      const auto real = value.kind == JsonToken::Number ? realOf(value) : std::nullopt;
      if (!real) return counts.mend(Mend::CounterValuesNotNumbers);
      const auto& index = series.get(prefix + std::string(key.text), [&]() -> std::optional<std::size_t> {
        std::string graph = e.name ? textOf(e.name) : "(no name)";
        if (e.id) graph += " " + textOf(e.id);
        ++counts.counterSeries;
        return assembly.addCounter(processOf(e.pid).index, std::move(graph), textOf(key));
      });
      assembly.counters()[*index].samples.push_back({*time, *real});
      ++counts.counterValues;
    });
  }

  // ---- what is known by an id

  std::size_t asyncRow(const ChromeEvent& e, const char* kind) {
    const std::string text = e.name ? textOf(e.name) : "(no name)";
    return asyncRows.get(pid(e) + '\x1f' + kind + '\x1f' + text,
                         [&] { return assembly.addAsyncTrack(processOf(e.pid).index, text, kind); });
  }
  ChromeAsync& asyncOf(const ChromeEvent& e, const char* kind, bool byName) {
    std::string id(e.id.text);
    if (e.id2.kind == JsonToken::Object) {
      const JsonToken local = memberOf(e.id2.text, "local"), global = memberOf(e.id2.text, "global");
      id = local ? pid(e) + "\x1flocal" + std::string(local.text) : "global" + std::string(global.text);
    } else if (!e.id) {
      id = e.id2 ? std::string(e.id2.text) : pid(e) + "\x1fno id";
    }
    std::string key = std::string(kind) + '\x1f' + std::string(e.cat.text) + '\x1f' + id + '\x1f' + std::string(e.scope.text);
    if (byName) key += '\x1f' + std::string(e.name.text);
    return async[asyncs.get(key, [&] {
      async.push_back({asyncRow(e, kind), {}});
      return async.size() - 1;
    })];
  }
  void addAsync(const ChromeEvent& e, char what, const char* kind, bool byName) {
    const uint32_t name = nameOf(e.name);
    const auto time = timeOf(e, name);
    if (!time) return;
    ChromeAsync& one = asyncOf(e, kind, byName);
    if (what == 'b')
      one.stack.begin(*time, name, channelOf(e.cat), argsOf(e), 0);
    else if (what == 'e')
      one.stack.end(*time, argsOf(e));
    else {
      assembly.tracks()[one.track].instants.push_back(
          {*time, name, channelOf(e.cat), InstantScope::Thread, assembly.details(argsOf(e))});
      ++counts.otherInstants;
    }
  }

  // ---- flows

  void addFlow(const ChromeEvent& e, FlowPoint::Kind kind) {
    const uint32_t name = nameOf(e.name);
    const auto time = timeOf(e, name);
    if (!time) return;
    const std::string key =
        std::string(e.cat.text) + '\x1f' + std::string(e.name.text) + '\x1f' + std::string(e.id ? e.id.text : e.id2.text);
    FlowPoint point;
    point.time = *time;
    point.flow = flowOf(key);
    point.track = uint32_t(threadFor(e).index);
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
    point.channel = channelOf(e.cat);
    assembly.flowPoints().push_back(point);
  }

  // ---- names

  void addMetadata(const ChromeEvent& e) {
    ++counts.metadataEvents;
    ChromeProcess& process = processOf(e.pid);
    const std::string_view what = e.name.text;
    const JsonToken name = memberOf(argsOf(e), "name");
    if (what == "process_name") {
      process.name = textOf(name);
    } else if (what == "process_labels") {
      process.labels = textOf(memberOf(argsOf(e), "labels"));
    } else if (what == "process_sort_index") {
      assembly.processes()[process.index].sortOrder = wholeOf(memberOf(argsOf(e), "sort_index"));
    } else if (what == "thread_name") {
      if (const std::string text = textOf(name); !text.empty()) assembly.tracks()[threadFor(e).index].name = text;
    } else if (what == "thread_sort_index") {
      assembly.tracks()[threadFor(e).index].sortOrder = wholeOf(memberOf(argsOf(e), "sort_index"));
    } else {
      counts.mend(Mend::MetadataNotShown);
    }
  }

  void nameProcesses() {
    for (auto& [key, process] : processes) {
      TraceProcess& out = assembly.processes()[process.index];
      out.name = process.name.empty() ? process.defaultName : process.name;
      if (!process.labels.empty()) out.name += " (" + process.labels + ")";
    }
  }

  void pairAll() {
    const int64_t last = assembly.source().last;
    for (ChromeThread& thread : threads) {
      const auto result = thread.stack.pair(assembly, last, assembly.tracks()[thread.index].slices);
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

void ChromeTrace::add(const ChromeEvent& e) {
  State& s = *m_state;
  if (e.phase() != 'M' && e.pid) s.processOf(e.pid);
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
  case 'p': return s.addAsync(e, 'n', "async", true);
  case 'N': return s.addAsync(e, 'b', "object", true);
  case 'D': return s.addAsync(e, 'e', "object", true);
  case 'O': return s.addAsync(e, 'n', "object", true);
  case 's': return s.addFlow(e, FlowPoint::Start);
  case 't': return s.addFlow(e, FlowPoint::Step);
  case 'f': return s.addFlow(e, FlowPoint::End);
  case 'M': return s.addMetadata(e);
  case 'P': ++s.counts.samples; return s.addInstant(e, false);
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

void ChromeTrace::addMember(const std::string& name, const JsonToken& value) {
  State& s = *m_state;
  if (name == "stackFrames") return s.samples.setFrames(value.text);
  if (name == "samples") return s.samples.setSamples(value.text);
  if (name == "baseTimeNanoseconds") s.baseTime = wholeOf(value);
  if (name == "schemaVersion") s.isKineto = true;
}

void ChromeTrace::finish() {
  State& s = *m_state;
  s.pairAll();
  TraceSource& source = s.assembly.source();
  source.eventDuration = source.hasTimes() ? source.last - source.first : 0; // without the call stacks
  s.samples.addTo(s.assembly, [&](const JsonToken& pid) { return s.processOf(pid).index; });
  s.nameProcesses();
  // Kineto: times count from baseTimeNanoseconds; before it had one, they were Unix time.
  if (s.baseTime)
    source.unixOffset = *s.baseTime;
  else if (s.isKineto && source.hasTimes())
    source.unixOffset = 0;
  if (source.unixOffset) source.clock = "unix";
}

} // namespace reports::exchange
