#include "analyser/trace/execution_trace.h"

#include "analyser/trace/saturating.h"

#include "reports/core/amounts.h"
#include "reports/core/progress.h"
#include "reports/sqlite/reader.h"

#include <cmath>
#include <unordered_set>

namespace analyser::trace {

namespace {

reports::Activity activityOf(int64_t value) {
  return value >= 0 && value < reports::kActivityCount ? static_cast<reports::Activity>(value) : reports::Activity::Scope;
}

Profile profileOf(const reports::StepProfileRow& row) {
  Profile p;
  p.programStep = reports::ProgramStepId(static_cast<std::size_t>(row.programStepId));
  if (row.ipu) p.ipu = IpuId(static_cast<std::size_t>(*row.ipu));
  p.perSlice = std::max<int64_t>(1, row.sliceExecutions.value_or(1));
  const auto ofSlice = [&](int64_t ofOne) { return product(ofOne, p.perSlice); };
  p.cycles = ofSlice(row.cycles);
  p.slices = row.executions / p.perSlice;
  p.activeTiles = row.activeTiles;
  p.busyCycles = ofSlice(row.busyCycles);
  p.bytesIn = ofSlice(row.bytesIn);
  p.bytesOut = ofSlice(row.bytesOut);
  p.flops = ofSlice(row.flops);
  p.firstTile = row.firstTile;
  p.tiles = row.tiles;
  const reports::AmountRuns cycles(row.cyclesByTile, static_cast<std::size_t>(row.tiles), "step_profile.cycles_by_tile");
  for (const reports::ValueRun& run : cycles.runs()) {
    if (const int64_t all = ofSlice(run.value); p.runs.empty() || p.runs.back().cycles != all) p.runs.push_back({0, all});
    p.runs.back().tiles += int64_t(run.end - run.begin);
  }
  return p;
}

// One more than the highest id. Ids need not begin at 0 and may have gaps; ids far beyond the count are damage.
int64_t profileIds(Session& session) {
  constexpr int64_t kMostGaps = 1 << 20;
  reports::Statement statement(session.reader().connection(), "SELECT max(id) FROM step_profile");
  int64_t highest = -1;
  if (statement.step() && !statement.isNull(0)) statement.read(0, highest, "step_profile.id");
  return std::clamp<int64_t>(highest + 1, 0, session.reader().count<reports::StepProfileRow>() + kMostGaps);
}

// Sums all profiles of the step on the IPU that runs it most.
int64_t executionsOfStep(Session& session, reports::ProgramStepId step) {
  reports::Statement rows(session.reader().connection(),
                          "SELECT coalesce(ipu, -1), executions FROM step_profile WHERE program_step_id = ?");
  rows.bind(1, int64_t(step.value()));
  std::unordered_map<int64_t, int64_t> byIpu;
  int64_t most = 0;
  while (rows.step()) {
    int64_t ipu = 0, executions = 0;
    rows.read(0, ipu, "step_profile.ipu");
    rows.read(1, executions, "step_profile.executions");
    int64_t& sum = byIpu[ipu];
    most = std::max(most, sum = sumOf(sum, executions));
  }
  return most;
}

// Sums over the steps of one IPU, besides busy ticks. Executions cut by the range count proportionally.
struct StepSums {
  double busy = 0, computeWhole = 0, flops = 0;
  std::array<double, reports::kActivityCount> bytesIn{}, bytesOut{}; // by activity
};

// The part of a profile on a track: of its busy cycles, and of its tiles. A profile of all IPUs may be busy on one of them.
struct OwnPart {
  double cycles = 1, tiles = 1;
  int64_t activeTiles = 0;
};
bool isOfOneTrack(const Profile& p, const Machine& machine) { return p.ipu || (machine.ipus == 1 && machine.ioTiles == 0); }

OwnPart partOf(const Profile& p, const Machine& machine, reports::Range<int64_t> tiles) {
  if (isOfOneTrack(p, machine)) return {1, 1, p.activeTiles};
  double ownCycles = 0, allCycles = 0;
  int64_t own = 0, all = 0, tile = p.firstTile;
  for (const Profile::Run& run : p.runs) {
    if (run.cycles > 0) {
      const int64_t inside = reports::Range<int64_t>{tile, tile + run.tiles}.clippedTo(tiles).size();
      own += inside, all += run.tiles;
      ownCycles += double(inside) * double(run.cycles), allCycles += double(run.tiles) * double(run.cycles);
    }
    tile += run.tiles;
  }
  if (all == 0) return {0, 0};
  return {ownCycles / allCycles, double(own) / double(all), own};
}

void addSteps(StepSums& sums, const Profile& p, const Traffic& moved, reports::Activity activity, double executions,
              int64_t tilesOfTrack, OwnPart own) {
  // Tiles take part in exchanges, syncs and streams too, but only wait there.
  if (activity == reports::Activity::Compute || activity == reports::Activity::OnTileCopy) {
    sums.busy += executions * double(p.busyCycles) * own.cycles;
    sums.computeWhole += executions * double(p.cycles) * double(tilesOfTrack);
  }
  sums.bytesIn[static_cast<std::size_t>(activity)] += executions * double(moved.in.value());
  sums.bytesOut[static_cast<std::size_t>(activity)] += executions * double(moved.out.value());
  sums.flops += executions * double(p.flops) * own.tiles;
}

// Executions of a profile in a range.
struct Seen {
  double executions = 0;
  reports::Activity activity{};
};

// By profile, because a million executions share a few hundred profiles.
std::vector<Seen> readSteps(ExecutionTrace& trace, const Track& track, TickRange range, const std::stop_token& stop) {
  std::vector<Seen> seen(static_cast<std::size_t>(trace.profileCount()));
  for (int depth = 0; depth < track.depths; ++depth)
    trace.slices().forEach(track.id, depth, range, stop, [&](const Slice& s) {
      if (s.ref < 0 || s.ref >= trace.profileCount() || activityOf(s.category) == reports::Activity::Scope) return;
      Seen& one = seen[static_cast<std::size_t>(s.ref)];
      one.activity = activityOf(s.category);
      const bool whole = s.ticks.begin >= range.begin && s.ticks.end <= range.end;
      one.executions += whole ? 1.0 : double(s.ticks.clippedTo(range).size()) / double(s.duration());
    });
  return seen;
}

StepSums sumSteps(ExecutionTrace& trace, const Machine& machine, const Track& track, const std::vector<Seen>& seen,
                  const std::stop_token& stop) {
  StepSums sums;
  const auto tiles = track.ipu ? tilesOf(track, machine) : reports::Range<int64_t>{0, machine.tilesPerIpu};
  for (std::size_t id = 0; id < seen.size(); ++id) {
    const Seen& one = seen[id];
    if (id % 64 == 0) reports::throwIfStopped(stop);
    const Profile* p = one.executions > 0 ? trace.profile(int64_t(id)) : nullptr;
    if (p)
      addSteps(sums, *p, trace.trafficOf(*p, track.id), one.activity, one.executions, tiles.size(), partOf(*p, machine, tiles));
  }
  return sums;
}

Sentence verdictOf(const Proportions& p, std::optional<IpuId> only) {
  if (p.ipus.empty() || p.range.empty()) return "This report holds no execution.";
  // The IPU with the least idle time determines the duration of the range.
  const auto idleOf = [](const IpuProportions& i) { return std::pair(i.io, i.shares.back().fraction); };
  const auto critical =
      std::min_element(p.ipus.begin(), p.ipus.end(), [&](const auto& a, const auto& b) { return idleOf(a) < idleOf(b); });
  const auto ipus = std::count_if(p.ipus.begin(), p.ipus.end(), [](const IpuProportions& i) { return !i.io; });
  // Counts on-tile copies as compute, like all sums of compute.
  std::vector<ActivityShare> shares = critical->shares;
  constexpr auto kCompute = std::size_t(reports::Activity::Compute), kCopy = std::size_t(reports::Activity::OnTileCopy);
  const bool isShort = ipus > 1 || only; // the table below lists the other IPUs
  const bool copies = shares[kCopy].cycles > Cycles();
  shares[kCompute].cycles += shares[kCopy].cycles, shares[kCompute].fraction += shares[kCopy].fraction;
  shares[kCopy] = {reports::Activity::OnTileCopy, Cycles(), 0};
  std::stable_sort(shares.begin(), shares.end(),
                   [](const ActivityShare& a, const ActivityShare& b) { return a.cycles > b.cycles; });
  const auto io = std::find_if(p.ipus.begin(), p.ipus.end(), [&](const auto& i) { return i.io && i.ipu == critical->ipu; });
  Sentence verdict;
  verdict << Cycles(p.range.size());
  if (ipus > 1 || only) verdict << (only ? ", IPU " : ", critical IPU ") << int64_t(critical->ipu.value());
  constexpr double kAlike = 0.01; // share of the range
  const auto alike = std::count_if(p.ipus.begin(), p.ipus.end(), [&](const IpuProportions& i) {
    return !i.io && idleOf(i).second <= idleOf(*critical).second + kAlike;
  });
  if (alike > 1 && !only) verdict << " (" << alike - 1 << (alike == 2 ? " other IPU as busy)" : " other IPUs as busy)");
  verdict << ": ";
  int listed = 0;
  for (const ActivityShare& s : shares) {
    if (s.cycles == Cycles() || listed == 3) break;
    const bool waits = s.activity == reports::Activity::Idle && io != p.ipus.end();
    verdict << (listed ? ", " : "") << Sentence::Percent{s.fraction} << " "
            << (waits ? "waiting for its I/O tiles" : std::string(reports::activityName(s.activity)));
    if (copies && s.activity == reports::Activity::Compute) verdict << (isShort ? " and copies" : " with on-tile copies");
    ++listed;
  }
  verdict << "; tile utilisation " << Sentence::Percent{critical->tileUtilisation};
  if (critical->computeBalance > 0 && !isShort)
    verdict << " (" << Sentence::Percent{critical->computeBalance} << " while computing)";
  if (io != p.ipus.end())
    verdict << "; beside it, its I/O tiles exchange with the host "
            << Sentence::Percent{io->shares[static_cast<std::size_t>(reports::Activity::HostStream)].fraction} << " of the time";
  return verdict << ".";
}

} // namespace

reports::Range<int64_t> tilesOf(const Track& track, const Machine& machine) {
  if (!track.ipu) return {0, machine.tiles()};
  const int64_t first = int64_t(track.ipu->value()) * machine.tilesPerIpu, compute = machine.tilesPerIpu - machine.ioTiles;
  if (track.isIo()) return {first + compute, first + machine.tilesPerIpu};
  return {first, first + compute};
}

std::vector<int64_t> profilesOf(Session& session, reports::ProgramStepId step) {
  std::vector<int64_t> ids;
  if (!step.valid()) return ids;
  session.reader().forEach<reports::StepProfileRow>("program_step_id = ? ORDER BY id", {int64_t(step.value())},
                                                    [&](const reports::StepProfileRow& row) { ids.push_back(row.id); });
  return ids;
}

std::vector<bool> profilesOfSteps(Session& session, const std::function<bool(const std::string& path)>& isMeant,
                                  std::stop_token stop) {
  const auto isOutermost = [&](const std::string& path) {
    if (!isMeant(path)) return false;
    constexpr int kMostScopes = 64;
    std::size_t slash = path.rfind('/');
    for (int scope = 0; scope < kMostScopes && slash != std::string::npos && slash > 0; ++scope) {
      if (isMeant(path.substr(0, slash))) return false;
      slash = path.rfind('/', slash - 1);
    }
    return true;
  };
  std::unordered_map<int64_t, bool> byName;
  std::unordered_set<int64_t> steps;
  session.reader().forEach<reports::ProgramStepRow>(
      {}, {},
      [&](const reports::ProgramStepRow& row) {
        const auto [known, isNew] = byName.emplace(row.nameId, false);
        if (isNew) known->second = isOutermost(session.text(row.nameId));
        if (known->second) steps.insert(row.id);
      },
      stop);
  std::vector<bool> meant(std::size_t(profileIds(session)), false);
  if (steps.empty()) return meant;
  reports::Statement statement(session.reader().connection(), "SELECT id, program_step_id FROM step_profile"); // without cycles
  for (int64_t id = 0, step = 0; statement.step();) {
    reports::throwIfStopped(stop);
    statement.read(0, id, "step_profile.id");
    statement.read(1, step, "step_profile.program_step_id");
    if (id >= 0 && std::size_t(id) < meant.size()) meant[std::size_t(id)] = steps.contains(step);
  }
  return meant;
}

ExecutionTrace::ExecutionTrace(Session& session)
    : m_session(session), m_slices(session, "ipu"), m_profileCount(profileIds(session)) {}
ExecutionTrace::~ExecutionTrace() = default;

const Profile* ExecutionTrace::profile(int64_t id) {
  constexpr int64_t kBlock = 256; // rows per query: a query for each row costs more than reading all of them
  if (id < 0 || id >= m_profileCount) return nullptr;
  const auto [it, isNew] = m_profiles.try_emplace(id / kBlock);
  auto& block = it->second;
  const int64_t first = id / kBlock * kBlock;
  if (isNew || block.empty()) {
    std::vector<std::optional<Profile>> read(static_cast<std::size_t>(kBlock));
    m_session.reader().forEach<reports::StepProfileRow>(
        "id >= ? AND id < ?", {first, first + kBlock},
        [&](const reports::StepProfileRow& row) { read[static_cast<std::size_t>(row.id - first)] = profileOf(row); });
    block = std::move(read);
  }
  const auto& found = block[static_cast<std::size_t>(id - first)];
  return found ? &*found : nullptr;
}

// An exchange gives the bytes that each tile receives and sends. For a step without one (of another tool), the tiles of a track
// get their share.
Traffic ExecutionTrace::trafficOf(const Profile& p, TrackId track) {
  const Machine& machine = m_session.machine();
  const auto at = std::find_if(tracks().begin(), tracks().end(), [&](const Track& t) { return t.id == track; });
  if (isOfOneTrack(p, machine) || at == tracks().end() || !at->ipu) return {Bytes(p.bytesIn), Bytes(p.bytesOut)};
  if (p.bytesIn == 0 && p.bytesOut == 0) return {};
  const auto [known, isNew] = m_traffic.try_emplace(int64_t(p.programStep.value()));
  if (isNew) known->second = readTraffic(p.programStep);
  if (known->second.empty()) {
    const double part = partOf(p, machine, tilesOf(*at, machine)).tiles;
    return {Bytes(std::llround(double(p.bytesIn) * part)), Bytes(std::llround(double(p.bytesOut) * part))};
  }
  const Traffic& one = known->second[std::size_t(at - tracks().begin())];
  return {Bytes(product(one.in.value(), p.perSlice)), Bytes(product(one.out.value(), p.perSlice))};
}

// For one execution, by track; empty if the step's tiles are unknown.
std::vector<Traffic> ExecutionTrace::readTraffic(reports::ProgramStepId id) {
  const auto step = m_session.reader().first<reports::ProgramStepRow>("id = ?", {int64_t(id.value())});
  const auto exchange =
      step && step->exchangeId ? m_session.reader().first<reports::ExchangeRow>("id = ?", {*step->exchangeId}) : std::nullopt;
  if (!exchange) return {};
  const Machine& machine = m_session.machine();
  const auto count = static_cast<std::size_t>(machine.tiles());
  const reports::AmountRuns in(exchange->bytesInByTile, count, "exchange.bytes_in_by_tile"),
      out(exchange->bytesOutByTile, count, "exchange.bytes_out_by_tile");
  if (in.sum() + out.sum() == 0) return {}; // another tool has only the sum, not the tiles
  std::vector<Traffic> byTrack;
  for (const Track& track : tracks()) {
    const auto tiles = tilesOf(track, machine);
    byTrack.push_back({Bytes(in.sumOf(tiles)), Bytes(out.sumOf(tiles))});
  }
  return byTrack;
}

void ExecutionTrace::readInside(SliceDetails& scope, const std::stop_token& stop) {
  constexpr int64_t kMostCounted = 500'000; // number of slices
  const Track* track = m_slices.track(scope.track);
  if (!track) return;
  for (IpuProportions& ipu : proportions(scope.slice.ticks, stop, track->ipu).ipus)
    if (ipu.track == track->id) scope.inside = std::move(ipu);
  int64_t slices = 0;
  for (int depth = 0; depth < track->depths; ++depth) slices += m_slices.countIn(track->id, depth, scope.slice.ticks);
  if ((scope.isLarge = slices > kMostCounted)) return;
  scope.steps = statisticsByName(m_slices, {track->id}, scope.slice.ticks, {}, stop, true, executionsOfSlices());
  std::erase_if(scope.steps, [](const NameStatistics& n) {
    return activityOf(n.category) == reports::Activity::Scope || activityOf(n.category) == reports::Activity::Idle;
  });
}

SliceCount ExecutionTrace::executionsOfSlices() {
  return [this](const Slice& slice) {
    const bool isStep = slice.ref >= 0 && activityOf(slice.category) != reports::Activity::Scope;
    const Profile* p = isStep ? profile(slice.ref) : nullptr;
    return p ? p->perSlice : 1;
  };
}

SliceDetails ExecutionTrace::details(TrackId track, const Slice& slice, std::stop_token stop) {
  SliceDetails d;
  d.slice = slice;
  d.track = track;
  d.name = m_session.text(slice.name);
  d.activity = activityOf(slice.category);
  d.cycles = Cycles(slice.duration());
  d.isStep = d.activity != reports::Activity::Scope;
  std::optional<int64_t> context;
  if (!d.isStep) {
    if (slice.ref >= 0) context = slice.ref;
    readInside(d, stop);
  } else if (const Profile* p = slice.ref >= 0 ? profile(slice.ref) : nullptr) {
    d.programStep = p->programStep;
    d.inSlice = p->perSlice;
    d.executions = executionsOfStep(m_session, p->programStep);
    const auto on = std::find_if(tracks().begin(), tracks().end(), [&](const Track& t) { return t.id == track; });
    const auto tiles = on != tracks().end() && on->ipu ? tilesOf(*on, m_session.machine()) : reports::Range<int64_t>{0, p->tiles};
    const OwnPart own = partOf(*p, m_session.machine(), tiles);
    const double busy = double(p->busyCycles) * own.cycles, whole = double(p->cycles) * double(own.activeTiles),
                 all = double(p->cycles) * double(tiles.size());
    d.busyCycles = Cycles(std::llround(busy / double(p->perSlice)));
    d.activeTiles = own.activeTiles;
    d.balance = whole > 0 ? std::min(1.0, busy / whole) : 0;
    d.utilisation = all > 0 ? std::min(1.0, busy / all) : 0;
    const Traffic moved = trafficOf(*p, track);
    d.bytesIn = moved.in / p->perSlice, d.bytesOut = moved.out / p->perSlice;
    d.flops = Flops(std::llround(double(p->flops / p->perSlice) * own.tiles));
    d.firstTile = TileId(static_cast<std::size_t>(p->firstTile));
    for (const auto& run : p->runs)
      d.cyclesByTile.insert(d.cyclesByTile.end(), std::size_t(run.tiles), Cycles(run.cycles / p->perSlice));
    if (const auto step = m_session.reader().first<reports::ProgramStepRow>("id = ?", {int64_t(p->programStep.value())})) {
      d.kind = step->kind;
      context = step->debugContextId;
    }
  }
  // A function that layers share has the contexts of the first layer; the scopes around a slice belong to the layer that ran.
  const std::vector<int64_t> scopes = contextsAround(track, slice);
  if (scopes.empty()) d.debug = debugChain(m_session, context);
  for (const int64_t scope : scopes) {
    if (auto chain = debugChain(m_session, scope); !chain.empty()) d.debug.push_back(std::move(chain.front()));
    if (!d.operation.empty()) continue;
    if (const auto row = m_session.reader().first<reports::OperationRow>("debug_context_id = ?", {scope}); row && row->id >= 0)
      d.operation = row->name, d.operationId = reports::OperationId(std::size_t(row->id));
  }
  if (d.operation.empty()) d.operation = operationOf(m_session, context);
  return d;
}

// The contexts of the scopes around a slice, innermost first. If the slice is a scope, its own context is the first.
std::vector<int64_t> ExecutionTrace::contextsAround(TrackId track, const Slice& slice) {
  std::vector<int64_t> contexts;
  if (activityOf(slice.category) == reports::Activity::Scope && slice.ref >= 0) contexts.push_back(slice.ref);
  for (int depth = slice.depth - 1; depth >= 0; --depth)
    m_slices.forEach(track, depth, {slice.ticks.begin, slice.ticks.begin + 1}, {}, [&](const Slice& around) {
      if (activityOf(around.category) == reports::Activity::Scope && around.ref >= 0) contexts.push_back(around.ref);
    });
  return contexts;
}

std::vector<TrackId> ExecutionTrace::tracksOf(std::optional<IpuId> ipu) const {
  std::vector<TrackId> ids;
  for (const Track& track : tracks())
    if (ipu && track.ipu == ipu) ids.push_back(track.id);
  return ids;
}

reports::Activity ExecutionTrace::activityOfStep(reports::ProgramStepId step) {
  if (m_activities.empty()) {
    reports::Statement statement(m_session.reader().connection(), "SELECT id, activity FROM program_step");
    while (statement.step()) {
      int64_t id = 0, activity = 0;
      statement.read(0, id, "program_step.id");
      statement.read(1, activity, "program_step.activity");
      m_activities[id] = activityOf(activity);
    }
  }
  const auto found = m_activities.find(int64_t(step.value()));
  return found == m_activities.end() ? reports::Activity::Scope : found->second;
}

// Profiles count their executions over all runs. The counts apply to the track if they explain all of its busy ticks, activity by
// activity; they do not if the report leaves slices out.
std::optional<std::vector<int64_t>> ExecutionTrace::executionsOf(const Track& track, const Ticks& busy,
                                                                 const std::stop_token& stop) {
  if (m_session.machine().ioTiles > 0 || !track.ipu) return std::nullopt; // a profile may belong to two tracks
  std::vector<int64_t> executions(static_cast<std::size_t>(m_profileCount));
  Ticks told{};
  for (int64_t id = 0; id < m_profileCount; ++id) {
    reports::throwIfStopped(stop);
    const Profile* p = profile(id);
    if (!p) continue;
    if (!p->ipu && m_session.machine().ipus > 1) return std::nullopt; // the profile sums several IPUs
    if (p->ipu && p->ipu != track.ipu) continue;
    executions[static_cast<std::size_t>(id)] = p->slices;
    int64_t& ticks = told[static_cast<std::size_t>(activityOfStep(p->programStep))];
    int64_t cycles = 0; // of all slices
    if (p->slices < 0 || p->cycles < 0 || __builtin_mul_overflow(p->slices, p->cycles, &cycles) ||
        __builtin_add_overflow(ticks, cycles, &ticks))
      return std::nullopt;
  }
  for (std::size_t a = 0; a < static_cast<std::size_t>(reports::Activity::Idle); ++a)
    if (told[a] != busy[a]) return std::nullopt;
  return executions;
}

Proportions ExecutionTrace::proportions(TickRange range, std::stop_token stop, std::optional<IpuId> only) {
  Proportions all;
  all.range = range;
  const Machine& machine = m_session.machine();
  for (const Track& track : tracks()) {
    if (only && track.ipu != only) continue;
    IpuProportions ipu;
    ipu.track = track.id;
    ipu.ipu = track.ipu.value_or(IpuId(0));
    ipu.io = track.isIo();
    std::array<int64_t, reports::kActivityCount> ticks{};
    for (int depth = 0; depth < track.depths; ++depth) {
      const CategoryTicks busy = m_slices.busyTicks(track.id, depth, range, stop);
      for (std::size_t a = 0; a < ticks.size(); ++a) ticks[a] += busy.ticks[a];
    }
    constexpr auto kIdle = static_cast<std::size_t>(reports::Activity::Idle);
    int64_t working = 0;
    for (std::size_t a = 0; a < kIdle; ++a) working += ticks[a];
    ticks[kIdle] = std::max<int64_t>(0, range.size() - working); // time without a step is idle, even if it has no idle slice
    for (std::size_t a = 0; a <= kIdle; ++a)
      ipu.shares.push_back(
          {static_cast<reports::Activity>(a), Cycles(ticks[a]), range.empty() ? 0 : double(ticks[a]) / double(range.size())});
    std::vector<Seen> seen;
    const bool isWhole = range.begin <= track.range.begin + track.shift && range.end >= track.range.end + track.shift;
    if (const auto executions = isWhole ? executionsOf(track, ticks, stop) : std::nullopt)
      for (std::size_t id = 0; id < executions->size(); ++id) {
        const auto times = double((*executions)[id]);
        const Profile* p = times > 0 ? profile(int64_t(id)) : nullptr;
        seen.push_back({times, p ? activityOfStep(p->programStep) : reports::Activity::Scope});
      }
    else
      seen = readSteps(*this, track, range, stop);
    const StepSums sums = sumSteps(*this, machine, track, seen, stop);
    const double whole = double(range.size()) * double(track.ipu ? tilesOf(track, machine).size() : machine.tilesPerIpu);
    ipu.tileUtilisation = whole > 0 ? std::min(1.0, sums.busy / whole) : 0;
    ipu.computeBalance = sums.computeWhole > 0 ? std::min(1.0, sums.busy / sums.computeWhole) : 0;
    const auto traffic = [&](reports::Activity a) {
      const auto at = static_cast<std::size_t>(a);
      return Traffic{Bytes(std::llround(sums.bytesIn[at])), Bytes(std::llround(sums.bytesOut[at]))};
    };
    for (std::size_t a = 0; a < sums.bytesIn.size(); ++a) {
      const Traffic of = traffic(static_cast<reports::Activity>(a));
      ipu.bytesIn += of.in, ipu.bytesOut += of.out;
    }
    ipu.internal = traffic(reports::Activity::InternalExchange);
    ipu.global = traffic(reports::Activity::GlobalExchange);
    ipu.host = traffic(reports::Activity::HostStream);
    ipu.flops = Flops(std::llround(sums.flops));
    all.ipus.push_back(std::move(ipu));
  }
  all.verdict = verdictOf(all, only);
  return all;
}

} // namespace analyser::trace
