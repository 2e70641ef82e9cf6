#include "analyser/liveness/life_index.h"

#include <algorithm>
#include <utility>

namespace analyser::liveness {

LifeIndex::LifeIndex(Session& session, const ScopeBytes& scope, std::stop_token stop) : m_operations(session, stop) {
  session.reader().forEach<reports::VariableRow>(
      "1 ORDER BY id", {}, [&](const reports::VariableRow& row) { add(session, row, scope); }, stop);
  std::sort(m_alwaysLive.begin(), m_alwaysLive.end(), larger);
}

void LifeIndex::add(Session& session, const reports::VariableRow& row, const ScopeBytes& scope) {
  Life life;
  life.variable = reports::VariableId(static_cast<std::size_t>(row.id));
  life.bytes = Bytes(row.totalBytes), life.maxTile = Bytes(row.maxTileBytes), life.tiles = row.tiles;
  if (!scope.isWhole) {
    const auto share = scope.byVariable.find(life.variable.value());
    if (share == scope.byVariable.end()) return;
    life.bytes = share->second.bytes, life.maxTile = share->second.maxTile, life.tiles = share->second.tiles;
  }
  life.name = row.nameId, life.debugContext = row.debugContextId;
  if (row.category >= 0 && row.category < reports::kMemoryCategoryCount)
    life.category = static_cast<reports::MemoryCategory>(row.category);
  life.firstInterval = m_intervals.size();
  if (!row.alwaysLive)
    for (const Interval& interval : liveness::intervalsOf(row)) m_intervals.push_back(interval);
  life.intervals = m_intervals.size() - life.firstInterval;
  m_lives.push_back(life);
  if (!row.alwaysLive) return;
  m_alwaysLive.push_back(variableOf(session, life));
  m_alwaysLive.back().alwaysLive = true;
  m_alwaysLiveBytes += life.bytes;
}

LiveVariable LifeIndex::variableOf(Session& session, const Life& life) const {
  LiveVariable v;
  v.variable = life.variable;
  v.name = session.text(life.name);
  v.operation = m_operations.of(life.debugContext);
  v.category = life.category;
  v.bytes = life.bytes, v.maxTile = life.maxTile, v.tiles = life.tiles;
  return v;
}

LiveAtStep LifeIndex::at(Session& session, int64_t step, std::stop_token stop) const {
  LiveAtStep at;
  at.step = step;
  if (const auto row = session.reader().first<reports::LivenessStepRow>("ordinal = ?", {step}))
    at.name = session.text(row->nameId);
  for (const Life& life : m_lives)
    for (const Interval& live : intervalsOf(life)) {
      if (!live.contains(step)) continue;
      reports::throwIfStopped(stop);
      at.notAlwaysLive.push_back(variableOf(session, life));
      at.notAlwaysLive.back().live = live;
      at.notAlwaysLiveBytes += life.bytes;
      break;
    }
  at.alwaysLiveBytes = m_alwaysLiveBytes;
  std::sort(at.notAlwaysLive.begin(), at.notAlwaysLive.end(), larger);
  return at;
}

LiveRange LifeIndex::during(Session& session, reports::Range<int64_t> steps, const Curve& curve, std::stop_token stop) const {
  LiveRange range;
  range.steps = steps;
  for (const Life& life : m_lives) {
    reports::throwIfStopped(stop);
    LiveInRange found;
    bool isLive = false;
    for (const Interval& live : intervalsOf(life)) {
      if (!live.overlaps(steps)) continue;
      if (!std::exchange(isLive, true)) found.variable = variableOf(session, life), found.variable.live = live;
      found.variable.live.end = live.end;
      found.births += steps.contains(live.begin), found.deaths += steps.contains(live.end - 1);
    }
    if (!isLive) continue;
    range.bytes += life.bytes, range.births += found.births, range.deaths += found.deaths;
    range.variables.push_back(std::move(found));
  }
  std::sort(range.variables.begin(), range.variables.end(),
            [](const LiveInRange& a, const LiveInRange& b) { return larger(a.variable, b.variable); });
  const int64_t last = std::min(steps.end, int64_t(curve.notAlwaysLive.size()));
  range.peakStep = steps.begin;
  for (int64_t step = std::max<int64_t>(0, steps.begin); step < last; ++step)
    if (const Bytes alive = curve.notAlwaysLive[std::size_t(step)]; alive > range.peak) range.peak = alive, range.peakStep = step;
  return range;
}

const LifeIndex::Life* LifeIndex::find(reports::VariableId variable) const {
  const auto at = std::lower_bound(m_lives.begin(), m_lives.end(), variable,
                                   [](const Life& life, reports::VariableId id) { return life.variable < id; });
  return at != m_lives.end() && at->variable == variable ? &*at : nullptr;
}

Bytes LifeIndex::bytesOf(reports::VariableId variable) const {
  const Life* life = find(variable);
  return life ? life->bytes : Bytes();
}

std::span<const Interval> LifeIndex::intervalsOf(reports::VariableId variable) const {
  const Life* life = find(variable);
  return life ? intervalsOf(*life) : std::span<const Interval>();
}

} // namespace analyser::liveness
