#include "analyser/trace/tile_cycles.h"

#include "analyser/session/words.h"
#include "analyser/trace/saturating.h"

#include "reports/sqlite/reader.h"

#include <numeric>

namespace analyser::trace {

namespace {

struct TimeText {
  std::string_view title, name, meaning;
};
constexpr TimeText kTimeTexts[] = {
    {"Busy", "busy", "Tile-cycles in which tiles compute or copy"},
    {"Unused tiles", "unused_tiles", "Tile-cycles of tiles without work in compute steps"},
    {"Imbalance", "imbalance", "Tile-cycles of tiles that wait for the slowest of a compute step"},
    {"Exchange", "exchange", "Tile-cycles of all tiles while exchanges last"},
    {"Sync", "sync", "Tile-cycles of all tiles while syncs last"},
    {"Host", "host", "Tile-cycles of all tiles while the host transfers or is waited for"},
    {"Idle", "idle", "Tile-cycles of IPUs that wait for other IPUs"},
};
static_assert(std::size(kTimeTexts) == kTileTimes);

bool computes(reports::Activity activity) {
  return activity == reports::Activity::Compute || activity == reports::Activity::OnTileCopy;
}

TileTime waitingFor(reports::Activity activity) {
  switch (activity) {
  case reports::Activity::InternalExchange:
  case reports::Activity::GlobalExchange: return TileTime::Exchange;
  case reports::Activity::Sync: return TileTime::Sync;
  case reports::Activity::HostStream: return TileTime::Host;
  default: return TileTime::Idle;
  }
}

reports::Activity activityOfNumber(int64_t value) {
  return value >= 0 && value < reports::kActivityCount ? static_cast<reports::Activity>(value) : reports::Activity::Scope;
}

// A set of tiles that work in parallel as one: the tiles of a track.
struct KeptInStep {
  reports::Range<int64_t> tiles;
  int64_t ipu = 0;
  bool areIo = false;
};
std::vector<KeptInStep> tileSetsOf(const Machine& machine) {
  std::vector<KeptInStep> sets;
  for (int64_t ipu = 0; ipu < machine.ipus; ++ipu) {
    const int64_t first = ipu * machine.tilesPerIpu, compute = machine.tilesPerIpu - machine.ioTiles;
    sets.push_back({{first, first + compute}, ipu});
    if (machine.ioTiles > 0) sets.push_back({{first + compute, first + machine.tilesPerIpu}, ipu, true});
  }
  return sets;
}

// A packed column as runs of equal tiles, without expanding it.
std::vector<BusyRun> runsOfBlob(const reports::StepProfileRow& row) {
  constexpr std::string_view kWhat = "step_profile.cycles_by_tile";
  std::vector<BusyRun> runs;
  reports::PackedReader reader(row.cyclesByTile, kWhat);
  int64_t left = row.tiles, value = 0;
  while (!reader.atEnd()) {
    const auto length = static_cast<int64_t>(reader.varint());
    value += reader.zigzag();
    if (length < 1 || length > left)
      throw reports::Error(reports::ErrorCode::Damaged,
                           "a run of " + std::to_string(length) + " values exceeds the " + std::to_string(left) +
                               " that are left",
                           std::string(kWhat));
    left -= length;
    runs.push_back({length, value});
  }
  return runs;
}

std::vector<BusyRun> clippedRuns(const std::vector<BusyRun>& runs, int64_t firstTile, reports::Range<int64_t> tiles) {
  std::vector<BusyRun> within;
  for (const BusyRun& run : runs) {
    const auto part = reports::Range<int64_t>{firstTile, firstTile + run.tiles}.clippedTo(tiles);
    if (part.size() > 0) within.push_back({part.size(), run.cycles});
    firstTile += run.tiles;
  }
  return within;
}

int64_t slowestOf(const std::vector<BusyRun>& runs) {
  int64_t slowest = 0;
  for (const BusyRun& run : runs) slowest = std::max(slowest, run.cycles);
  return slowest;
}

int64_t activeOf(const std::vector<BusyRun>& runs) {
  int64_t active = 0;
  for (const BusyRun& run : runs) active += run.cycles > 0 ? run.tiles : 0;
  return active;
}

int64_t slowestOnIpu(const std::vector<BusyRun>& runs, int64_t firstTile, const std::vector<KeptInStep>& sets, int64_t ipu) {
  int64_t slowest = 0;
  for (const KeptInStep& set : sets)
    if (set.ipu == ipu) slowest = std::max(slowest, slowestOf(clippedRuns(runs, firstTile, set.tiles)));
  return slowest;
}

// I/O tiles work in parallel with the others, and are left out.
void addOnIpu(StepTileCycles& step, int64_t ipu, int64_t cycles) {
  auto& all = step.onIpus;
  const auto at = std::find_if(all.begin(), all.end(), [ipu](const auto& on) { return on.first == ipu; });
  if (at == all.end())
    all.emplace_back(ipu, cycles);
  else
    at->second = sumOf(at->second, cycles);
}

// Adds a profile to its sets of tiles. IPUs run compute and internal exchange independently; syncs between IPUs, links and the
// host take the same time on all participating IPUs.
void addProfile(StepTileCycles& step, const std::vector<KeptInStep>& sets, const reports::StepProfileRow& row,
                reports::Activity activity) {
  const std::vector<BusyRun> runs = runsOfBlob(row);
  const bool ownPace = computes(activity) || activity == reports::Activity::InternalExchange;
  const bool touchesNone = activeOf(runs) == 0;
  const reports::Range<int64_t> touched{row.firstTile, row.firstTile + row.tiles};
  int64_t active = 0, available = 0;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const KeptInStep& set = sets[i];
    // Skips sets that do not take part: with many IPUs, most steps run on one IPU only.
    if (row.ipu ? *row.ipu != set.ipu : !touchesNone && touched.clippedTo(set.tiles).size() <= 0) continue;
    const std::vector<BusyRun> ofSet = clippedRuns(runs, row.firstTile, set.tiles);
    const int64_t working = activeOf(ofSet);
    if (working == 0 && !touchesNone) continue;
    const int64_t duration = ownPace && !row.ipu ? slowestOnIpu(runs, row.firstTile, sets, set.ipu) : row.cycles;
    step.cost += tileCyclesOf(activity, ofSet, set.tiles.size(), {0, duration}).times(row.executions);
    active += working, available += set.tiles.size();
    if (!set.areIo) addOnIpu(step, set.ipu, product(duration, row.executions));
    step.isOnSeveral = step.isOnSeveral || (step.ipu && *step.ipu != set.ipu);
    step.ipu = step.isOnSeveral ? std::nullopt : std::optional(set.ipu);
  }
  step.tiles = std::max(step.tiles, active);
  step.available = std::max(step.available, available);
}

} // namespace

std::string_view tileTimeTitle(TileTime kind) { return kTimeTexts[static_cast<std::size_t>(kind)].title; }
std::string_view tileTimeName(TileTime kind) { return kTimeTexts[static_cast<std::size_t>(kind)].name; }
std::string_view tileTimeMeaning(TileTime kind) { return kTimeTexts[static_cast<std::size_t>(kind)].meaning; }

int64_t TileCycles::total() const { return std::accumulate(parts.begin(), parts.end(), int64_t(0), sumOf); }

double TileCycles::share(TileTime kind) const {
  const int64_t whole = total();
  return whole > 0 ? double((*this)[kind]) / double(whole) : 0;
}

TileTime TileCycles::largestWaste() const {
  const auto largest = std::max_element(parts.begin() + 1, parts.end());
  return *largest > 0 ? static_cast<TileTime>(largest - parts.begin()) : TileTime::Busy;
}

TileCycles& TileCycles::operator+=(const TileCycles& other) {
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = sumOf(parts[i], other.parts[i]);
  return *this;
}

TileCycles& TileCycles::operator-=(const TileCycles& other) {
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] -= other.parts[i];
  return *this;
}

TileCycles TileCycles::part(int64_t executions, int64_t of) const {
  TileCycles result;
  for (std::size_t i = 0; i < parts.size() && of > 0; ++i)
    result.parts[i] =
        int64_t(static_cast<long double>(parts[i]) * static_cast<long double>(executions) / static_cast<long double>(of));
  return result;
}

TileCycles TileCycles::times(int64_t executions) const {
  TileCycles result;
  for (std::size_t i = 0; i < parts.size(); ++i) result.parts[i] = product(parts[i], executions);
  return result;
}

TileCycles tileCyclesOf(reports::Activity activity, std::span<const BusyRun> runs, int64_t tiles, reports::Range<int64_t> part) {
  TileCycles cost;
  if (part.size() <= 0 || activity == reports::Activity::Scope) return cost;
  if (!computes(activity)) {
    cost[waitingFor(activity)] = product(tiles, part.size());
    return cost;
  }
  int64_t active = 0;
  for (const BusyRun& run : runs) {
    if (run.cycles <= 0) continue;
    active += run.tiles;
    cost[TileTime::Busy] += product(run.tiles, std::clamp<int64_t>(run.cycles - part.begin, 0, part.size()));
  }
  active = std::min(active, tiles);
  cost[TileTime::Unused] = product(tiles - active, part.size());
  cost[TileTime::Imbalance] = std::max<int64_t>(0, product(active, part.size()) - cost[TileTime::Busy]);
  return cost;
}

namespace {
std::unordered_map<int64_t, reports::Activity> activitiesOfSteps(Session& session, const std::stop_token& stop) {
  std::unordered_map<int64_t, reports::Activity> activities;
  reports::Connection::Watch watch(session.reader().connection(), stop);
  reports::Statement steps(session.reader().connection(), "SELECT id, activity FROM program_step");
  while (steps.step()) {
    int64_t id = 0, activity = 0;
    steps.read(0, id, "program_step.id");
    steps.read(1, activity, "program_step.activity");
    activities.emplace(id, activityOfNumber(activity));
  }
  return activities;
}
} // namespace

StepCosts tileCyclesBySteps(Session& session, std::stop_token stop) {
  const auto activities = activitiesOfSteps(session, stop);
  const auto sets = tileSetsOf(session.machine());
  StepCosts steps;
  std::unordered_map<int64_t, int64_t> cyclesOf; // by step and IPU
  session.reader().forEach<reports::StepProfileRow>(
      "executions > 0", {},
      [&](const reports::StepProfileRow& row) {
        const auto activity = activities.find(row.programStepId);
        if (activity == activities.end()) return;
        StepTileCycles& step = steps[row.programStepId];
        addProfile(step, sets, row, activity->second);
        step.executions = sumOf(step.executions, row.executions);
        step.received += Bytes(product(row.bytesIn, row.executions));
        step.flops += Flops(product(row.flops, row.executions));
        int64_t& cycles = cyclesOf[row.programStepId * (reports::kMaxIpus + 1) + row.ipu.value_or(-1) + 1];
        cycles = sumOf(cycles, product(row.cycles, row.executions));
        step.cycles = std::max(step.cycles, Cycles(cycles)); // IPUs run a step in parallel: the slowest counts
      },
      stop);
  return steps;
}

TileCycles tileCyclesOfRuns(Session& session, std::stop_token stop) {
  TileCycles all;
  for (const auto& [step, cost] : tileCyclesBySteps(session, stop)) all += cost.cost;
  int64_t cycles = 0;
  session.reader().forEach<reports::RunRow>({}, {}, [&](const reports::RunRow& row) { cycles = sumOf(cycles, row.cycles); });
  all[TileTime::Idle] += std::max<int64_t>(0, product(cycles, session.machine().tiles()) - all.total());
  return all;
}

std::vector<IpuTileCycles> tileCyclesOfRange(ExecutionTrace& trace, TickRange range, std::stop_token stop,
                                             const std::vector<TrackId>& only) {
  const Machine& machine = trace.slices().session().machine();
  std::vector<IpuTileCycles> all;
  for (const Track& track : trace.tracks()) {
    if (!only.empty() && std::find(only.begin(), only.end(), track.id) == only.end()) continue;
    IpuTileCycles ipu{track.id, track.ipu.value_or(IpuId(0)), track.isIo(), tilesOf(track, machine).size(), {}};
    const auto tiles = tilesOf(track, machine);
    std::unordered_map<int64_t, std::pair<int64_t, std::pair<reports::Activity, int64_t>>> whole; // executions by profile
    int64_t covered = 0;
    const auto costOf = [&](int64_t ref, reports::Activity activity, reports::Range<int64_t> part) {
      const Profile* p = ref >= 0 ? trace.profile(ref) : nullptr;
      const auto runs = p ? clippedRuns(p->runs, p->firstTile, tiles) : std::vector<BusyRun>();
      // Executions in a folded slice are consecutive: a part of the slice has a proportional part of them.
      if (p && p->perSlice > 1 && p->cycles > 0)
        return tileCyclesOf(activity, runs, tiles.size(), {0, p->cycles}).part(part.size(), p->cycles);
      return tileCyclesOf(activity, runs, tiles.size(), part);
    };
    for (int depth = 0; depth < track.depths; ++depth)
      trace.slices().forEach(track.id, depth, range, stop, [&](const Slice& s) {
        const auto activity = activityOfNumber(s.category);
        if (activity == reports::Activity::Scope || activity == reports::Activity::Idle) return;
        const TickRange seen = s.ticks.clippedTo(range);
        covered += seen.size();
        if (seen.size() < s.duration()) {
          ipu.cost += costOf(s.ref, activity, {seen.begin - s.ticks.begin, seen.end - s.ticks.begin});
          return;
        }
        auto& count = whole[(s.ref + 1) * reports::kActivityCount + s.category];
        // Executions of one profile usually have equal durations: these are counted first and costed together. An execution with
        // another duration is costed separately.
        if (count.first > 0 && count.second.second != s.duration())
          ipu.cost += costOf(s.ref, activity, {0, s.duration()});
        else
          ++count.first, count.second = {activity, s.duration()};
      });
    for (const auto& [key, count] : whole)
      ipu.cost += costOf(key / reports::kActivityCount - 1, count.second.first, {0, count.second.second}).times(count.first);
    ipu.cost[TileTime::Idle] += product(std::max<int64_t>(0, range.size() - covered), tiles.size());
    all.push_back(ipu);
  }
  return all;
}

Sentence wasteSentence(const TileCycles& cost) {
  Sentence words;
  const int64_t whole = cost.total();
  if (whole <= 0) return words;
  words << Sentence::Percent{double(cost.wasted()) / double(whole)} << " of the tile-cycles are wasted";
  std::array<TileTime, kTileTimes - 1> order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<TileTime>(i + 1);
  std::stable_sort(order.begin(), order.end(), [&](TileTime a, TileTime b) { return cost[a] > cost[b]; });
  int64_t others = cost.wasted();
  for (std::size_t i = 0; i < 3 && cost[order[i]] > 0; ++i) {
    words << (i ? ", " : ": ") << Sentence::Percent{cost.share(order[i])}
          << " " + lowerFirst(std::string(tileTimeTitle(order[i])));
    others -= cost[order[i]];
  }
  if (others > 0) words << ", " << Sentence::Percent{double(others) / double(whole)} << " other";
  return words;
}

} // namespace analyser::trace
