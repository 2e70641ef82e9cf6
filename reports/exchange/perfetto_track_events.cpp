#include "reports/exchange/perfetto_track_events.h"

#include "reports/core/text.h"
#include "reports/exchange/perfetto_kinds.h"

#include <algorithm>

namespace reports::exchange {

namespace {

enum TrackEventType {
  kUnspecifiedEvent = 0,
  kSliceBegin = 1,
  kSliceEnd = 2,
  kInstantEvent = 3,
  kCounterEvent = 4,
  kStateEvent = 5
};
constexpr int64_t kMostEventMicroseconds = int64_t(1) << 50; // 35 years

void numbersIn(const ProtoField& f, std::vector<uint64_t>& into) {
  if (f.isBytes)
    forEachPacked(f.bytes, [&](uint64_t v) { into.push_back(v); });
  else
    into.push_back(f.value);
}
void realsIn(const ProtoField& f, std::vector<double>& into) {
  if (!f.isBytes) return into.push_back(f.real());
  for (std::size_t i = 0; i + 8 <= f.bytes.size(); i += 8) {
    ProtoField one;
    for (std::size_t b = 0; b < 8; ++b) one.value |= uint64_t(uint8_t(f.bytes[i + b])) << (8 * b);
    into.push_back(one.real());
  }
}
bool isSane(int64_t microseconds) { return microseconds > -kMostEventMicroseconds && microseconds < kMostEventMicroseconds; }

} // namespace

std::string PerfettoTrackEvents::looked(const std::map<uint64_t, std::string>& names, uint64_t iid) {
  if (const auto found = names.find(iid); found != names.end()) return found->second;
  m_assembly.counts().mend(Mend::UnknownNames);
  return "#" + std::to_string(iid);
}

PerfettoTrackEvents::Event PerfettoTrackEvents::read(std::string_view bytes, const PerfettoSequence& sequence) {
  Event event;
  std::string annotations;
  const auto addCategory = [&](const std::string& name) { event.category += (event.category.empty() ? "" : ",") + name; };
  forEachField(bytes, [&](const ProtoField& f) {
    switch (f.number) {
    case 1: event.deltaUs = f.sint(); break;
    case 2: event.threadDeltaUs = f.sint(); break;
    case 3: {
      std::vector<uint64_t> iids;
      numbersIn(f, iids);
      for (const uint64_t iid : iids) addCategory(looked(sequence.names.categories, iid));
      break;
    }
    case 4: appendAnnotation(annotations, f.bytes, sequence.names); break;
    case 6: readLegacy(f.bytes, event, sequence); break;
    case 8: event.instructionsDelta = f.sint(); break;
    case 9: event.type = f.value; break;
    case 10: event.name = looked(sequence.names.events, f.value), event.hasName = true; break;
    case 11: event.track = f.value; break;
    case 12: {
      std::vector<uint64_t> values;
      numbersIn(f, values);
      for (const uint64_t v : values) event.values.push_back(int64_t(v));
      break;
    }
    case 16: event.absoluteUs = f.sint(); break;
    case 17: event.threadAbsoluteUs = f.sint(); break;
    case 20: event.instructionsAbsolute = f.sint(); break;
    case 22: addCategory(validUtf8(f.bytes)); break;
    case 23: event.name = validUtf8(f.bytes), event.hasName = true; break;
    case 30: event.value = double(f.sint()); break;
    case 31: numbersIn(f, event.counters); break;
    case 36: numbersIn(f, event.flows); break;
    case 42: numbersIn(f, event.ends); break;
    case 44: event.value = f.real(); break;
    case 45: numbersIn(f, event.realCounters); break;
    case 46: realsIn(f, event.reals); break;
    case 47:
    case 48:
      if (f.isBytes) { // packed, eight bytes each
        std::vector<double> ids;
        realsIn(f, ids);
        for (const double id : ids) (f.number == 47 ? event.flows : event.ends).push_back(std::bit_cast<uint64_t>(id));
      } else {
        (f.number == 47 ? event.flows : event.ends).push_back(f.value);
      }
      break;
    default: readMore(f, event, sequence);
    }
  });
  event.isOfWriter = event.track ? *event.track == 0 && event.type == kUnspecifiedEvent : !sequence.track;
  if (!annotations.empty())
    event.details = event.details.empty() ? "{" + annotations + "}" : joinObjects("{" + annotations + "}", event.details);
  return event;
}

// Reads fields that become details.
void PerfettoTrackEvents::readMore(const ProtoField& f, Event& event, const PerfettoSequence& sequence) {
  const auto source = [&](uint64_t iid) {
    const auto found = sequence.sources.find(iid);
    if (found == sequence.sources.end()) m_assembly.counts().mend(Mend::UnknownNames);
    return found == sequence.sources.end() ? quotedJson("#" + std::to_string(iid)) : found->second;
  };
  switch (f.number) {
  case 5: // task_execution
    forEachField(f.bytes, [&](const ProtoField& t) {
      if (t.number == 1) addMember(event.details, "posted_from", source(t.value));
    });
    break;
  case 21: { // log_message
    static const char* const priorities[] = {"", "", "verbose", "debug", "info", "warning", "error", "fatal"};
    forEachField(f.bytes, [&](const ProtoField& l) {
      if (l.number == 1) addMember(event.details, "source", source(l.value));
      if (l.number == 2) addMember(event.details, "message", quotedJson(looked(sequence.logBodies, l.value)));
      if (l.number == 3 && l.value >= 2 && l.value < std::size(priorities))
        addMember(event.details, "priority", quotedJson(priorities[l.value]));
    });
    break;
  }
  case 33: { // source_location
    std::string place;
    forEachField(f.bytes, [&](const ProtoField& s) {
      if (s.number == 2 && s.isBytes) addMember(place, "file", quotedJson(s.bytes));
      if (s.number == 3 && s.isBytes) addMember(place, "function", quotedJson(s.bytes));
      if (s.number == 4 && !s.isBytes) addMember(place, "line", std::to_string(uint32_t(s.value)));
    });
    if (!place.empty()) addMember(event.details, "source", place);
    break;
  }
  case 34: addMember(event.details, "source", source(f.value)); break;
  case 52: addMember(event.details, "correlation_id", std::to_string(f.value)); break;
  case 53: addMember(event.details, "correlation_id", quotedJson(f.bytes)); break;
  case 54: addMember(event.details, "correlation_id", quotedJson(looked(sequence.correlations, f.value))); break;
  case 55:
  case 56: addCallstack(event, f, sequence); break;
  case 57: {
    const std::string weight = std::to_string(f.real());
    addMember(event.details, "callstack_weight", std::isfinite(f.real()) ? weight : quotedJson(weight));
    break;
  }
  default: m_assembly.counts().mend(Mend::EventFieldsNotShown); ++m_fields[perfettoEventField(f.number)];
  }
}

void PerfettoTrackEvents::addCallstack(Event& event, const ProtoField& field, const PerfettoSequence& sequence) {
  std::string frames;
  const auto add = [&](const std::string& frame) { frames += (frames.empty() ? "[" : ",") + quotedJson(frame); };
  if (field.isBytes) {
    forEachField(field.bytes, [&](const ProtoField& f) {
      if (f.number != 1 || !f.isBytes) return;
      std::string name, file, line;
      forEachField(f.bytes, [&](const ProtoField& part) {
        if (part.number == 1 && part.isBytes) name = validUtf8(part.bytes);
        if (part.number == 2 && part.isBytes) file = validUtf8(part.bytes);
        if (part.number == 3 && !part.isBytes) line = ":" + std::to_string(uint32_t(part.value));
      });
      add(file.empty() ? name : name + " (" + file + line + ")");
    });
  } else if (const auto stack = sequence.stacks.stack(field.value)) {
    for (const std::string& frame : *stack) add(frame);
  } else {
    m_assembly.counts().mend(Mend::UnknownNames);
    add("#" + std::to_string(field.value));
  }
  if (!frames.empty()) addMember(event.details, "stack", frames + "]");
}

void PerfettoTrackEvents::readLegacy(std::string_view legacy, Event& event, const PerfettoSequence& sequence) {
  forEachField(legacy, [&](const ProtoField& f) {
    switch (f.number) {
    case 1:
      if (event.name.empty())
        if (const auto found = sequence.names.events.find(f.value); found != sequence.names.events.end())
          event.name = found->second, event.hasName = true;
      break;
    case 2: event.phase = char(f.value); break;
    case 3: event.durationUs = f.sint(); break;
    case 4: event.threadDurationUs = f.sint(); break;
    case 5: addMember(event.details, "thread_instruction_delta", std::to_string(f.sint())); break;
    case 6: event.id = f.value, event.idKind = Event::Unscoped; break;
    case 7: event.idScope = validUtf8(f.bytes); break;
    case 8: event.bindId = f.sint(); break;
    case 10: event.id = f.value, event.idKind = Event::Local; break;
    case 11: event.id = f.value, event.idKind = Event::Global; break;
    case 12: event.bindsEnclosing = f.value != 0; break;
    case 13: event.direction = f.value; break;
    case 14: event.scope = f.value; break;
    case 18: event.pidOverride = int64_t(int32_t(f.value)); break;
    case 19: event.tidOverride = int64_t(int32_t(f.value)); break;
    default: break; // kept for the clocks of asynchronous events
    }
  });
  if (event.threadDurationUs && event.phase != 'X')
    addMember(event.details, "thread_duration_us", std::to_string(*event.threadDurationUs));
}

// The packet's time, or the event's own in microseconds of the monotonic clock; nothing if it is missing or invalid.
std::optional<int64_t> PerfettoTrackEvents::timeOf(const Event& event, std::optional<int64_t> time, PerfettoSequence& sequence) {
  if (!event.deltaUs && !event.absoluteUs) return time;
  const int64_t us = event.deltaUs ? *event.deltaUs : *event.absoluteUs;
  int64_t at = 0;
  if (!isSane(us)) {
    m_assembly.counts().mend(Mend::TimesOutOfRange);
    return std::nullopt;
  }
  if (event.deltaUs) {
    if (!sequence.streamTime) { // the base of the difference is missing
      m_assembly.counts().mend(Mend::EventsWithoutTime);
      return std::nullopt;
    }
    at = *sequence.streamTime + us * 1000;
    if (!isSane(at / 1000)) {
      m_assembly.counts().mend(Mend::TimesOutOfRange);
      return std::nullopt;
    }
    sequence.streamTime = at;
  } else {
    at = us * 1000;
  }
  return m_clocks.toTraceTime(PerfettoClocks::key(kMonotonicClock, 0), at).value_or(at);
}

void PerfettoTrackEvents::readThreadClock(Event& event, PerfettoSequence& sequence) const {
  if (event.threadDeltaUs && isSane(*event.threadDeltaUs)) {
    const int64_t at = sequence.threadTime.value_or(0) + *event.threadDeltaUs * 1000;
    if (isSane(at / 1000)) event.threadTime = sequence.threadTime = at;
  }
  if (event.threadAbsoluteUs && isSane(*event.threadAbsoluteUs)) event.threadTime = *event.threadAbsoluteUs * 1000;
  if (event.instructionsDelta) {
    sequence.threadInstructions = int64_t(uint64_t(sequence.threadInstructions.value_or(0)) + uint64_t(*event.instructionsDelta));
    addMember(event.details, "thread_instructions", std::to_string(*sequence.threadInstructions));
  }
  if (event.instructionsAbsolute) addMember(event.details, "thread_instructions", std::to_string(*event.instructionsAbsolute));
}

// The track of an event. Without a track it is the writer's default track, else the thread that the writer described, else a
// separate track. An older event on track 0 belongs to the described thread, too.
PerfettoTrackKey PerfettoTrackEvents::keyOf(const Event& event, const PerfettoSequence& sequence) const {
  if (event.isOfWriter && event.track && sequence.lastThreadTrack) return {sequence.machine, *sequence.lastThreadTrack, 0};
  if (const auto uuid = event.track ? event.track : sequence.track) return {sequence.machine, *uuid, 0};
  if (sequence.threadTracks.size() == 1) return {sequence.machine, *sequence.threadTracks.begin(), 0};
  return {sequence.machine, 0, sequence.number + 1};
}

PerfettoRow& PerfettoTrackEvents::rowOf(const Event& event, const PerfettoTrackKey& key, const PerfettoSequence& sequence) {
  if (event.tidOverride && *event.tidOverride >= 0) {
    std::optional<int64_t> pid = sequence.pid;
    if (event.pidOverride) pid = m_rows.lastLife(m_rows.onMachine(*event.pidOverride, sequence.machine));
    return m_rows.thread(m_rows.onMachine(*event.tidOverride, sequence.machine), pid);
  }
  if (event.isOfWriter && event.pidOverride && *event.pidOverride >= 0) {
    constexpr uint32_t kOfProcess = std::numeric_limits<uint32_t>::max(); // no writer has this number
    PerfettoTrack& process = m_tracks.at({sequence.machine, uint64_t(*event.pidOverride), kOfProcess});
    process.pid = m_rows.lastLife(m_rows.onMachine(*event.pidOverride, sequence.machine));
    process.name = "events of the process";
    process.row.isEmpty = false;
    return process.row;
  }
  if (event.isOfWriter && sequence.tid) return m_rows.thread(*sequence.tid, sequence.pid);
  PerfettoTrack& track = m_tracks.at(key);
  track.row.isEmpty = false;
  return track.row;
}

void PerfettoTrackEvents::addValue(uint64_t uuid, int64_t time, double value, Event* event, PerfettoSequence& sequence) {
  PerfettoTrack& track = m_tracks.at({sequence.machine, uuid, 0});
  track.values.push_back({time, value, sequence.number, sequence.epoch});
  if (!track.firstEvent || time < *track.firstEvent) track.firstEvent = time;
  if (!event || track.counterType == PerfettoTrack::Plain) return;
  double shown = value * track.multiplier;
  if (track.isIncremental) shown = sequence.counterSums[uuid] += shown;
  if (track.counterType == PerfettoTrack::ThreadTime && std::abs(shown) < double(kMostScaled)) event->threadTime = int64_t(shown);
}

void PerfettoTrackEvents::addCounters(Event& event, int64_t time, PerfettoSequence& sequence) {
  const auto& counters = event.counters.empty() ? sequence.extraCounters : event.counters;
  for (std::size_t i = 0; i < event.values.size() && i < counters.size(); ++i)
    addValue(counters[i], time, double(event.values[i]), &event, sequence);
  const auto& realCounters = event.realCounters.empty() ? sequence.extraRealCounters : event.realCounters;
  for (std::size_t i = 0; i < event.reals.size() && i < realCounters.size(); ++i)
    addValue(realCounters[i], time, event.reals[i], &event, sequence);
  const std::size_t lost = event.values.size() - std::min(event.values.size(), counters.size()) + event.reals.size() -
                           std::min(event.reals.size(), realCounters.size());
  if (lost > 0) m_assembly.counts().mend(Mend::UnknownNames, int64_t(lost));
}

uint64_t PerfettoTrackEvents::flowNumber(const std::string& key) {
  return m_flows.try_emplace(key, uint64_t(m_flows.size()) | uint64_t(m_source) << 40).first->second;
}

// Adds the flows of an event; `point` is the slice or instant that they bind to.
void PerfettoTrackEvents::addFlows(const Event& event, PerfettoRow& row, FlowPoint point, const PerfettoTrackKey& key) {
  for (const auto* list : {&event.flows, &event.ends})
    for (const uint64_t flow : *list) {
      point.flow = flowNumber("flow " + std::to_string(flow));
      point.kind = list == &event.ends ? FlowPoint::End : FlowPoint::Start;
      row.flows.push_back(point);
    }
  if (!event.bindId || event.direction == 0) return;
  point.flow = flowNumber("bind " + std::to_string(key.machine) + "/" + std::to_string(*event.bindId));
  point.kind = event.direction == 1 ? FlowPoint::End : event.direction == 2 ? FlowPoint::Start : FlowPoint::Step;
  point.stays = point.kind == FlowPoint::End;
  row.legacyFlows.push_back(point);
}

void PerfettoTrackEvents::add(std::string_view bytes, std::optional<int64_t> packetTime, PerfettoSequence& sequence) {
  Event event = read(bytes, sequence);
  const bool hasOwnTime = event.deltaUs || event.absoluteUs;
  const auto time = timeOf(event, packetTime, sequence);
  readThreadClock(event, sequence);
  if (!time) {
    if (!hasOwnTime) m_assembly.counts().mend(Mend::EventsWithoutTime);
    return;
  }
  addCounters(event, *time, sequence);
  if (event.type == kCounterEvent) {
    if (!event.value) return m_assembly.counts().mend(Mend::CounterValuesNotNumbers);
    const uint64_t uuid = event.track ? *event.track : sequence.track.value_or(0);
    return addValue(uuid, *time, *event.value, nullptr, sequence);
  }
  addShown(event, *time, sequence);
}

void PerfettoTrackEvents::addShown(Event& event, int64_t time, PerfettoSequence& sequence) {
  const uint32_t name = m_assembly.string(event.name.empty() ? "(no name)" : event.name);
  m_assembly.see(time, name);
  if (event.type == kUnspecifiedEvent)
    event.type = event.phase == 'B'                                               ? kSliceBegin
                 : event.phase == 'E'                                             ? kSliceEnd
                 : event.phase == 'I' || event.phase == 'i' || event.phase == 'R' ? kInstantEvent
                                                                                  : 0;
  const PerfettoTrackKey key = keyOf(event, sequence);
  const uint8_t channel = m_assembly.channel(event.category);
  if (event.type == kStateEvent) {
    PerfettoTrack& track = m_tracks.at(key);
    if (track.isDescribed && !track.isState) return m_assembly.counts().mend(Mend::EventsOfUnknownKind);
    addState(event, key, track, {time, event.name.empty() ? std::nullopt : std::optional(name), channel, event.details});
    return;
  }
  PerfettoRow& row = rowOf(event, key, sequence);
  if (PerfettoTrack& track = m_tracks.at(key); !track.firstEvent || time < *track.firstEvent) track.firstEvent = time;
  FlowPoint point;
  point.time = time;
  point.name = name;
  point.channel = channel;
  const uint32_t order = m_rows.nextOrder();
  const int64_t threadTime = event.threadTime.value_or(BeginEndStack::kNoTime);
  switch (event.type) {
  case kSliceBegin:
    point.slice = order;
    row.stack.begin(time, name, channel, event.details, order, threadTime);
    break;
  case kSliceEnd: {
    point.endsSlice = true;
    BeginEndStack::End end;
    if (!event.name.empty()) end.name = name;
    if (!event.category.empty()) end.channel = channel;
    end.threadTime = threadTime;
    end.order = order;
    row.stack.end(time, event.details, end);
    break;
  }
  case kInstantEvent: {
    const InstantScope scope = event.scope == 1   ? InstantScope::Trace
                               : event.scope == 2 ? InstantScope::Process
                                                  : InstantScope::Thread;
    if (event.threadTime) addThreadTime(event.details, *event.threadTime, std::nullopt);
    point.instant = int32_t(row.instants.size());
    row.instants.push_back({time, name, channel, scope, m_assembly.details(event.details)});
    break;
  }
  default:
    if (event.phase == 'X') {
      const int64_t us = event.durationUs.value_or(0);
      if (us < 0) m_assembly.counts().mend(Mend::NegativeDurations);
      const int64_t duration = std::clamp<int64_t>(us, 0, kMostEventMicroseconds) * 1000;
      if (event.threadTime || event.threadDurationUs)
        addThreadTime(event.details, event.threadTime.value_or(0),
                      event.threadDurationUs ? std::optional(*event.threadDurationUs * 1000) : std::nullopt);
      row.slices.push_back({time, time + duration, name, m_assembly.details(event.details), order, channel, 0});
      m_assembly.source().see(time + duration);
      point.slice = order;
    } else if (!addLegacy(event, key, row, point, sequence)) {
      return m_assembly.counts().mend(Mend::EventsOfUnknownKind);
    }
  }
  addFlows(event, row, point, key);
}

// Adds a state. Arrows bind to its slice, or, for a state without a name, to the slice that it ends.
void PerfettoTrackEvents::addState(const Event& event, const PerfettoTrackKey& key, PerfettoTrack& track,
                                   PerfettoTrack::State state) {
  if (!track.firstEvent || state.time < *track.firstEvent) track.firstEvent = state.time;
  state.order = m_rows.nextOrder();
  FlowPoint point;
  point.time = state.time;
  point.channel = state.channel;
  if (state.name) {
    point.name = *state.name;
    point.slice = state.order;
  } else {
    point.name = m_assembly.string("(no name)");
    point.endsSlice = true;
  }
  track.states.push_back(std::move(state));
  addFlows(event, track.row, point, key);
}

// Adds flows and asynchronous work of Chrome's events; returns false for other phases.
bool PerfettoTrackEvents::addLegacy(Event& event, const PerfettoTrackKey& key, PerfettoRow& row, FlowPoint point,
                                    const PerfettoSequence& sequence) {
  const std::string id = std::to_string(int(event.idKind)) + ':' + std::to_string(event.id) + ':' + event.idScope;
  switch (event.phase) {
  case 's':
  case 't':
  case 'f':
    point.flow = flowNumber("legacy " + event.category + '\x1f' + event.name + '\x1f' + id);
    point.kind = event.phase == 's' ? FlowPoint::Start : event.phase == 't' ? FlowPoint::Step : FlowPoint::End;
    point.nextSlice = event.phase == 'f' && !event.bindsEnclosing;
    row.legacyFlows.push_back(point);
    return true;
  case 'b':
  case 'e':
  case 'n':
  case 'S':
  case 'T':
  case 'p':
  case 'F':
  case 'N':
  case 'D':
  case 'O': {
    std::optional<int64_t> pid;
    if (event.isOfWriter) pid = sequence.pid;
    if (event.pidOverride && *event.pidOverride >= 0) pid = m_rows.lastLife(m_rows.onMachine(*event.pidOverride, key.machine));
    if (event.threadTime) // its end may come from another thread with another clock
      addMember(event.details,
                std::string_view("eFD").find(event.phase) != std::string_view::npos ? "thread_end_ns" : "thread_start_ns",
                std::to_string(*event.threadTime));
    m_waiting.push_back({point.time, event.phase, key, pid, point.name, event.name, event.category, event.details, id,
                         event.idKind != Event::Global});
    return true;
  }
  case 'P':
  case 'v':
  case 'V':
  case 'c':
  case '(':
  case ')':
  case 'M':
    row.instants.push_back({point.time, point.name, point.channel, InstantScope::Thread, m_assembly.details(event.details)});
    return true;
  default: return false;
  }
}

// Adds asynchronous work. An id belongs to a category, and to a process unless it is global; for older kinds (S, F, N, D) also to
// a name.
void PerfettoTrackEvents::addAsync(const Waiting& one) {
  const auto above = one.pid ? one.pid : m_tracks.processAbove(one.track);
  const int64_t pid = above.value_or(m_rows.hostOf(one.track.machine));
  const bool byName = std::string_view("STpFNDO").find(one.phase) != std::string_view::npos;
  const bool isObject = std::string_view("NDO").find(one.phase) != std::string_view::npos;
  const PerfettoRows::AsyncRow row{pid, one.text.empty() ? "(no name)" : one.text, isObject ? "object" : "async", one.category};
  const std::string key = "event" + one.id + '\x1f' + (one.isLocal ? std::to_string(pid) : "") + '\x1f' + one.category + '\x1f' +
                          (byName ? one.text : "") + (isObject ? "\x1fobject" : "");
  switch (one.phase) {
  case 'b':
  case 'S':
  case 'N': return m_rows.beginAsync(key, row, one.time, one.name, one.details);
  case 'e':
  case 'F':
  case 'D': {
    BeginEndStack::End end;
    if (!byName && !one.text.empty()) end.name = one.name;
    return m_rows.endAsync(key, one.time, one.details, end);
  }
  default: return m_rows.markAsync(row, one.time, one.name, one.details);
  }
}

void PerfettoTrackEvents::finish() {
  std::stable_sort(m_waiting.begin(), m_waiting.end(), [](const Waiting& a, const Waiting& b) { return a.time < b.time; });
  for (const Waiting& one : m_waiting) addAsync(one);
  m_waiting.clear();
}

} // namespace reports::exchange
