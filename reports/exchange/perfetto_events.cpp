#include "reports/exchange/perfetto_events.h"

#include "reports/core/text.h"
#include "reports/exchange/perfetto_clocks.h"
#include "reports/exchange/perfetto_debug.h"
#include "reports/exchange/perfetto_ftrace.h"
#include "reports/exchange/perfetto_samples.h"

#include <algorithm>
#include <map>

namespace reports::exchange {

namespace perfetto { // named: PerfettoEvents::State is made of it

constexpr int64_t kMostReferenceMicroseconds = int64_t(1) << 50; // 35 years

enum TrackEventType { kUnspecified = 0, kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };

// A track that a descriptor names; its events come by number.
struct DescribedTrack {
  uint64_t parent = 0;
  std::optional<int64_t> pid, tid; // of a thread track: both; of a process track: pid
  bool isCounter = false;
  std::string name, unit;
  double multiplier = 1;
  bool isIncremental = false;
  double sum = 0;
  PerfettoRow row; // of a track that is neither a thread nor a counter
};

// The state of the packets of one writer.
struct PacketSequence {
  PerfettoNames names;
  std::optional<uint32_t> clock;
  std::optional<uint64_t> track;
  std::vector<uint64_t> extraCounters, extraRealCounters;
  std::optional<int64_t> pid, tid;                             // of old writers, which describe their thread
  std::optional<int64_t> streamTime;                           // nanoseconds that their samples count from
  std::map<uint32_t, std::pair<int64_t, int64_t>> incremental; // clock: its last time, nanoseconds a unit
  PerfettoStacks stacks;
};

struct TrackEvent {
  uint64_t type = kUnspecified;
  std::optional<uint64_t> track;
  std::string name, category, details;
  std::optional<double> value;
  std::vector<uint64_t> flows, ends, counters, realCounters;
  std::vector<int64_t> values;
  std::vector<double> reals;
  char phase = 0; // of an event that was converted from Chrome's JSON
  int64_t durationUs = 0;
  uint64_t asyncId = 0;
  bool hasAsyncId = false;
};

} // namespace perfetto

using namespace perfetto;

struct PerfettoEvents::State {
  explicit State(TraceAssembly& a) : assembly(a), rows(a), kernel(a, rows), samples(a, rows) {}

  TraceAssembly& assembly;
  PerfettoRows rows;
  PerfettoKernel kernel;
  PerfettoSamples samples;
  PerfettoClocks clocks;
  std::map<uint32_t, PacketSequence> sequences;
  std::map<uint64_t, DescribedTrack> tracks;

  void add(std::string_view packet);
  std::optional<int64_t> timeOf(std::optional<uint64_t> stamp, std::optional<uint32_t> clock, uint32_t id,
                                PacketSequence& sequence);
  void addClocks(std::string_view snapshot, uint32_t id, PacketSequence& sequence);
  void addDescriptor(std::string_view descriptor);
  void addThreadDescriptor(std::string_view descriptor, PacketSequence& sequence);
  void addDefaults(std::string_view defaults, PacketSequence& sequence);
  static void addInterned(std::string_view interned, PacketSequence& sequence);
  TrackEvent readEvent(std::string_view event, const PacketSequence& sequence);
  void readLegacy(std::string_view legacy, TrackEvent& event, const PacketSequence& sequence);
  void addEvent(std::string_view bytes, int64_t time, PacketSequence& sequence);
  void addCounter(uint64_t track, int64_t time, double value);
  void addSample(PerfettoSamples::ThreadKey thread, int64_t time, uint64_t stack, PacketSequence& sequence);
  void addPerfSample(std::string_view sample, int64_t time, PacketSequence& sequence);
  void addStreamedSamples(std::string_view profile, int64_t time, uint32_t id, PacketSequence& sequence);
  PerfettoRow& rowOf(const TrackEvent& event, const PacketSequence& sequence);
  std::optional<int64_t> processAbove(const DescribedTrack& track) const;
  void finish();
};

void PerfettoEvents::State::add(std::string_view packet) {
  std::optional<uint64_t> stamp;
  std::optional<uint32_t> clock;
  uint32_t id = 0;
  bool clear = false, shown = false;
  forEachField(packet, [&](const ProtoField& f) {
    if (f.number == 8) stamp = f.value;
    if (f.number == 58) clock = uint32_t(f.value);
    if (f.number == 10) id = uint32_t(f.value);
    if ((f.number == 13 && (f.value & 1)) || (f.number == 41 && f.value)) clear = true;
  });
  PacketSequence& sequence = sequences[id];
  if (clear) {
    const auto pid = sequence.pid, tid = sequence.tid;
    sequence = {};
    sequence.pid = pid, sequence.tid = tid;
  }
  // Names and defaults of a packet hold for its own event.
  forEachField(packet, [&](const ProtoField& f) {
    if (!f.isBytes) return;
    if (f.number == 12) addInterned(f.bytes, sequence), shown = true;
    if (f.number == 59) addDefaults(f.bytes, sequence), shown = true;
    if (f.number == 6) addClocks(f.bytes, id, sequence), shown = true;
    if (f.number == 60) addDescriptor(f.bytes), shown = true;
    if (f.number == 2) kernel.addProcessTree(f.bytes), shown = true;
    if (f.number == 44) addThreadDescriptor(f.bytes, sequence), shown = true;
  });
  const auto time = timeOf(stamp, clock, id, sequence);
  forEachField(packet, [&](const ProtoField& f) {
    if (f.number == 42 && f.value) assembly.counts().mend(Mend::PacketsLost);
    if (!f.isBytes) return;
    if (f.number == 1) kernel.addBundle(f.bytes), shown = true;
    if (f.number == 11) shown = true, time ? addEvent(f.bytes, *time, sequence) : void();
    if (f.number == 76) shown = true, time ? kernel.addFrame(f.bytes, *time) : void();
    if (f.number == 66) shown = true, time ? addPerfSample(f.bytes, *time, sequence) : void();
    if (f.number == 54) shown = true, time ? addStreamedSamples(f.bytes, *time, id, sequence) : void();
  });
  if (!shown && !clear) assembly.counts().mend(Mend::PacketsNotShown); // one that only begins a sequence shows nothing
}

// Nothing where the time cannot be set against the others, or is none.
std::optional<int64_t> PerfettoEvents::State::timeOf(std::optional<uint64_t> stamp, std::optional<uint32_t> clock, uint32_t id,
                                                     PacketSequence& sequence) {
  if (!stamp) return 0;
  if (*stamp > uint64_t(1) << 61) {
    assembly.counts().mend(Mend::TimesOutOfRange);
    return std::nullopt;
  }
  const uint32_t used = clock ? *clock : sequence.clock.value_or(kBoottimeClock);
  auto time = int64_t(*stamp);
  if (const auto incremental = sequence.incremental.find(used); incremental != sequence.incremental.end()) {
    auto& [last, unit] = incremental->second;
    time = last = int64_t(uint64_t(last) + uint64_t(time) * uint64_t(unit));
  }
  if (const auto boottime = clocks.toBoottime(PerfettoClocks::key(used, id), time)) return *boottime;
  assembly.counts().mend(Mend::UnknownClocks);
  if (clocks.isEmpty()) return time;
  return std::nullopt;
}

void PerfettoEvents::State::addClocks(std::string_view snapshot, uint32_t id, PacketSequence& sequence) {
  std::map<uint64_t, int64_t> readings;
  forEachField(snapshot, [&](const ProtoField& f) {
    if (f.number != 1 || !f.isBytes) return;
    uint32_t clock = 0;
    int64_t reading = 0, unit = 1;
    bool isIncremental = false;
    forEachField(f.bytes, [&](const ProtoField& c) {
      if (c.number == 1) clock = uint32_t(c.value);
      if (c.number == 2) reading = c.sint();
      if (c.number == 3) isIncremental = c.value != 0;
      if (c.number == 4 && c.value > 0 && c.value < 1'000'000'000) unit = c.sint();
    });
    reading = int64_t(uint64_t(reading) * uint64_t(unit));
    readings[PerfettoClocks::key(clock, id)] = reading;
    if (isIncremental || unit != 1) sequence.incremental[clock] = {isIncremental ? reading : 0, unit};
  });
  clocks.addSnapshot(readings);
}

void PerfettoEvents::State::addDescriptor(std::string_view descriptor) {
  uint64_t uuid = 0;
  forEachField(descriptor, [&](const ProtoField& f) {
    if (f.number == 1) uuid = f.value;
  });
  DescribedTrack& track = tracks[uuid];
  forEachField(descriptor, [&](const ProtoField& f) {
    if (f.number == 5) track.parent = f.value;
    if ((f.number == 2 || f.number == 10 || f.number == 13) && f.isBytes) track.name = validUtf8(f.bytes);
    if (f.number == 3 && f.isBytes) {
      std::string name;
      forEachField(f.bytes, [&](const ProtoField& p) {
        if (p.number == 1) track.pid = int64_t(int32_t(p.value));
        if (p.number == 6 && p.isBytes) name = validUtf8(p.bytes);
        if (p.number == 2 && p.isBytes && name.empty()) name = validUtf8(p.bytes);
      });
      if (track.pid) rows.nameProcess(*track.pid, name.empty() ? track.name : name);
    }
    if (f.number == 4 && f.isBytes) {
      std::string name;
      forEachField(f.bytes, [&](const ProtoField& t) {
        if (t.number == 1) track.pid = int64_t(int32_t(t.value));
        if (t.number == 2) track.tid = int64_t(int32_t(t.value));
        if (t.number == 5 && t.isBytes) name = validUtf8(t.bytes);
      });
      if (track.tid) {
        rows.nameThread(*track.tid, track.pid, name);
        if (track.pid) rows.setProcessOf(*track.tid, *track.pid);
      }
    }
    if (f.number == 8) {
      static const char* const units[] = {"", "ns", "", "byte"};
      track.isCounter = true;
      forEachField(f.bytes, [&](const ProtoField& c) {
        if (c.number == 3 && c.value < 4) track.unit = units[c.value];
        if (c.number == 6 && c.isBytes) track.unit = validUtf8(c.bytes);
        if (c.number == 4 && c.value) track.multiplier = double(c.sint());
        if (c.number == 5) track.isIncremental = c.value != 0;
      });
    }
  });
}

// Writers before track descriptors: what follows on the sequence is of this thread.
void PerfettoEvents::State::addThreadDescriptor(std::string_view descriptor, PacketSequence& sequence) {
  std::string name;
  forEachField(descriptor, [&](const ProtoField& f) {
    if (f.number == 1) sequence.pid = int64_t(int32_t(f.value));
    if (f.number == 2) sequence.tid = int64_t(int32_t(f.value));
    if (f.number == 5 && f.isBytes) name = validUtf8(f.bytes);
    if (f.number == 6 && f.value < uint64_t(kMostReferenceMicroseconds)) sequence.streamTime = f.sint() * 1000;
  });
  if (sequence.tid) rows.nameThread(*sequence.tid, sequence.pid, name);
}

void PerfettoEvents::State::addDefaults(std::string_view defaults, PacketSequence& sequence) {
  forEachField(defaults, [&](const ProtoField& f) {
    if (f.number == 58) sequence.clock = uint32_t(f.value);
    if (f.number != 11 || !f.isBytes) return;
    sequence.extraCounters.clear();
    sequence.extraRealCounters.clear();
    forEachField(f.bytes, [&](const ProtoField& d) {
      if (d.number == 11) sequence.track = d.value;
      if (d.number == 31) sequence.extraCounters.push_back(d.value);
      if (d.number == 45) sequence.extraRealCounters.push_back(d.value);
    });
  });
}

void PerfettoEvents::State::addInterned(std::string_view interned, PacketSequence& sequence) {
  forEachField(interned, [&](const ProtoField& f) {
    auto* names = f.number == 1    ? &sequence.names.categories
                  : f.number == 2  ? &sequence.names.events
                  : f.number == 3  ? &sequence.names.annotations
                  : f.number == 29 ? &sequence.names.strings
                                   : nullptr;
    if (!names) return sequence.stacks.add(f);
    if (!f.isBytes) return;
    uint64_t iid = 0;
    std::string text;
    forEachField(f.bytes, [&](const ProtoField& n) {
      if (n.number == 1) iid = n.value;
      if (n.number == 2 && n.isBytes) text = validUtf8(n.bytes);
    });
    (*names)[iid] = std::move(text);
  });
}

TrackEvent PerfettoEvents::State::readEvent(std::string_view bytes, const PacketSequence& sequence) {
  TrackEvent event;
  const auto named = [&](const std::map<uint64_t, std::string>& names, uint64_t iid) {
    if (const auto found = names.find(iid); found != names.end()) return found->second;
    assembly.counts().mend(Mend::UnknownNames);
    return "#" + std::to_string(iid);
  };
  const auto numbers = [](const ProtoField& f, std::vector<uint64_t>& into) {
    if (f.isBytes)
      forEachPacked(f.bytes, [&](uint64_t v) { into.push_back(v); });
    else
      into.push_back(f.value);
  };
  forEachField(bytes, [&](const ProtoField& f) {
    switch (f.number) {
    case 9: event.type = f.value; break;
    case 11: event.track = f.value; break;
    case 22: event.category += (event.category.empty() ? "" : ",") + validUtf8(f.bytes); break;
    case 3: event.category += (event.category.empty() ? "" : ",") + named(sequence.names.categories, f.value); break;
    case 23: event.name = validUtf8(f.bytes); break;
    case 10: event.name = named(sequence.names.events, f.value); break;
    case 4: appendAnnotation(event.details, f.bytes, sequence.names); break;
    case 30: event.value = double(f.sint()); break;
    case 44: event.value = f.real(); break;
    case 36:
    case 47: event.flows.push_back(f.value); break;
    case 42:
    case 48: event.ends.push_back(f.value); break;
    case 31: numbers(f, event.counters); break;
    case 45: numbers(f, event.realCounters); break;
    case 12: {
      std::vector<uint64_t> values;
      numbers(f, values);
      for (const uint64_t v : values) event.values.push_back(int64_t(v));
      break;
    }
    case 46:
      if (f.isBytes)
        for (std::size_t i = 0; i + 8 <= f.bytes.size(); i += 8) {
          ProtoField one;
          for (std::size_t b = 0; b < 8; ++b) one.value |= uint64_t(uint8_t(f.bytes[i + b])) << (8 * b);
          event.reals.push_back(one.real());
        }
      else
        event.reals.push_back(f.real());
      break;
    case 6: readLegacy(f.bytes, event, sequence); break;
    default: break;
    }
  });
  if (!event.details.empty()) event.details = "{" + event.details + "}";
  return event;
}

void PerfettoEvents::State::readLegacy(std::string_view legacy, TrackEvent& event, const PacketSequence& sequence) {
  forEachField(legacy, [&](const ProtoField& f) {
    if (f.number == 1 && event.name.empty())
      if (const auto found = sequence.names.events.find(f.value); found != sequence.names.events.end())
        event.name = found->second;
    if (f.number == 2) event.phase = char(f.value);
    if (f.number == 3) event.durationUs = f.sint();
    if (f.number == 6 || f.number == 10 || f.number == 11) event.asyncId = f.value, event.hasAsyncId = true;
  });
}

std::optional<int64_t> PerfettoEvents::State::processAbove(const DescribedTrack& track) const {
  const DescribedTrack* at = &track;
  for (int depth = 0; depth < 64; ++depth) {
    if (at->pid) return at->pid;
    const auto parent = tracks.find(at->parent);
    if (at->parent == 0 || parent == tracks.end()) return std::nullopt;
    at = &parent->second;
  }
  return std::nullopt;
}

PerfettoRow& PerfettoEvents::State::rowOf(const TrackEvent& event, const PacketSequence& sequence) {
  const auto uuid = event.track ? event.track : sequence.track;
  if (!uuid && sequence.tid) return rows.thread(*sequence.tid, sequence.pid);
  DescribedTrack& track = tracks[uuid.value_or(0)];
  if (track.tid) return rows.thread(*track.tid, track.pid);
  track.row.isEmpty = false;
  return track.row;
}

void PerfettoEvents::State::addCounter(uint64_t uuid, int64_t time, double value) {
  DescribedTrack& track = tracks[uuid];
  value *= track.multiplier;
  if (track.isIncremental) value = track.sum += value;
  rows.addCounter(processAbove(track).value_or(-1), track.name.empty() ? "counter " + std::to_string(uuid) : track.name,
                  track.unit, time, value);
}

void PerfettoEvents::State::addSample(PerfettoSamples::ThreadKey thread, int64_t time, uint64_t number,
                                      PacketSequence& sequence) {
  if (time < 0 || time > kMostReferenceMicroseconds * 1000) return assembly.counts().mend(Mend::TimesOutOfRange);
  auto& known = sequence.stacks.known();
  auto found = known.find(number);
  if (found == known.end()) {
    const auto stack = sequence.stacks.stack(number);
    if (!stack) assembly.counts().mend(Mend::UnknownNames);
    const std::vector<std::string> unknown{"#" + std::to_string(number)};
    found = known.emplace(number, samples.numberOf(stack ? *stack : unknown)).first;
  }
  samples.add(thread, time, found->second);
}

void PerfettoEvents::State::addPerfSample(std::string_view sample, int64_t time, PacketSequence& sequence) {
  PerfettoSamples::ThreadKey thread{-1, 0};
  std::optional<uint64_t> stack;
  bool wasSkipped = false;
  forEachField(sample, [&](const ProtoField& f) {
    if (f.number == 2) thread.first = int64_t(int32_t(f.value));
    if (f.number == 3) thread.second = int64_t(int32_t(f.value));
    if (f.number == 4) stack = f.value;
    if (f.number == 17) assembly.counts().mend(Mend::PacketsLost);
    if (f.number == 17 || f.number == 18) wasSkipped = true; // records about samples that were not taken
  });
  if (stack)
    addSample(thread, time, *stack, sequence);
  else if (!wasSkipped)
    assembly.counts().mend(Mend::SamplesWithoutStack);
}

// Times are differences in microseconds: to the sample before, the first to where the thread's descriptor or the packet says.
void PerfettoEvents::State::addStreamedSamples(std::string_view profile, int64_t time, uint32_t id, PacketSequence& sequence) {
  PerfettoSamples::ThreadKey thread{sequence.pid.value_or(-1), sequence.tid.value_or(0)};
  if (const auto track = sequence.track ? tracks.find(*sequence.track) : tracks.end();
      !sequence.tid && track != tracks.end() && track->second.tid)
    thread = {processAbove(track->second).value_or(-1), *track->second.tid};
  std::vector<uint64_t> stacks;
  std::vector<int64_t> gaps;
  forEachField(profile, [&](const ProtoField& f) {
    const auto add = [&](uint64_t value) { f.number == 1 ? stacks.push_back(value) : gaps.push_back(int64_t(value)); };
    if (f.number != 1 && f.number != 2) return;
    f.isBytes ? forEachPacked(f.bytes, add) : add(f.value);
  });
  if (stacks.size() > gaps.size()) assembly.counts().mend(Mend::EventsWithoutTime, int64_t(stacks.size() - gaps.size()));
  int64_t& at = sequence.streamTime ? *sequence.streamTime : time;
  for (std::size_t i = 0; i < std::min(stacks.size(), gaps.size()); ++i) {
    at += std::clamp(gaps[i], -kMostReferenceMicroseconds, kMostReferenceMicroseconds) * 1000;
    at = std::clamp(at, -kMostReferenceMicroseconds * 1000, kMostReferenceMicroseconds * 1000);
    const auto boottime = sequence.streamTime ? clocks.toBoottime(PerfettoClocks::key(kMonotonicClock, id), at) : at;
    addSample(thread, boottime.value_or(at), stacks[i], sequence);
  }
}

void PerfettoEvents::State::addEvent(std::string_view bytes, int64_t time, PacketSequence& sequence) {
  TrackEvent event = readEvent(bytes, sequence);
  const uint32_t name = assembly.string(event.name.empty() ? "(no name)" : event.name);
  assembly.see(time, name);
  const auto& counters = event.counters.empty() ? sequence.extraCounters : event.counters;
  for (std::size_t i = 0; i < event.values.size() && i < counters.size(); ++i)
    addCounter(counters[i], time, double(event.values[i]));
  const auto& realCounters = event.realCounters.empty() ? sequence.extraRealCounters : event.realCounters;
  for (std::size_t i = 0; i < event.reals.size() && i < realCounters.size(); ++i)
    addCounter(realCounters[i], time, event.reals[i]);
  if (event.type == kCounter) {
    if (!event.value) return assembly.counts().mend(Mend::CounterValuesNotNumbers);
    return addCounter(event.track ? *event.track : sequence.track.value_or(0), time, *event.value);
  }
  if (event.type == kUnspecified)
    event.type = event.phase == 'B'                         ? kSliceBegin
                 : event.phase == 'E'                       ? kSliceEnd
                 : event.phase == 'I' || event.phase == 'i' ? kInstant
                                                            : 0;
  PerfettoRow& row = rowOf(event, sequence);
  const uint8_t channel = assembly.channel(event.category);
  for (const auto* list : {&event.flows, &event.ends})
    for (const uint64_t flow : *list) {
      FlowPoint point;
      point.time = time;
      point.flow = flow;
      point.name = name;
      point.channel = channel;
      point.kind = list == &event.ends ? FlowPoint::End : FlowPoint::Start;
      row.flows.push_back(point);
    }
  switch (event.type) {
  case kSliceBegin: row.stack.begin(time, name, channel, event.details, rows.nextOrder()); break;
  case kSliceEnd: row.stack.end(time, event.details); break;
  case kInstant: row.instants.push_back({time, name, channel, InstantScope::Thread, assembly.details(event.details)}); break;
  default:
    if (event.phase == 'X') {
      const int64_t duration = std::clamp<int64_t>(event.durationUs, 0, int64_t(1) << 50) * 1000;
      row.slices.push_back({time, time + duration, name, assembly.details(event.details), rows.nextOrder(), channel, 0});
      assembly.source().see(time + duration);
    } else if (event.hasAsyncId && (event.phase == 'b' || event.phase == 'S')) {
      rows.beginAsync("event" + std::to_string(event.asyncId), -1, event.name, "async", time, name, event.details);
    } else if (event.hasAsyncId && (event.phase == 'e' || event.phase == 'F')) {
      rows.endAsync("event" + std::to_string(event.asyncId), time);
    } else {
      assembly.counts().mend(Mend::EventsOfUnknownKind);
    }
  }
}

void PerfettoEvents::State::finish() {
  kernel.finish();
  for (auto& [uuid, track] : tracks) {
    const std::string name = !track.name.empty() ? track.name : uuid == 0 ? "default track" : "track " + std::to_string(uuid);
    rows.makeRow(track.row, processAbove(track).value_or(-1), name, "track");
  }
  samples.finish();
  rows.finish();
  rows.addFlows();
  TraceSource& source = assembly.source();
  source.clock = "boottime";
  source.unixOffset = clocks.unixOffset();
}

PerfettoEvents::PerfettoEvents(TraceAssembly& assembly) : m_state(std::make_unique<State>(assembly)) {}
PerfettoEvents::~PerfettoEvents() = default;
void PerfettoEvents::add(std::string_view packet) { m_state->add(packet); }
void PerfettoEvents::finish() { m_state->finish(); }

} // namespace reports::exchange
