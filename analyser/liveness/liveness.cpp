#include "analyser/liveness/liveness.h"

#include "analyser/liveness/intervals.h"
#include "analyser/liveness/life_index.h"
#include "analyser/session/debug_contexts.h"
#include "analyser/session/format.h"
#include "reports/sqlite/reader.h"

#include <charconv>
#include <unordered_set>
#include <utility>

namespace analyser::liveness {

namespace {

// "ipu.3" → 3; -1 if the scope is not of that kind.
int64_t scopeIndex(const std::string& scope, std::string_view prefix) {
  int64_t index = -1;
  if (scope.starts_with(prefix)) {
    const char* begin = scope.data() + prefix.size();
    if (std::from_chars(begin, scope.data() + scope.size(), index).ec != std::errc()) index = -1;
  }
  return index;
}

// Sorts scopes: "all", then IPUs by number, then tiles by number.
std::tuple<int, int64_t, std::string> scopeOrder(const std::string& scope) {
  const int64_t ipu = scopeIndex(scope, "ipu."), tile = scopeIndex(scope, "tile.");
  return {scope == "all" ? 0 : ipu >= 0 ? 1 : tile >= 0 ? 2 : 3, std::max(ipu, tile), scope};
}

Curve fromRow(const reports::LivenessCurveRow& row, const Machine& machine) {
  Curve c;
  c.scope = row.scope;
  c.alwaysLive = Bytes(row.alwaysLiveBytes);
  c.peak = Bytes(row.peakBytes);
  c.peakStep = row.peakStep;
  const auto values =
      reports::unpackDeltas(row.notAlwaysLiveBytes, static_cast<std::size_t>(row.steps), "liveness_curve.not_always_live_bytes");
  c.notAlwaysLive.reserve(values.size());
  for (const int64_t v : values) c.notAlwaysLive.emplace_back(v);
  if (const int64_t ipu = scopeIndex(row.scope, "ipu."); ipu >= 0) {
    c.title = "IPU " + std::to_string(ipu);
    c.capacity = machine.memoryPerIpu();
  } else if (const int64_t tile = scopeIndex(row.scope, "tile."); tile >= 0) {
    c.title = "Tile " + std::to_string(tile);
    c.capacity = machine.memoryPerTile;
  } else {
    c.title = machine.ipus == 1 ? "All tiles" : "All IPUs";
    c.capacity = machine.totalMemory();
  }
  return c;
}

LiveVariable variableOf(Session& session, const OperationNames& operations, const reports::VariableRow& row) {
  LiveVariable v;
  v.variable = reports::VariableId(static_cast<std::size_t>(row.id));
  v.name = session.text(row.nameId);
  v.operation = operations.of(row.debugContextId);
  if (row.category >= 0 && row.category < reports::kMemoryCategoryCount)
    v.category = static_cast<reports::MemoryCategory>(row.category);
  v.bytes = Bytes(row.totalBytes);
  v.maxTile = Bytes(row.maxTileBytes);
  v.tiles = row.tiles;
  v.alwaysLive = row.alwaysLive != 0;
  return v;
}

// `bytes` belong to the curve's tiles.
Sentence verdictOf(Session& session, const Liveness& l, const ScopeBytes& bytes, const std::stop_token& stop) {
  const Curve& c = l.curve;
  if (c.notAlwaysLive.empty()) return "This report holds no liveness.";
  const Bytes top = c.alwaysLive + c.peak;
  Sentence verdict;
  if (c.scope == "all")
    verdict << "Peak ";
  else
    verdict << c.title + ": peak ";
  verdict << top << " at step " << c.peakStep << "; " << c.alwaysLive << " always live";
  if (top > Bytes()) verdict << " (" << Sentence::Percent{ratio(c.alwaysLive, top)} << ")";
  const auto step = std::find_if(l.steps.begin(), l.steps.end(), [&](const Step& s) { return s.ordinal == c.peakStep; });
  if (step != l.steps.end()) verdict << "; the step is " << Sentence::Name{step->name};
  verdict << "; " << c.peak << " not always live";
  const LiveAtStep at = liveAt(session, c.peakStep, bytes, stop);
  if (!at.notAlwaysLive.empty())
    verdict << ", the largest " << Sentence::Name{at.notAlwaysLive.front().name} << " (" << at.notAlwaysLive.front().bytes << ")";
  return verdict << ".";
}

} // namespace

std::vector<Step> stepsOf(Session& session, std::stop_token stop) {
  std::vector<Step> steps;
  session.reader().forEach<reports::LivenessStepRow>(
      {}, {},
      [&](const reports::LivenessStepRow& row) {
        Step s;
        s.ordinal = row.ordinal;
        s.programStep = reports::ProgramStepId(static_cast<std::size_t>(row.programStepId));
        s.name = session.text(row.nameId);
        steps.push_back(std::move(s));
      },
      stop);
  std::unordered_map<int64_t, std::pair<std::string, int64_t>> kinds;
  session.reader().forEach<reports::ProgramStepRow>(
      "liveness_step IS NOT NULL", {},
      [&](reports::ProgramStepRow& row) { kinds.emplace(row.id, std::pair(std::move(row.kind), row.activity)); }, stop);
  for (Step& s : steps) {
    const auto it = kinds.find(s.programStep.value());
    if (it == kinds.end()) continue;
    s.kind = it->second.first;
    if (it->second.second >= 0 && it->second.second < reports::kActivityCount)
      s.activity = static_cast<reports::Activity>(it->second.second);
  }
  return steps;
}

std::vector<std::string> scopes(Session& session) {
  std::vector<std::string> names;
  reports::Statement statement(session.reader().connection(), "SELECT scope FROM liveness_curve");
  while (statement.step()) {
    std::string name;
    statement.read(0, name, "liveness_curve.scope");
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) { return scopeOrder(a) < scopeOrder(b); });
  return names;
}

Curve curve(Session& session, const std::string& scope) {
  const auto row = session.reader().first<reports::LivenessCurveRow>("scope = ?", {scope});
  if (row) return fromRow(*row, session.machine());
  Curve none;
  none.scope = scope;
  none.title = scope;
  return none;
}

std::optional<IpuId> decidingIpu(Session& session) {
  const Machine& machine = session.machine();
  if (machine.ipus < 2 || machine.tilesPerIpu < 1) return {};
  const auto series = [&](const char* name) { return session.reader().first<reports::TileSeriesRow>("name = ?", {name}); };
  // As in memory::fullestTile().
  const auto overflow = series("memory.overflow");
  const auto held = series(overflow && overflow->max > 0 ? "memory.total_with_gaps" : "memory.total");
  if (!held || held->max <= 0 || held->maxTile < 0 || held->maxTile >= machine.tiles()) return {};
  const IpuId ipu(static_cast<std::size_t>(held->maxTile / machine.tilesPerIpu));
  const bool hasCurve = session.reader().first<reports::LivenessCurveRow>("scope = ?", {scopeOf(ipu)}).has_value();
  const bool hasLayout = session.reader().first<reports::TileVariablesRow>("tile = ?", {held->maxTile}).has_value();
  return hasCurve && hasLayout ? std::optional(ipu) : std::nullopt;
}

std::string decidingScope(Session& session) {
  const auto overflow = session.reader().first<reports::TileSeriesRow>("name = ?", {std::string("memory.overflow")});
  if (overflow && overflow->max > 0) {
    const std::string tile = "tile." + std::to_string(overflow->maxTile);
    if (session.reader().first<reports::LivenessCurveRow>("scope = ?", {tile})) return tile;
  }
  return scopeOf(decidingIpu(session));
}

std::string scopeOf(std::optional<IpuId> ipu) { return ipu ? "ipu." + std::to_string(ipu->value()) : "all"; }

Liveness liveness(Session& session, const std::string& scope, std::stop_token stop) {
  return liveness(session, scope, scopeBytes(session, scope, stop), stop);
}

Liveness liveness(Session& session, const std::string& scope, const ScopeBytes& bytes, std::stop_token stop) {
  Liveness l;
  l.scopes = scopes(session);
  l.curve = curve(session, scope);
  l.steps = stepsOf(session, stop);
  reports::throwIfStopped(stop);
  l.verdict = verdictOf(session, l, bytes, stop);
  return l;
}

namespace {

// Bytes of each variable on one tile; a variable may be there in several pieces.
std::unordered_map<uint32_t, Bytes> heldOn(const reports::TileVariablesRow& row) {
  const auto n = static_cast<std::size_t>(row.lowered);
  const auto ids = reports::unpackDeltas(row.variables, n, "tile_variables.variables");
  const auto sizes = reports::unpackVarints(row.sizes, n, "tile_variables.sizes");
  std::unordered_map<uint32_t, Bytes> here;
  for (std::size_t i = 0; i < n; ++i)
    if (ids[i] >= 0) here[reports::VariableId(static_cast<std::size_t>(ids[i])).value()] += Bytes(sizes[i]);
  return here;
}

void addTile(ScopeBytes& all, const reports::TileVariablesRow& row) {
  for (const auto& [id, bytes] : heldOn(row)) {
    ScopeBytes::Share& share = all.byVariable[id];
    share.bytes += bytes;
    share.maxTile = std::max(share.maxTile, bytes);
    ++share.tiles;
  }
}

} // namespace

namespace {
// The scope's first tile and its number of tiles; {0, 0} means all tiles.
std::pair<int64_t, int64_t> tilesIn(const Machine& machine, const std::string& scope) {
  if (const int64_t tile = scopeIndex(scope, "tile."); tile >= 0) return {tile, 1};
  if (const int64_t ipu = scopeIndex(scope, "ipu."); ipu >= 0) return {ipu * machine.tilesPerIpu, machine.tilesPerIpu};
  return {0, 0};
}
} // namespace

std::vector<TileId> tilesOfScope(const Machine& machine, const std::string& scope) {
  std::vector<TileId> tiles;
  const auto [first, count] = tilesIn(machine, scope);
  for (int64_t tile = first; tile < first + count; ++tile) tiles.emplace_back(std::size_t(tile));
  return tiles;
}

ScopeBytes scopeBytes(Session& session, const std::string& scope, std::stop_token stop) {
  ScopeBytes all;
  const auto [first, count] = tilesIn(session.machine(), scope);
  if (count == 0) return all;
  all.isWhole = false;
  session.reader().forEach<reports::TileVariablesRow>(
      "tile >= ? AND tile < ?", {first, first + count}, [&](const reports::TileVariablesRow& row) { addTile(all, row); }, stop);
  return all;
}

ScopeBytes bytesOnTiles(Session& session, std::span<const TileId> tiles, std::stop_token stop) {
  ScopeBytes all;
  all.isWhole = false;
  for (const TileId tile : tiles) {
    reports::throwIfStopped(stop);
    if (const auto row = session.reader().first<reports::TileVariablesRow>("tile = ?", {int64_t(tile.value())}))
      addTile(all, *row);
  }
  return all;
}

Curve curveOfTiles(Session& session, std::span<const TileId> tiles, const ScopeBytes& bytes, std::stop_token stop) {
  Curve c;
  c.scope = kTilesScope;
  c.title = tiles.size() == 1 ? "Tile " + std::to_string(tiles.front().value()) : formatCount(int64_t(tiles.size())) + " tiles";
  c.capacity = session.machine().memoryPerTile * int64_t(tiles.size());
  const auto row = session.reader().first<reports::LivenessCurveRow>("scope = ?", {"all"});
  const auto steps = row && row->steps > 0 ? static_cast<std::size_t>(row->steps) : 0;
  std::vector<Bytes> changes(steps + 1);
  session.reader().forEach<reports::VariableRow>(
      {}, {},
      [&](const reports::VariableRow& variable) {
        const auto share = bytes.byVariable.find(reports::VariableId(static_cast<std::size_t>(variable.id)).value());
        if (share == bytes.byVariable.end()) return;
        if (variable.alwaysLive)
          c.alwaysLive += share->second.bytes;
        else
          for (const Interval& live : intervalsOf(variable)) {
            changes[std::size_t(std::clamp<int64_t>(live.begin, 0, int64_t(steps)))] += share->second.bytes;
            changes[std::size_t(std::clamp<int64_t>(live.end, 0, int64_t(steps)))] -= share->second.bytes;
          }
      },
      stop);
  Bytes alive;
  for (std::size_t i = 0; i < steps; ++i) {
    c.notAlwaysLive.push_back(alive += changes[i]);
    if (alive > c.peak) c.peak = alive, c.peakStep = int64_t(i);
  }
  return c;
}

Liveness livenessOfTiles(Session& session, std::span<const TileId> tiles, const ScopeBytes& bytes, std::stop_token stop) {
  Liveness l;
  l.scopes = scopes(session);
  l.curve = curveOfTiles(session, tiles, bytes, stop);
  l.steps = stepsOf(session, stop);
  l.verdict = verdictOf(session, l, bytes, stop);
  return l;
}

LiveAtStep liveAt(Session& session, int64_t step, std::stop_token stop) {
  return liveAt(session, step, ScopeBytes(), std::move(stop));
}

LiveAtStep liveAt(Session& session, int64_t step, const ScopeBytes& scope, std::stop_token stop) {
  const LifeIndex lives(session, scope, stop);
  LiveAtStep at = lives.at(session, step, stop);
  at.alwaysLive = lives.alwaysLive();
  return at;
}

std::vector<StepDifference> difference(const LiveAtStep& before, const LiveAtStep& after) {
  std::vector<StepDifference> differences;
  // Adds the variables of `a` that are not in `b`.
  const auto add = [&](const LiveAtStep& a, const LiveAtStep& b, Bytes StepDifference::*side) {
    std::unordered_set<uint32_t> others;
    for (const LiveVariable& v : b.notAlwaysLive) others.insert(v.variable.value());
    for (const LiveVariable& v : a.notAlwaysLive) {
      if (others.contains(v.variable.value())) continue;
      differences.push_back({v, {}, {}});
      differences.back().*side = v.bytes;
    }
  };
  add(before, after, &StepDifference::before);
  add(after, before, &StepDifference::after);
  std::sort(differences.begin(), differences.end(),
            [](const StepDifference& x, const StepDifference& y) { return larger(x.variable, y.variable); });
  return differences;
}

std::vector<Lifetime> lifetimes(Session& session, std::size_t count, const ScopeBytes& scope, std::stop_token stop) {
  if (scope.isWhole) return lifetimes(session, count, std::move(stop));
  std::vector<std::pair<Bytes, uint32_t>> largest;
  session.reader().forEach<reports::VariableRow>(
      "always_live = 0", {},
      [&](const reports::VariableRow& row) {
        const auto share = scope.byVariable.find(reports::VariableId(static_cast<std::size_t>(row.id)).value());
        if (share != scope.byVariable.end()) largest.emplace_back(share->second.bytes, share->first);
      },
      stop);
  const auto kept = std::min(count, largest.size());
  std::partial_sort(largest.begin(), largest.begin() + std::ptrdiff_t(kept), largest.end(),
                    [](const auto& a, const auto& b) { return std::tie(b.first, a.second) < std::tie(a.first, b.second); });
  largest.resize(kept);
  std::vector<Lifetime> all;
  const OperationNames operations(session, stop);
  for (const auto& [bytes, id] : largest) {
    const auto row = session.reader().first<reports::VariableRow>("id = ?", {int64_t(id)});
    if (!row) continue;
    LiveVariable v = variableOf(session, operations, *row);
    const ScopeBytes::Share& share = scope.byVariable.at(id);
    v.bytes = share.bytes, v.maxTile = share.maxTile, v.tiles = share.tiles;
    all.push_back({std::move(v), intervalsOf(*row)});
  }
  return all;
}

std::vector<Lifetime> lifetimes(Session& session, std::size_t count, std::stop_token stop) {
  std::vector<Lifetime> all;
  const OperationNames operations(session, stop);
  session.reader().forEach<reports::VariableRow>(
      "always_live = 0 ORDER BY total_bytes DESC, id LIMIT ?", {static_cast<int64_t>(count)},
      [&](const reports::VariableRow& row) {
        all.push_back({variableOf(session, operations, row), intervalsOf(row)});
      },
      stop);
  return all;
}

} // namespace analyser::liveness
