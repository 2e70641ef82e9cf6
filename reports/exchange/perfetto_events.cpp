#include "reports/exchange/perfetto_events.h"

#include "reports/core/join.h"
#include "reports/core/text.h"
#include "reports/exchange/perfetto_clocks.h"
#include "reports/exchange/perfetto_ftrace.h"
#include "reports/exchange/perfetto_kinds.h"
#include "reports/exchange/perfetto_samples.h"
#include "reports/exchange/perfetto_stats.h"
#include "reports/exchange/perfetto_track_events.h"

#include <algorithm>
#include <map>

namespace reports::exchange {

namespace {

constexpr int64_t kMostReferenceMicroseconds = int64_t(1) << 50; // 35 years
constexpr std::size_t kMostWaitingBytes = std::size_t(64) << 20; // of packets whose clock is not related to the others yet

// The parts of a packet that identify its time and its writer.
struct PacketHead {
  std::optional<uint64_t> stamp;
  std::optional<uint32_t> clock, defaultClock; // defaultClock: of this packet and the next ones of its writer
  uint32_t sequence = 0, machine = 0;
  bool clears = false, needsState = false, followsLoss = false;
  std::string_view snapshot;

  explicit PacketHead(std::string_view packet) {
    forEachField(packet, [&](const ProtoField& f) {
      switch (f.number) {
      case 8: stamp = f.value; break;
      case 58: clock = uint32_t(f.value); break;
      case 10: sequence = uint32_t(f.value); break;
      case 98: machine = uint32_t(f.value); break;
      case 13:
        clears = clears || (f.value & 1) != 0;
        needsState = (f.value & 2) != 0;
        break;
      case 41: clears = clears || f.value != 0; break;
      case 42: followsLoss = f.value != 0; break;
      case 6: snapshot = f.bytes; break;
      case 59:
        forEachField(f.bytes, [&](const ProtoField& d) {
          if (d.number == 58) defaultClock = uint32_t(d.value);
        });
        break;
      default: break;
      }
    });
  }
};

} // namespace

struct PerfettoEvents::State {
  explicit State(TraceAssembly& a)
      : assembly(a), rows(a), tracks(a, rows), events(a, rows, tracks, clocks), kernel(a, rows), stats(a, rows),
        samples(a, rows) {}

  TraceAssembly& assembly;
  PerfettoClocks clocks;
  PerfettoRows rows;
  PerfettoTracks tracks;
  PerfettoTrackEvents events;
  PerfettoKernel kernel;
  PerfettoStats stats;
  PerfettoSamples samples;
  std::map<std::pair<uint32_t, uint32_t>, PerfettoSequence> sequences; // by machine and number
  std::map<std::string, int64_t> notShown;                             // packets by kind
  std::vector<std::string> waiting;                                    // packets before the first snapshot of the clocks
  std::size_t waitingBytes = 0;
  bool mayWait = true;

  void add(std::string_view packet);
  void addNow(std::string_view packet, const PacketHead& head);
  void stopWaiting();
  PerfettoSequence& sequenceOf(const PacketHead& head);
  std::optional<int64_t> timeOf(const PacketHead& head, PerfettoSequence& sequence);
  void addClocks(std::string_view snapshot, PerfettoSequence& sequence);
  void addThreadDescriptor(std::string_view descriptor, PerfettoSequence& sequence);
  bool addField(const ProtoField& f, std::optional<int64_t> time, bool hasStamp, PerfettoSequence& sequence);
  void addSample(PerfettoSamples::ThreadKey thread, int64_t time, uint64_t stack, PerfettoSequence& sequence);
  void addPerfSample(std::string_view sample, int64_t time, PerfettoSequence& sequence);
  void addStreamedSamples(std::string_view profile, std::optional<int64_t> time, PerfettoSequence& sequence);
  void nameNotShown();
  void finish();
};

PerfettoSequence& PerfettoEvents::State::sequenceOf(const PacketHead& head) {
  const auto [found, isNew] = sequences.try_emplace({head.machine, head.sequence});
  if (isNew) {
    found->second.number = head.sequence;
    found->second.machine = head.machine;
    found->second.isWhole = head.sequence == 0;
  }
  return found->second;
}

// Adds a packet. If its clock is not related to the others yet, it waits for the first snapshot of the clocks.
void PerfettoEvents::State::add(std::string_view packet) {
  const PacketHead head(packet);
  if (mayWait) {
    if (!head.snapshot.empty()) {
      addClocks(head.snapshot, sequenceOf(head));
      stopWaiting();
    } else {
      const auto known = sequences.find({head.machine, head.sequence});
      uint32_t clock = kBoottimeClock;
      if (known != sequences.end() && !head.clears) clock = known->second.clock.value_or(clock);
      clock = head.clock.value_or(head.defaultClock.value_or(clock));
      if (!waiting.empty() || (head.stamp && clock != kBoottimeClock)) {
        waiting.emplace_back(packet);
        waitingBytes += packet.size();
        if (waitingBytes > kMostWaitingBytes) stopWaiting();
        return;
      }
    }
  }
  addNow(packet, head);
}

void PerfettoEvents::State::stopWaiting() {
  mayWait = false;
  for (const std::string& packet : waiting) addNow(packet, PacketHead(packet));
  waiting = {};
}

void PerfettoEvents::State::addNow(std::string_view packet, const PacketHead& head) {
  PerfettoSequence& sequence = sequenceOf(head);
  if (head.clears)
    sequence.clear();
  else if (head.followsLoss)
    sequence.isWhole = sequence.number == 0;
  if (head.followsLoss) assembly.counts().mend(Mend::PacketsLost);
  if (head.needsState && !sequence.isWhole) return assembly.counts().mend(Mend::PacketsWithoutState);
  // Names and defaults in a packet also apply to the packet's own event.
  forEachField(packet, [&](const ProtoField& f) {
    if (!f.isBytes) return;
    if (f.number == 12) sequence.addInterned(f.bytes);
    if (f.number == 59) sequence.addDefaults(f.bytes);
    if (f.number == 6) addClocks(f.bytes, sequence);
    if (f.number == 2) kernel.addProcessTree(f.bytes, head.machine);
    if (f.number == 44) addThreadDescriptor(f.bytes, sequence);
    if (f.number == 60) {
      uint64_t uuid = 0;
      forEachField(f.bytes, [&](const ProtoField& d) {
        if (d.number == 1) uuid = d.value;
      });
      if (tracks.describe(f.bytes, head.machine).tid) sequence.threadTracks.insert(uuid), sequence.lastThreadTrack = uuid;
    }
  });
  const auto time = timeOf(head, sequence);
  forEachField(packet, [&](const ProtoField& f) {
    if (!f.isBytes || f.number == 2 || f.number == 6 || f.number == 44 || f.number == 60 || isPerfettoBookkeeping(f.number))
      return;
    if (addField(f, time, head.stamp.has_value(), sequence)) return;
    assembly.counts().mend(Mend::PacketsNotShown);
    ++notShown[perfettoPacketKind(f.number)];
  });
}

// Returns false for fields that are not shown. `time` is empty if the packet has no timestamp, or one of an unrelated clock,
// which is counted.
bool PerfettoEvents::State::addField(const ProtoField& f, std::optional<int64_t> time, bool hasStamp,
                                     PerfettoSequence& sequence) {
  const auto timed = [&](auto&& add) {
    if (time)
      add(*time);
    else if (!hasStamp)
      assembly.counts().mend(Mend::EventsWithoutTime);
    return true;
  };
  switch (f.number) {
  case 1: kernel.addBundle(f.bytes, sequence.machine); return true;
  case 11:
    if (time || !hasStamp) events.add(f.bytes, time, sequence);
    return true;
  case 76: return timed([&](int64_t at) { kernel.addFrame(f.bytes, at, sequence.machine); });
  case 66: return timed([&](int64_t at) { addPerfSample(f.bytes, at, sequence); });
  case 54:
    if (time || !hasStamp) addStreamedSamples(f.bytes, time, sequence);
    return true;
  case 7: return timed([&](int64_t at) { stats.addSystem(f.bytes, at, sequence.machine); });
  case 9: return timed([&](int64_t at) { stats.addProcesses(f.bytes, at, sequence.machine); });
  case 38: return timed([&](int64_t at) { stats.addBattery(f.bytes, at, sequence.machine); });
  case 52: return timed([&](int64_t at) { stats.addGpuCounters(f.bytes, at, sequence); });
  case 53: return timed([&](int64_t at) { stats.addRenderStage(f.bytes, at, sequence); });
  case 71: return timed([&](int64_t at) { stats.addGpuMemory(f.bytes, at, sequence.machine); });
  case 120: kernel.addGenericRename(f.bytes, sequence.machine); return true;
  case 122: kernel.addGenericTree(f.bytes, sequence.machine); return true;
  case 117: return timed([&](int64_t at) { kernel.addGenericState(f.bytes, at, sequence.machine); });
  case 118: return timed([&](int64_t at) { stats.addGenericFrequency(f.bytes, at, sequence.machine); });
  default: return false;
  }
}

// The packet's time; nothing if it has none, or one that cannot be related to the trace's clock.
std::optional<int64_t> PerfettoEvents::State::timeOf(const PacketHead& head, PerfettoSequence& sequence) {
  if (!head.stamp) return std::nullopt;
  if (*head.stamp > uint64_t(1) << 61) {
    assembly.counts().mend(Mend::TimesOutOfRange);
    return std::nullopt;
  }
  const uint32_t used = head.clock ? *head.clock : sequence.clock.value_or(clocks.unnamed());
  auto time = int64_t(*head.stamp);
  if (const auto incremental = sequence.incremental.find(used); incremental != sequence.incremental.end()) {
    auto& [last, unit] = incremental->second;
    time = last = int64_t(uint64_t(last) + uint64_t(time) * uint64_t(unit));
  }
  if (const auto traceTime = clocks.toTraceTime(PerfettoClocks::key(used, head.sequence), time)) return *traceTime;
  assembly.counts().mend(Mend::UnknownClocks);
  if (clocks.isEmpty()) return time;
  return std::nullopt;
}

void PerfettoEvents::State::addClocks(std::string_view snapshot, PerfettoSequence& sequence) {
  std::map<uint64_t, int64_t> readings;
  std::optional<uint32_t> primary;
  forEachField(snapshot, [&](const ProtoField& f) {
    if (f.number == 2 && !f.isBytes) primary = uint32_t(f.value);
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
    readings[PerfettoClocks::key(clock, sequence.number)] = reading;
    if (isIncremental || unit != 1) sequence.incremental[clock] = {isIncremental ? reading : 0, unit};
  });
  clocks.addSnapshot(readings, primary);
}

// Older writers without track descriptors describe a thread: the next packets of the sequence belong to it.
void PerfettoEvents::State::addThreadDescriptor(std::string_view descriptor, PerfettoSequence& sequence) {
  std::string name;
  sequence.streamTime = 0; // unless the descriptor has a time
  forEachField(descriptor, [&](const ProtoField& f) {
    if (f.number == 1) sequence.pid = rows.lastLife(rows.onMachine(int64_t(int32_t(f.value)), sequence.machine));
    if (f.number == 2) sequence.tid = rows.onMachine(int64_t(f.value), sequence.machine);
    if (f.number == 5 && f.isBytes) name = validUtf8(f.bytes);
    if (f.number == 6)
      sequence.streamTime = f.value < uint64_t(kMostReferenceMicroseconds) ? std::optional(f.sint() * 1000) : std::nullopt;
    if (f.number == 7 && f.value < uint64_t(kMostReferenceMicroseconds)) sequence.threadTime = f.sint() * 1000;
    if (f.number == 8) sequence.threadInstructions = f.sint();
  });
  if (sequence.tid) rows.nameThread(*sequence.tid, sequence.pid, name);
}

void PerfettoEvents::State::addSample(PerfettoSamples::ThreadKey thread, int64_t time, uint64_t number,
                                      PerfettoSequence& sequence) {
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

void PerfettoEvents::State::addPerfSample(std::string_view sample, int64_t time, PerfettoSequence& sequence) {
  PerfettoSamples::ThreadKey thread{-1, 0, {sequence.sampled, sequence.machine, sequence.number}};
  std::optional<uint64_t> stack;
  bool wasSkipped = false;
  forEachField(sample, [&](const ProtoField& f) {
    if (f.number == 2) thread.pid = rows.onMachine(int64_t(int32_t(f.value)), sequence.machine);
    if (f.number == 3) thread.tid = rows.onMachine(int64_t(int32_t(f.value)), sequence.machine);
    if (f.number == 4) stack = f.value;
    if (f.number == 17 || f.number == 19) assembly.counts().mend(Mend::PacketsLost); // records lost, or the recording ended early
    if (f.number == 18) assembly.counts().mend(Mend::SamplesSkipped);
    if (f.number >= 17 && f.number <= 19) wasSkipped = true; // records about samples that were not taken
  });
  if (stack)
    addSample(thread, time, *stack, sequence);
  else if (!wasSkipped)
    assembly.counts().mend(Mend::SamplesWithoutStack);
}

// Each time is the difference in microseconds to the previous sample. The first is relative to the time in the thread's
// descriptor, or to the packet's time.
void PerfettoEvents::State::addStreamedSamples(std::string_view profile, std::optional<int64_t> packetTime,
                                               PerfettoSequence& sequence) {
  PerfettoSamples::ThreadKey thread{sequence.pid.value_or(-1), sequence.tid.value_or(0), {}};
  if (sequence.track && !sequence.tid)
    if (const auto of = tracks.threadAbove({sequence.machine, *sequence.track, 0}))
      thread = {
          of->second ? *of->second : tracks.processAbove({sequence.machine, *sequence.track, 0}).value_or(-1), of->first, {}};
  std::vector<uint64_t> stacks;
  std::vector<int64_t> gaps;
  forEachField(profile, [&](const ProtoField& f) {
    const auto add = [&](uint64_t value) { f.number == 1 ? stacks.push_back(value) : gaps.push_back(int64_t(value)); };
    if (f.number != 1 && f.number != 2) return;
    f.isBytes ? forEachPacked(f.bytes, add) : add(f.value);
  });
  if (!packetTime && !sequence.streamTime) return assembly.counts().mend(Mend::EventsWithoutTime, int64_t(stacks.size()));
  if (stacks.size() > gaps.size()) assembly.counts().mend(Mend::EventsWithoutTime, int64_t(stacks.size() - gaps.size()));
  int64_t own = packetTime.value_or(0);
  int64_t& at = sequence.streamTime ? *sequence.streamTime : own;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    at += std::clamp(gaps[i], -kMostReferenceMicroseconds, kMostReferenceMicroseconds) * 1000;
    at = std::clamp(at, -kMostReferenceMicroseconds * 1000, kMostReferenceMicroseconds * 1000);
    if (i >= stacks.size()) continue; // a difference without a stack also advances the clock
    const auto traceTime =
        sequence.streamTime ? clocks.toTraceTime(PerfettoClocks::key(kMonotonicClock, sequence.number), at) : std::optional(at);
    addSample(thread, traceTime.value_or(at), stacks[i], sequence);
  }
}

void PerfettoEvents::State::nameNotShown() {
  const auto name = [&](const std::map<std::string, int64_t>& kinds, const char* what) {
    if (kinds.empty()) return;
    int64_t all = 0;
    for (const auto& [kind, n] : kinds) all += n, assembly.counts().notShown[kind] += n;
    const std::string list = joined(kinds, [](const auto& k) { return k.first + " (" + std::to_string(k.second) + ")"; });
    assembly.sink().add(ReportIssueRow{0, "notice", assembly.source().name, what + displayText(list, 2000), "", all});
  };
  name(notShown, "kinds of packets that are not shown: ");
  name(kernel.notShown(), "kinds of kernel events that are not shown: ");
  name(events.fieldsNotShown(), "fields of track events that are not shown: ");
  name(stats.fieldsNotShown(), "fields of system statistics that are not shown: ");
  name(tracks.fieldsNotShown(), "fields of tracks that are not shown: ");
}

void PerfettoEvents::State::finish() {
  stopWaiting();
  kernel.finish();
  events.finish();
  tracks.finish();
  stats.finish();
  samples.finish();
  rows.finish();
  rows.addFlows();
  nameNotShown();
  TraceSource& source = assembly.source();
  source.clock = clocks.name();
  source.unixOffset = clocks.unixOffset();
}

PerfettoEvents::PerfettoEvents(TraceAssembly& assembly) : m_state(std::make_unique<State>(assembly)) {}
PerfettoEvents::~PerfettoEvents() = default;
void PerfettoEvents::add(std::string_view packet) { m_state->add(packet); }
void PerfettoEvents::finish() { m_state->finish(); }

} // namespace reports::exchange
