#include "simcore/run/fit.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace simcore::run {

namespace {

// Other plans have other exchange code, so a tile is to keep this part of its memory free.
constexpr int64_t kReserve = 128;
// An operation gives back all but this part of what it takes; less takes ever more serial slices.
constexpr int64_t kLeastPart = 8;

// Bytes that each planned operation may take, as tile after tile asks for less.
class Bounds {
public:
  explicit Bounds(const compile::Executable& e)
      : m_e(e), m_memory(e.graph->machine().tile.memory.value()), m_planOf(planOfContexts(*e.graph)) {
    for (const compile::Storage& s : e.storage) m_owner.push_back(ownerOf(s));
  }

  // False if the tile overflows whatever operations give back. Where only gaps between temporaries make it overflow, less at other moments
  // helps too.
  bool lower(const compile::TileLayout& tile) {
    const int64_t ordinals = int64_t(m_e.program.ordinals.size());
    const int64_t gaps = std::max<int64_t>(0, tile.totalBytes - tile.liveLowerBound);
    const std::vector<int64_t> live = liveOn(tile, ordinals);
    const int64_t most = m_memory - tile.alwaysLiveBytes, room = most - gaps;
    std::unordered_map<int64_t, std::map<std::size_t, int64_t>> taken; // by ordinal and plan, where it is tight
    for (const compile::Placement& p : tile.placements)
      if (m_owner[p.storage] != kNobody)
        for (const auto& span : m_e.storage[p.storage].live)
          for (int64_t o = span.begin; o < std::min(span.end, ordinals); ++o)
            if (live[std::size_t(o)] > room - m_memory / kReserve) taken[o][m_owner[p.storage]] += p.size;
    for (int64_t o = 0; o < ordinals; ++o) {
      const int64_t excess = live[std::size_t(o)] - room;
      if (excess + m_memory / kReserve <= 0) continue;
      if (!lowerAt(taken[o], excess) && live[std::size_t(o)] > most) return false;
    }
    return true;
  }

  graph::MemoryShares shares() const {
    graph::MemoryShares shares;
    for (const auto& [plan, bytes] : m_bounds)
      shares.emplace(m_e.graph->fullName(m_e.graph->plans()[plan].context), double(bytes) / double(m_memory));
    return shares;
  }

private:
  static constexpr std::size_t kNobody = SIZE_MAX;

  static std::vector<std::size_t> planOfContexts(const graph::Graph& graph) {
    std::vector<std::size_t> planOf(graph.contexts().size(), kNobody);
    for (std::size_t p = 0; p < graph.plans().size(); ++p)
      if (graph.plans()[p].temporary.value() > 0) planOf[graph.plans()[p].context.value()] = p;
    for (std::size_t c = 0; c < planOf.size(); ++c) // a parent was made before its children
      if (const auto parent = graph.contexts()[c].parent; planOf[c] == kNobody && parent.valid())
        planOf[c] = planOf[parent.value()];
    return planOf;
  }

  // The plan that sized this storage. Results are of the same context, but a planner does not size them.
  std::size_t ownerOf(const compile::Storage& s) const {
    if (s.alwaysLive || !s.variable.valid() || !s.context.valid()) return kNobody;
    return m_e.graph->variable(s.variable).extraBytes.empty() ? kNobody : m_planOf[s.context.value()];
  }

  std::vector<int64_t> liveOn(const compile::TileLayout& tile, int64_t ordinals) const {
    std::vector<int64_t> live(std::size_t(ordinals) + 1, 0);
    for (const compile::Placement& p : tile.placements)
      for (const auto& span : m_e.storage[p.storage].live) {
        live[std::size_t(span.begin)] += p.size;
        live[std::size_t(std::min(span.end, ordinals))] -= p.size;
      }
    for (std::size_t o = 1; o < live.size(); ++o) live[o] += live[o - 1];
    return live;
  }

  // The operation that takes most at this moment gives back what is too much.
  bool lowerAt(const std::map<std::size_t, int64_t>& taken, int64_t excess) {
    const auto most =
        std::max_element(taken.begin(), taken.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == taken.end()) return false;
    const int64_t bound = most->second - excess - m_memory / kReserve;
    if (bound < most->second / kLeastPart) return false;
    const auto [known, isNew] = m_bounds.emplace(most->first, bound);
    known->second = std::min(known->second, bound);
    return true;
  }

  const compile::Executable& m_e;
  const int64_t m_memory;
  const std::vector<std::size_t> m_planOf; // by context
  std::vector<std::size_t> m_owner;        // by storage
  std::map<std::size_t, int64_t> m_bounds; // bytes by plan
};

} // namespace

graph::MemoryShares sharesToFit(const compile::Executable& executable) {
  if (executable.allocation.fits()) return {};
  Bounds bounds(executable);
  for (const compile::TileLayout& tile : executable.allocation.layouts)
    if (tile.overflowBytes > 0 && !bounds.lower(tile)) return {};
  return bounds.shares();
}

FittedProgram compileToFit(const graph::Workload& workload, const Replanning& replanning,
                           const std::function<compile::Executable(const graph::Workload&)>& compile) {
  FittedProgram best;
  best.executable = compile(workload);
  if (!replanning.build) return best;
  graph::MemoryShares shares, next = sharesToFit(best.executable);
  int plans = 1;
  while (!best.executable.allocation.fits() && plans <= replanning.most && !next.empty()) {
    for (const auto& [operation, share] : next) {
      const auto [known, isNew] = shares.emplace(operation, share);
      known->second = std::min(known->second, share);
    }
    FittedProgram again;
    again.workload = replanning.build(shares);
    again.executable = compile(*again.workload);
    again.shares = shares;
    ++plans;
    next = sharesToFit(again.executable);
    const compile::Allocation &now = again.executable.allocation, &before = best.executable.allocation;
    if (now.fits() || now.maxTileBytes < before.maxTileBytes) best = std::move(again);
  }
  best.plans = plans;
  return best;
}

} // namespace simcore::run
