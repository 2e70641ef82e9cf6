#include "reports/exchange/perfetto_tracks.h"

#include "reports/core/text.h"

#include <algorithm>

namespace reports::exchange {

namespace {
constexpr int kMostParents = 64; // a longer chain of parents is a circle
constexpr std::string_view kPathSeparator = " > ";
constexpr uint64_t kExplicit = 1; // the value EXPLICIT of ProcessOrdering and ThreadOrdering
// Fields of TrackDescriptor.
constexpr std::pair<uint32_t, const char*> kNotShown[] = {{6, "chrome_process"},     {7, "chrome_thread"},
                                                          {14, "description"},       {15, "sibling_merge_behavior"},
                                                          {16, "sibling_merge_key"}, {17, "sibling_merge_key_int"}};
} // namespace

PerfettoTrack& PerfettoTracks::at(const PerfettoTrackKey& key) {
  const auto [found, isNew] = m_tracks.try_emplace(key);
  if (isNew) found->second.place = m_tracks.size();
  return found->second;
}

const PerfettoTrack* PerfettoTracks::find(const PerfettoTrackKey& key) const {
  const auto found = m_tracks.find(key);
  return found == m_tracks.end() ? nullptr : &found->second;
}

void PerfettoTracks::readProcess(PerfettoTrack& track, std::string_view process, uint32_t machine) {
  std::string name, labels;
  int64_t pid = -1;
  std::optional<int64_t> start, order;
  bool hasCommand = false;
  forEachField(process, [&](const ProtoField& p) {
    if (p.number == 1) pid = int64_t(int32_t(p.value));
    if (p.number == 3 && !p.isBytes) order = int64_t(int32_t(p.value));
    if (p.number == 6 && p.isBytes) name = validUtf8(p.bytes);
    if (p.number == 7 && !p.isBytes) start = p.sint();
    if (p.number == 8 && p.isBytes) labels += (labels.empty() ? "" : ", ") + validUtf8(p.bytes);
    if (p.number == 2 && p.isBytes) hasCommand = true;
    if (p.number == 2 && p.isBytes && name.empty()) name = validUtf8(p.bytes), hasCommand = false;
  });
  if (hasCommand) addField("cmdline");
  if (pid < 0) return;
  pid = m_rows.onMachine(pid, machine);
  if (name.empty()) name = track.name;
  // A track with the same pid but another start or name belongs to a later process.
  const bool isKnown = track.pid && !track.tid && PerfettoRows::plain(*track.pid) == PerfettoRows::plain(pid);
  if (start)
    track.pid = m_rows.startedAt(pid, *start);
  else if (!isKnown && !name.empty())
    track.pid = m_rows.startedAt(pid, -int64_t(std::hash<std::string>()(name) >> 2) - 1);
  else if (!isKnown)
    track.pid = m_rows.lastLife(pid);
  m_rows.nameProcess(*track.pid, name.empty() || labels.empty() ? name : name + " (" + labels + ")");
  if (order) m_rows.sortProcess(*track.pid, *order);
}

void PerfettoTracks::readThread(PerfettoTrack& track, std::string_view thread, uint32_t machine) {
  std::string name;
  std::optional<int64_t> order, tid, pid;
  forEachField(thread, [&](const ProtoField& t) {
    if (t.number == 1) pid = m_rows.lastLife(m_rows.onMachine(int64_t(int32_t(t.value)), machine));
    if (t.number == 2) tid = m_rows.onMachine(int64_t(t.value), machine);
    if (t.number == 3 && !t.isBytes) order = int64_t(int32_t(t.value));
    if (t.number == 5 && t.isBytes) name = validUtf8(t.bytes);
  });
  if (!tid) return;
  const bool isSame = track.tid && PerfettoRows::plain(*track.tid) == PerfettoRows::plain(*tid);
  if (!isSame || !track.pid) track.pid = pid;
  if (!isSame) track.tid = name.empty() || !pid ? *tid : m_rows.threadNamed(*tid, *pid, name);
  // The pid may be reused: if the parent track has the same pid, the parent's process applies.
  if (const auto* parent = find({machine, track.parent});
      parent && parent->pid && track.pid && !parent->tid && PerfettoRows::plain(*parent->pid) == PerfettoRows::plain(*track.pid))
    track.pid = parent->pid;
  m_rows.nameThread(*track.tid, track.pid, name);
  if (track.pid) m_rows.setProcessOf(*track.tid, *track.pid);
  if (order) m_rows.sortThread(*track.tid, track.pid, *order);
}

void PerfettoTracks::readCounter(PerfettoTrack& track, std::string_view counter) {
  static const char* const units[] = {"", "ns", "", "byte"};
  track.isCounter = true;
  forEachField(counter, [&](const ProtoField& c) {
    if (c.number == 1 && c.value <= PerfettoTrack::ThreadInstructions) track.counterType = PerfettoTrack::CounterType(c.value);
    if (c.number == 3 && c.value < 4) track.unit = units[c.value];
    if (c.number == 6 && c.isBytes) track.unit = validUtf8(c.bytes);
    if (c.number == 4 && c.value) track.multiplier = double(c.sint());
    if (c.number == 5) track.isIncremental = c.value != 0;
  });
  if (track.counterType == PerfettoTrack::ThreadTime && track.unit.empty()) track.unit = "ns";
}

PerfettoTrack& PerfettoTracks::describe(std::string_view descriptor, uint32_t machine) {
  uint64_t uuid = 0;
  forEachField(descriptor, [&](const ProtoField& f) {
    if (f.number == 1) uuid = f.value;
  });
  PerfettoTrack& track = at({machine, uuid});
  track.isDescribed = true;
  std::string_view process, thread;
  forEachField(descriptor, [&](const ProtoField& f) {
    if (f.number == 5) track.parent = f.value;
    if ((f.number == 2 || f.number == 10 || f.number == 13) && f.isBytes) track.name = validUtf8(f.bytes);
    if (f.number == 3 && f.isBytes) process = f.bytes;
    if (f.number == 4 && f.isBytes) thread = f.bytes;
    if (f.number == 8 && f.isBytes) readCounter(track, f.bytes);
    if (f.number == 18) track.isState = true;
    if (f.number == 9 && !f.isBytes) track.staysApart = f.value != 0;
    if (f.number == 11 && f.value <= PerfettoTrack::Explicit) track.ordering = int(f.value);
    if (f.number == 12 && !f.isBytes) track.rank = int64_t(int32_t(f.value));
    if (f.number == 19 && f.value == kExplicit) m_ordersProcesses = true;
    if (f.number == 20 && f.value == kExplicit) m_ordersThreads = true;
    for (const auto& [number, name] : kNotShown)
      if (f.number == number) addField(name);
  });
  if (!process.empty()) readProcess(track, process, machine);
  if (!thread.empty()) readThread(track, thread, machine);
  return track;
}

void PerfettoTracks::addField(const char* name) {
  m_assembly.counts().mend(Mend::EventFieldsNotShown);
  ++m_fields[name];
}

const PerfettoTrack* PerfettoTracks::parentOf(const PerfettoTrackKey& key, const PerfettoTrack& track) const {
  return track.parent == 0 || track.parent == key.uuid ? nullptr : find({key.machine, track.parent});
}

std::optional<int64_t> PerfettoTracks::processAbove(const PerfettoTrackKey& key) const {
  const PerfettoTrack* track = find(key);
  for (int depth = 0; track && depth < kMostParents; ++depth) {
    if (track->pid) return track->pid;
    track = parentOf(key, *track);
  }
  return std::nullopt;
}

std::optional<std::pair<int64_t, std::optional<int64_t>>> PerfettoTracks::threadAbove(const PerfettoTrackKey& key) const {
  const PerfettoTrack* track = find(key);
  for (int depth = 0; track && depth < kMostParents; ++depth) {
    if (track->tid) return std::pair(*track->tid, track->pid);
    track = parentOf(key, *track);
  }
  return std::nullopt;
}

std::string PerfettoTracks::nameOf(const PerfettoTrackKey& key, const PerfettoTrack& track) const {
  if (!track.name.empty()) return track.name;
  if (track.tid) {
    const std::string name = m_rows.threadName(*track.tid, track.pid.value_or(-1));
    return name.empty() ? "thread " + std::to_string(PerfettoRows::plain(*track.tid)) : name;
  }
  if (track.isCounter && track.counterType == PerfettoTrack::ThreadTime) return "thread_time";
  if (track.isCounter && track.counterType == PerfettoTrack::ThreadInstructions) return "thread_instruction_count";
  if (track.pid)
    if (const std::string name = m_rows.processName(*track.pid); !name.empty()) return name;
  if (key.sequence != 0) return "default track of writer " + std::to_string(key.sequence);
  return key.uuid == 0 ? "default track" : (track.isCounter ? "counter " : "track ") + std::to_string(key.uuid);
}

// The names of a track's ancestors below the process: "GPU 0 > stream". For a counter of a thread, the thread's name.
std::string PerfettoTracks::pathOf(const PerfettoTrackKey& key, const PerfettoTrack& track) const {
  std::string path = nameOf(key, track);
  const PerfettoTrack* above = parentOf(key, track);
  for (int depth = 0; above && depth < kMostParents; ++depth) {
    if (above->pid && !above->tid) break;
    path = nameOf(key, *above) + std::string(kPathSeparator) + path;
    if (above->tid) break;
    above = parentOf(key, *above);
  }
  return path;
}

// The position of each track among all, from 1: parents before children, siblings in the order set by their parent.
std::map<PerfettoTrackKey, int64_t> PerfettoTracks::ordered() const {
  using Entry = std::pair<const PerfettoTrackKey, PerfettoTrack>;
  std::map<PerfettoTrackKey, std::vector<const Entry*>> children;
  std::vector<const Entry*> roots;
  for (const Entry& entry : m_tracks)
    (parentOf(entry.first, entry.second) ? children[{entry.first.machine, entry.second.parent}] : roots).push_back(&entry);
  const auto sort = [&](std::vector<const Entry*>& list, int ordering) {
    std::stable_sort(list.begin(), list.end(), [](const Entry* a, const Entry* b) { return a->second.place < b->second.place; });
    if (ordering == PerfettoTrack::Unknown) return;
    std::stable_sort(list.begin(), list.end(), [&](const Entry* a, const Entry* b) {
      constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
      const PerfettoTrack &x = a->second, &y = b->second;
      if (ordering == PerfettoTrack::Lexicographic) return x.name < y.name;
      if (ordering == PerfettoTrack::Explicit) return x.rank.value_or(0) < y.rank.value_or(0);
      return x.firstEvent.value_or(kNever) < y.firstEvent.value_or(kNever);
    });
  };
  sort(roots, PerfettoTrack::Unknown);
  std::vector<const Entry*> todo(roots.rbegin(), roots.rend());
  std::map<PerfettoTrackKey, int64_t> places;
  const auto add = [&](const Entry* entry) { return places.emplace(entry->first, int64_t(places.size()) + 1).second; };
  while (!todo.empty()) {
    const Entry* entry = todo.back();
    todo.pop_back();
    if (!add(entry)) continue;
    auto below = children.find({entry->first.machine, entry->first.uuid});
    if (below == children.end() || entry->first.sequence != 0) continue;
    sort(below->second, entry->second.ordering);
    todo.insert(todo.end(), below->second.rbegin(), below->second.rend());
  }
  for (const Entry& entry : m_tracks) add(&entry); // adds tracks whose parents form a circle, too
  return places;
}

void PerfettoTracks::makeCounter(const PerfettoTrackKey& key, PerfettoTrack& track, const std::string& name) {
  const int64_t pid = processAbove(key).value_or(m_rows.hostOf(key.machine));
  // Counters of different tracks stay separate, even if names are equal.
  const int n = ++m_counterNames[{pid, name}];
  const std::string graph = n == 1 ? name : name + " (" + std::to_string(n) + ")";
  const std::string id =
      "track" + std::to_string(key.machine) + '/' + std::to_string(key.uuid) + '/' + std::to_string(key.sequence);
  std::map<uint32_t, std::pair<uint32_t, double>> sums; // by sequence: epoch and sum
  for (const PerfettoTrack::Value& v : track.values) {
    double value = v.value * track.multiplier;
    if (track.isIncremental) {
      auto& [epoch, sum] = sums[v.sequence];
      if (epoch != v.epoch) epoch = v.epoch, sum = 0;
      value = sum += value;
    }
    m_rows.addCounter(id, pid, graph, track.unit, v.time, value);
  }
  track.values.clear();
}

// A state lasts until the next one; one without a name only ends the previous state.
void PerfettoTracks::makeStates(PerfettoTrack& track) const {
  auto& states = track.states;
  std::stable_sort(states.begin(), states.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!states[i].name) continue;
    const int64_t end = i + 1 < states.size() ? states[i + 1].time : m_assembly.source().last;
    track.row.slices.push_back({states[i].time, std::max(end, states[i].time), *states[i].name,
                                m_assembly.details(states[i].details), states[i].order, states[i].channel, 0});
    track.row.isEmpty = false;
  }
  states.clear();
}

void PerfettoTracks::finish() {
  for (const auto& [key, track] : m_tracks) {
    if (!track.rank || !track.pid) continue;
    if (track.tid && m_ordersThreads) m_rows.sortThread(*track.tid, track.pid, *track.rank);
    if (!track.tid && m_ordersProcesses && key.sequence == 0) m_rows.sortProcess(*track.pid, *track.rank);
  }
  const auto places = ordered();
  std::vector<std::pair<int64_t, PerfettoTrackKey>> order;
  for (const auto& [key, place] : places) order.emplace_back(place, key);
  std::sort(order.begin(), order.end());
  for (const auto& [place, key] : order) {
    PerfettoTrack& track = m_tracks.at(key);
    if (!track.states.empty()) makeStates(track);
    if (track.tid) {
      if (track.staysApart) {
        const std::string own = nameOf(key, track);
        m_rows.makeRow(track.row, {track.pid.value_or(m_rows.hostOf(key.machine)), own, "", PerfettoRows::plain(*track.tid), {}});
      } else if (!track.row.isEmpty) {
        m_rows.thread(*track.tid, track.pid).append(std::move(track.row));
      }
      continue;
    }
    const std::string name = pathOf(key, track);
    if (!track.values.empty()) makeCounter(key, track, name);
    m_rows.makeRow(track.row, {processAbove(key).value_or(m_rows.hostOf(key.machine)), name, "track", {}, place});
  }
}

} // namespace reports::exchange
