#include "simcore/run/fit.h"

#include <algorithm>
#include <set>
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
  Bounds(const compile::Executable& e, const graph::MemoryShares& known)
      : m_e(e), m_memory(e.graph->machine().tile.memory.value()), m_planOf(planOfContexts(*e.graph)) {
    for (const compile::Storage& s : e.storage) {
      m_owner.push_back(ownerOf(s));
      m_isCopy.push_back(isOperandCopy(s) && !known.count(e.graph->fullName(s.context)));
    }
  }

  // False if the tile overflows whatever operations give back. Where only gaps between temporaries make it overflow, less at other moments
  // helps too.
  bool lower(const compile::TileLayout& tile) {
    const int64_t ordinals = int64_t(m_e.program.ordinals.size());
    const int64_t gaps = std::max<int64_t>(0, tile.totalBytes - tile.liveLowerBound);
    const std::vector<int64_t> live = liveOn(tile, ordinals);
    const int64_t most = m_memory - tile.alwaysLiveBytes, room = most - gaps;
    if (most < 0) return false;
    // One walk through time: a training with many steps has tens of thousands of temporaries, half of them alive for half of the run.
    std::vector<Change> changes;
    for (const compile::Placement& p : tile.placements)
      if (m_owner[p.storage] != kNobody || m_isCopy[p.storage])
        for (const auto& span : m_e.storage[p.storage].live) {
          changes.push_back({span.begin, p.storage, p.size});
          changes.push_back({std::min(span.end, ordinals), p.storage, -p.size});
        }
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.ordinal < b.ordinal; });
    Taken taken; // at the ordinal at hand
    auto change = changes.begin();
    for (int64_t o = 0; o < ordinals; ++o) {
      for (; change != changes.end() && change->ordinal <= o; ++change) take(taken, *change);
      const int64_t excess = live[std::size_t(o)] - room;
      if (excess + m_memory / kReserve <= 0) continue;
      if (lowerAt(taken.byPlan, excess) || live[std::size_t(o)] <= most) continue;
      if (live[std::size_t(o)] - withoutCopies(taken) > most) return false;
    }
    return true;
  }

  graph::MemoryShares shares() const {
    graph::MemoryShares shares;
    for (const auto& [plan, bytes] : m_bounds)
      shares.emplace(m_e.graph->fullName(m_e.graph->plans()[plan].context), double(bytes) / double(m_memory));
    for (const reports::DebugContextId context : m_noCopies) shares.emplace(m_e.graph->fullName(context), 0.0);
    return shares;
  }

private:
  struct Change {
    int64_t ordinal;
    uint32_t storage;
    int64_t bytes; // below zero: it ends
  };
  struct Taken {
    std::map<std::size_t, int64_t> byPlan;
    std::map<reports::DebugContextId, int64_t> byCopies; // by the context of a function's operand copies
  };

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

  bool isOperandCopy(const compile::Storage& s) const {
    if (s.alwaysLive || !s.variable.valid() || !s.context.valid()) return false;
    const auto& context = m_e.graph->contexts()[s.context.value()];
    return context.kind == "outlining" && context.name == graph::kOperandCopies;
  }

  void take(Taken& taken, const Change& c) const {
    const auto add = [&](auto& sums, const auto& key) {
      const auto sum = sums.emplace(key, 0).first;
      if ((sum->second += c.bytes) == 0) sums.erase(sum);
    };
    if (m_isCopy[c.storage]) add(taken.byCopies, m_e.storage[c.storage].context);
    if (m_owner[c.storage] != kNobody) add(taken.byPlan, m_owner[c.storage]);
  }

  // Every operation that had shared a function gets code of its own without it, which is always there: 12 KiB of a tile for two functions
  // of ResNet-50. So copies go where no plan can give enough back, and small ones stay.
  int64_t withoutCopies(const Taken& taken) {
    int64_t saved = 0;
    for (const auto& [context, bytes] : taken.byCopies) {
      if (bytes < m_memory / kReserve) continue;
      m_noCopies.insert(context);
      saved += bytes;
    }
    return saved;
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
  std::vector<bool> m_isCopy;              // by storage
  std::map<std::size_t, int64_t> m_bounds; // bytes by plan
  std::set<reports::DebugContextId> m_noCopies;
};

} // namespace

graph::MemoryShares sharesToFit(const compile::Executable& executable, const graph::MemoryShares& known) {
  if (executable.allocation.fits()) return {};
  Bounds bounds(executable, known);
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
    next = sharesToFit(again.executable, shares);
    const compile::Allocation &now = again.executable.allocation, &before = best.executable.allocation;
    if (now.fits() || now.maxTileBytes < before.maxTileBytes) best = std::move(again);
  }
  best.plans = plans;
  return best;
}

} // namespace simcore::run
