#include "reports/exchange/perfetto_ftrace.h"

#include "reports/core/text.h"
#include "reports/exchange/json_scan.h"
#include "reports/exchange/perfetto_kinds.h"
#include "reports/exchange/proto_fields.h"

#include <charconv>

namespace reports::exchange {

namespace {

// The parts of a mark between bars; the last part holds the rest.
std::vector<std::string_view> partsOf(std::string_view text, std::size_t most) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < most) {
    const std::size_t bar = text.find('|');
    if (bar == std::string_view::npos) break;
    parts.push_back(text.substr(0, bar));
    text.remove_prefix(bar + 1);
  }
  parts.push_back(text);
  return parts;
}

// State of a thread after it left the CPU, by the kernel's bits.
struct KernelState {
  const char *letter, *name;
};
KernelState stateOf(int64_t bits) {
  constexpr int64_t kPreempted = 0x100;
  static constexpr std::pair<int64_t, KernelState> kStates[] = {{0x1, {"S", "Sleeping"}}, {0x2, {"D", "Uninterruptible sleep"}},
                                                                {0x4, {"T", "Stopped"}},  {0x8, {"t", "Traced"}},
                                                                {0x10, {"X", "Dead"}},    {0x20, {"Z", "Dead"}},
                                                                {0x40, {"P", "Parked"}},  {0x80, {"I", "Idle"}}};
  for (const auto& [bit, state] : kStates)
    if (bits & bit) return state;
  return bits & ~int64_t(0xff) & (kPreempted | 0x400 | 0x800 | 0x1000) ? KernelState{"R+", "Runnable"}
                                                                       : KernelState{"R", "Runnable"};
}

// States of GenericKernelTaskStateEvent, by number.
constexpr const char* kGenericStates[] = {nullptr,   "Created", "Runnable", "Running", "Sleeping", "Uninterruptible sleep",
                                          "Stopped", "Dead",    "Dead"};

int64_t wholeIn(std::string_view text, int64_t otherwise) {
  int64_t v = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), v);
  return parsed.ec == std::errc() && parsed.ptr != text.data() ? v : otherwise;
}

} // namespace

void PerfettoKernel::addBundle(std::string_view bundle, uint32_t machine) {
  m_machine = machine;
  int64_t cpu = 0;
  forEachField(bundle, [&](const ProtoField& f) {
    if (f.number == 1 && !f.isBytes) cpu = f.sint();
    if (f.number == 3 && f.value) m_assembly.counts().mend(Mend::PacketsLost);
  });
  cpu = scoped(cpu);
  forEachField(bundle, [&](const ProtoField& f) {
    if (f.number == 4 && f.isBytes) return addCompactSwitches(cpu, f.bytes);
    if (f.number == 2 && f.isBytes) addEvent(f.bytes, cpu);
  });
}

void PerfettoKernel::addEvent(std::string_view event, int64_t cpu) {
  int64_t time = 0, tid = 0;
  ProtoField kind;
  forEachField(event, [&](const ProtoField& e) {
    if (e.number == 1 && !e.isBytes) time = e.sint();
    if (e.number == 2 && !e.isBytes) tid = int64_t(int32_t(e.value));
    if (e.isBytes) kind = e;
  });
  m_assembly.source().see(time);
  if (kind.isBytes && addKind(kind.number, kind.bytes, time, scoped(tid), cpu)) return;
  m_assembly.counts().mend(Mend::PacketsNotShown);
  ++m_notShown[perfettoFtraceKind(kind.number)];
}

// Keeps a size of an address space, which belongs to the process of a thread for which it is current. The process of the thread
// may become known later.
void PerfettoKernel::addMemory(int64_t time, int64_t tid, const MemorySize& memory) {
  const std::pair<uint32_t, int64_t> space{m_machine, memory.space};
  if (memory.isCurrent && memory.space != 0) m_spaces[space] = tid;
  m_assembly.source().see(time);
  m_memory.push_back({time, memory.isCurrent ? std::optional(tid) : std::nullopt, space, memory.member, memory.bytes});
}

// Adds the sizes to the series that polled sizes have.
void PerfettoKernel::showMemory() {
  static constexpr const char* kMembers[] = {"RSS file", "RSS anon", "swap", "RSS shmem"};
  for (const Memory& m : m_memory) {
    std::optional<int64_t> tid = m.tid;
    if (const auto owner = m_spaces.find(m.space); !tid && owner != m_spaces.end()) tid = owner->second;
    if (!tid || m.member < 0 || m.member >= int64_t(std::size(kMembers))) {
      m_assembly.counts().mend(Mend::PacketsNotShown);
      ++m_notShown[tid ? "ftrace rss_stat of another kind" : "ftrace rss_stat of an unknown process"];
      continue;
    }
    std::optional<int64_t> pid = m_rows.processOf(*tid);
    if (!pid && !m_rows.processName(*tid).empty()) pid = tid;
    const std::string name =
        kMembers[m.member] + (pid ? std::string() : " of thread " + std::to_string(PerfettoRows::plain(*tid)));
    m_rows.addStatistic(m.space.first, pid.value_or(m_rows.hostOf(m.space.first)), name, "kB", m.time, double(m.bytes) / 1024);
  }
  m_memory.clear();
}

// Returns false for a kind that is not shown.
bool PerfettoKernel::addKind(uint32_t field, std::string_view bytes, int64_t time, int64_t tid, int64_t cpu) {
  std::map<uint32_t, ProtoField> fields;
  if (field != 3) forEachField(bytes, [&](const ProtoField& e) { fields[e.number] = e; });
  const auto number = [&](uint32_t n, int64_t otherwise) {
    const auto found = fields.find(n);
    return found == fields.end() ? otherwise : found->second.sint();
  };
  const auto id = [&](uint32_t n, int64_t otherwise) {
    const auto found = fields.find(n);
    return found == fields.end() ? otherwise : scoped(int64_t(int32_t(found->second.value)));
  };
  switch (field) {
  case 3:
    forEachField(bytes, [&](const ProtoField& e) {
      if (e.number == 2 && e.isBytes) addMark(e.bytes, time, tid);
    });
    return true;
  case 4: {
    Switch change;
    change.time = time;
    change.previousName = fields[1].bytes, change.previous = id(2, -1), change.previousState = number(4, 0);
    change.nextName = fields[5].bytes, change.next = id(6, 0), change.priority = number(7, -1);
    addSwitch(cpu, change);
    return true;
  }
  case 11: addFrequency(scoped(number(2, PerfettoRows::plain(cpu))), time, number(1, 0)); return true;
  case 17:
  case 20:
  case 114: // woken up, waking, woken up for the first time
    m_rows.nameThread(id(2, 0), {}, validUtf8(fields[1].bytes), false);
    addWaking(id(2, 0), time);
    return true;
  case 236: m_rows.nameThread(id(1, 0), {}, validUtf8(fields[3].bytes)); return true;
  case 313: // rss_stat: member, size, curr, mm_id; rss_stat_throttled has another order
    addMemory(time, tid, {number(1, -1), number(2, 0), number(3, 1) != 0, number(4, 0)});
    return true;
  case 359: addMemory(time, tid, {number(2, -1), number(4, 0), number(1, 1) != 0, number(3, 0)}); return true;
  case 326: m_rows.addStatistic(m_machine, id(3, 0), "OOM score", "", time, double(int32_t(number(2, 0)))); return true;
  case 340: // gpu_mem_total: GPU, process (0: all), bytes
    m_rows.addStatistic(m_machine, number(2, 0) == 0 ? m_rows.hostOf(m_machine) : id(2, 0),
                        "GPU " + std::to_string(number(1, 0)) + " memory", "byte", time, double(number(3, 0)));
    return true;
  case 332: // gpu_frequency: GPU, state
    m_rows.addCounter("gpufreq" + std::to_string(scoped(number(1, 0))), m_rows.hostOf(m_machine),
                      "GPU " + std::to_string(number(1, 0)) + " frequency", "kHz", time, double(number(2, 0)));
    return true;
  default: return false;
  }
}

void PerfettoKernel::addMark(std::string_view text, int64_t time, int64_t tid) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.remove_suffix(1);
  if (text.empty()) return;
  const char kind = text.front();
  if (text.size() > 1 && text[1] != '|') return m_assembly.counts().mend(Mend::EventsOfUnknownKind);
  const bool hasTrack = kind == 'G' || kind == 'H' || kind == 'N';
  const auto parts = partsOf(text, kind == 'C' || kind == 'S' || kind == 'F' || kind == 'N' ? 4 : hasTrack ? 5 : 3);
  int64_t pid = parts.size() > 1 ? wholeIn(parts[1], -1) : -1;
  if (pid >= 0) pid = scoped(pid);
  if (pid >= 0 && !m_rows.processOf(tid)) m_rows.setProcessOf(tid, pid);
  const auto part = [&](std::size_t i) { return parts.size() > i ? validUtf8(parts[i]) : std::string(); };
  std::string label = part(hasTrack && (kind != 'H' || parts.size() > 4) ? 3 : 2);
  if (label.empty()) label = "(no name)";
  const uint32_t name = m_assembly.string(label);
  m_assembly.see(time, name);
  const std::string cookie = label + '\x1f' + std::to_string(pid) + '\x1f' + part(3);
  const std::string onTrack = part(2) + '\x1f' + std::to_string(pid) + '\x1f' + std::string(parts.back());
  const uint32_t order = m_rows.nextOrder();
  switch (kind) {
  case 'B': m_rows.thread(tid).stack.begin(time, name, m_assembly.channel("atrace"), {}, order); break;
  case 'E': {
    BeginEndStack::End end;
    end.order = order;
    m_rows.thread(tid).stack.end(time, {}, end);
    break;
  }
  case 'I': m_rows.thread(tid).instants.push_back({time, name, m_assembly.channel("atrace"), InstantScope::Thread, -1}); break;
  case 'S': m_rows.beginAsync("mark" + cookie, {pid, label, "async", "async"}, time, name, {}); break;
  case 'F': m_rows.endAsync("mark" + cookie, time); break;
  case 'G': m_rows.beginAsync("track" + onTrack, {pid, part(2), "async", "atrace"}, time, name, {}); break;
  case 'H': m_rows.endAsync("track" + onTrack, time); break;
  case 'N': m_rows.markAsync({pid, part(2), "async", "atrace"}, time, name, {}); break;
  case 'C': {
    JsonToken value;
    value.kind = JsonToken::Number;
    if (parts.size() > 3) value.text = parts[3];
    if (const auto real = realOf(value))
      m_rows.addCounter("mark" + std::to_string(pid) + '\x1f' + label, pid, label, "", time, *real);
    else
      m_assembly.counts().mend(Mend::CounterValuesNotNumbers);
    break;
  }
  default: m_assembly.counts().mend(Mend::EventsOfUnknownKind);
  }
}

void PerfettoKernel::enterState(int64_t tid, int64_t time, const char* state) {
  if (PerfettoRows::plain(tid) == 0) return; // the idle thread of each CPU
  ThreadState& now = m_states[tid];
  if (now.state && time > now.since) m_rows.addState(tid, now.since, time, now.state);
  now = {time, state};
}

void PerfettoKernel::endRunning(int64_t cpu, Running& now, int64_t time, int64_t endState) {
  if (PerfettoRows::plain(now.tid) == 0) return;
  std::string details;
  addMember(details, "tid", std::to_string(PerfettoRows::plain(now.tid)));
  if (now.priority >= 0) addMember(details, "priority", std::to_string(now.priority));
  if (endState >= 0) addMember(details, "end_state", quotedJson(stateOf(endState).letter));
  m_rows.cpu(cpu).slices.push_back(
      {now.since, time, now.name, m_assembly.details(details), m_rows.nextOrder(), m_assembly.channel("scheduling"), 0});
}

void PerfettoKernel::addSwitch(int64_t cpu, const Switch& change) {
  m_rows.cpu(cpu); // the CPU has a row, even if it is idle
  if (!change.previousName.empty() && change.previous >= 0 && PerfettoRows::plain(change.previous) != 0)
    m_rows.nameThread(change.previous, {}, validUtf8(change.previousName), false);
  const std::string name =
      change.nextName.empty() ? "thread " + std::to_string(PerfettoRows::plain(change.next)) : validUtf8(change.nextName);
  if (!change.nextName.empty() && PerfettoRows::plain(change.next) != 0) m_rows.nameThread(change.next, {}, name, false);
  m_assembly.source().see(change.time);
  m_lastSwitch = std::max(m_lastSwitch, change.time);
  m_changes.add({change.time, cpu, change.next, change.previous, change.previousState, change.priority, m_assembly.string(name)});
}

// A sleeping thread waits for a CPU from now on.
void PerfettoKernel::addWaking(int64_t tid, int64_t time) {
  m_assembly.source().see(time);
  SchedulingChange waking;
  waking.time = time, waking.thread = tid, waking.kind = SchedulingChange::Waking;
  m_changes.add(waking);
}

void PerfettoKernel::enter(const SchedulingChange& change) {
  if (change.kind == SchedulingChange::State) return enterState(change.thread, change.time, kGenericStates[change.state]);
  if (change.kind == SchedulingChange::Waking) {
    const auto found = m_states.find(change.thread);
    const std::string_view state = found == m_states.end() || !found->second.state ? "" : found->second.state;
    if (state != "Running" && state != "Runnable") enterState(change.thread, change.time, "Runnable");
    return;
  }
  Running& now = m_running[change.cpu];
  const int64_t before = change.previous >= 0 ? change.previous : now.tid;
  endRunning(change.cpu, now, change.time, change.previousState);
  if (before != 0) enterState(before, change.time, change.previousState >= 0 ? stateOf(change.previousState).name : nullptr);
  now = {change.time, change.thread, change.priority, uint32_t(change.name)};
  enterState(change.thread, change.time, "Running");
}

void PerfettoKernel::addFrequency(int64_t cpu, int64_t time, int64_t kilohertz) {
  m_rows.addCounter("cpufreq" + std::to_string(cpu), m_rows.hostOf(m_machine),
                    "CPU " + std::to_string(PerfettoRows::plain(cpu)) + " frequency", "kHz", time, double(kilohertz));
}

void PerfettoKernel::addGenericState(std::string_view event, int64_t time, uint32_t machine) {
  m_machine = machine;
  int64_t cpu = -1, tid = -1, state = 0;
  std::string comm;
  forEachField(event, [&](const ProtoField& f) {
    if (f.number == 1) cpu = scoped(int64_t(int32_t(f.value)));
    if (f.number == 2 && f.isBytes) comm = validUtf8(f.bytes);
    if (f.number == 3) tid = scoped(f.sint());
    if (f.number == 4) state = f.sint();
  });
  if (tid < 0 || state <= 0 || state >= int64_t(std::size(kGenericStates)))
    return m_assembly.counts().mend(Mend::EventsOfUnknownKind);
  m_assembly.source().see(time);
  m_lastSwitch = std::max(m_lastSwitch, time);
  m_rows.nameThread(tid, {}, comm, false);
  SchedulingChange change;
  change.time = time, change.thread = tid, change.state = state, change.kind = SchedulingChange::State;
  m_changes.add(change);
}

void PerfettoKernel::addGenericRename(std::string_view rename, uint32_t machine) {
  m_machine = machine;
  int64_t tid = -1;
  std::string comm;
  forEachField(rename, [&](const ProtoField& f) {
    if (f.number == 1) tid = scoped(f.sint());
    if (f.number == 2 && f.isBytes) comm = validUtf8(f.bytes);
  });
  if (tid >= 0) m_rows.nameThread(tid, {}, comm);
}

void PerfettoKernel::addGenericTree(std::string_view tree, uint32_t machine) {
  m_machine = machine;
  forEachField(tree, [&](const ProtoField& f) {
    if (!f.isBytes) return;
    int64_t id = -1, process = -1;
    std::string name;
    forEachField(f.bytes, [&](const ProtoField& e) {
      if (e.number == 1) id = scoped(e.sint());
      if (e.number == 2 && f.number == 2) process = scoped(e.sint());
      if (e.number == 3 && e.isBytes) name = validUtf8(e.bytes);
    });
    if (id < 0) return;
    if (f.number == 1) m_rows.nameProcess(id, name);
    if (f.number == 2) m_rows.nameThread(id, process >= 0 ? std::optional(process) : std::nullopt, name);
  });
}

void PerfettoKernel::addCompactSwitches(int64_t cpu, std::string_view compact) {
  std::vector<std::string_view> names;
  std::vector<uint64_t> times, pids, indexes, states, priorities, wakingTimes, wakingPids;
  forEachField(compact, [&](const ProtoField& f) {
    const auto into = [&](std::vector<uint64_t>& list) {
      f.isBytes ? forEachPacked(f.bytes, [&](uint64_t v) { list.push_back(v); }) : list.push_back(f.value);
    };
    switch (f.number) {
    case 1: into(times); break;
    case 2: into(states); break;
    case 3: into(pids); break;
    case 4: into(priorities); break;
    case 5: names.push_back(f.bytes); break;
    case 6: into(indexes); break;
    case 7: into(wakingTimes); break;
    case 8: into(wakingPids); break;
    default: break;
    }
  });
  // Both lists are in order of time; a thread wakes before it runs.
  uint64_t time = 0, waking = 0;
  std::size_t w = 0;
  const auto wakeUpTo = [&](uint64_t limit) {
    for (; w < wakingTimes.size() && w < wakingPids.size() && waking + wakingTimes[w] <= limit; ++w) {
      waking += wakingTimes[w];
      addWaking(scoped(int64_t(int32_t(wakingPids[w]))), int64_t(waking));
    }
  };
  for (std::size_t i = 0; i < times.size() && i < pids.size(); ++i) {
    time += times[i];
    wakeUpTo(time);
    const std::size_t index = i < indexes.size() ? std::size_t(indexes[i]) : names.size();
    Switch change;
    change.time = int64_t(time);
    change.next = scoped(int64_t(int32_t(pids[i])));
    if (i < states.size()) change.previousState = int64_t(states[i]);
    if (i < priorities.size()) change.priority = int64_t(int32_t(priorities[i]));
    if (index < names.size()) change.nextName = names[index];
    addSwitch(cpu, change);
  }
  wakeUpTo(UINT64_MAX / 2);
}

void PerfettoKernel::finish() {
  showMemory();
  m_changes.takeAll([this](const SchedulingChange& change) { enter(change); });
  const int64_t last = std::max(m_lastSwitch, m_assembly.source().hasTimes() ? m_assembly.source().last : m_lastSwitch);
  for (auto& [cpu, now] : m_running) endRunning(cpu, now, last, -1);
  for (const auto& [tid, now] : m_states)
    if (now.state && last > now.since && std::string_view(now.state) != "Dead") m_rows.addState(tid, now.since, last, now.state);
}

void PerfettoKernel::addProcessTree(std::string_view tree, uint32_t machine) {
  m_machine = machine;
  forEachField(tree, [&](const ProtoField& f) {
    if (!f.isBytes) return;
    int64_t id = -1, group = -1;
    std::string name;
    forEachField(f.bytes, [&](const ProtoField& e) {
      if (e.number == 1 && !e.isBytes) id = scoped(int64_t(int32_t(e.value)));
      if (f.number == 1 && e.number == 3 && e.isBytes && name.empty()) name = validUtf8(e.bytes); // cmdline
      if (f.number == 2 && e.number == 2 && e.isBytes) name = validUtf8(e.bytes);
      if (f.number == 2 && e.number == 3 && !e.isBytes) group = scoped(int64_t(int32_t(e.value)));
    });
    if (f.number == 1) m_rows.nameProcess(id, name);
    if (f.number == 2) {
      m_rows.nameThread(id, group >= 0 ? std::optional(group) : std::nullopt, name);
      if (group >= 0) m_rows.setProcessOf(id, group);
    }
  });
}

void PerfettoKernel::addFrame(std::string_view frame, int64_t time, uint32_t machine) {
  m_machine = machine;
  static const char* const rows[] = {"", "expected display frames", "actual display frames", "expected frames", "actual frames"};
  forEachField(frame, [&](const ProtoField& part) {
    if (!part.isBytes || part.number < 1 || part.number > 5) return;
    int64_t cookie = 0, token = 0, pid = m_rows.hostOf(m_machine);
    std::string layer;
    const bool ofDisplay = part.number <= 2;
    forEachField(part.bytes, [&](const ProtoField& f) {
      if (f.number == 1) cookie = f.sint();
      if (f.number == 2) token = f.sint();
      if (f.number == (ofDisplay ? 3u : 4u) && !f.isBytes) pid = scoped(int64_t(int32_t(f.value)));
      if (!ofDisplay && f.number == 5 && f.isBytes) layer = validUtf8(f.bytes);
    });
    const std::string key = "frame" + std::to_string(m_machine) + '/' + std::to_string(cookie);
    m_assembly.source().see(time);
    if (part.number == 5) return m_rows.endAsync(key, time);
    const std::string details = layer.empty() ? std::string() : R"({"token":)" + std::to_string(token) + "}";
    const uint32_t name = m_assembly.string(layer.empty() ? "frame " + std::to_string(token) : layer);
    m_rows.beginAsync(key, {pid, rows[part.number], "frame", "frame"}, time, name, details);
  });
}

} // namespace reports::exchange
