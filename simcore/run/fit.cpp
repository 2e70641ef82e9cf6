#include "simcore/run/fit.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace simcore::run {

namespace {

// An operation keeps at least 1/8 of its bytes: with less, its plan would need too many serial slices.
constexpr int64_t kLeastPart = 8;

// Limits of the bytes of each planned operation; each overflowing tile may lower them.
class Bounds {
public:
  Bounds(const compile::Executable& e, const graph::MemoryShares& known, int64_t reserve)
      : m_e(e), m_memory(e.graph->machine().tile.memory.value()), m_reserve(m_memory / reserve),
        m_planOf(planOfContexts(*e.graph)) {
    for (const compile::Storage& s : e.storage) {
      m_owner.push_back(ownerOf(s));
      m_isCopy.push_back(isOperandCopy(s) && !known.count(e.graph->fullName(s.context)));
    }
  }

  // Lowers the limits for a tile. Returns false if the tile overflows even if all operations take less. If the tile only
  // overflows because of `gaps` bytes between temporaries, less memory at other steps helps too.
  bool lower(const compile::TileLayout& tile, int64_t gaps) {
    const int64_t ordinals = int64_t(m_e.program.ordinals.size());
    const std::vector<int64_t> live = liveOn(tile, ordinals);
    const int64_t most = m_memory - tile.alwaysLiveBytes, room = most - gaps;
    if (most < 0) return false;
    // Walks once through time, because a training with many steps has tens of thousands of temporaries, half of them live during
    // half of the run.
    const std::vector<Change> changes = changesOn(tile, ordinals);
    const std::vector<int64_t> peaks = peaksOf(changes);
    Taken taken{std::vector<int64_t>(peaks.size()), {}}; // bytes by plan at the current ordinal
    auto change = changes.begin();
    for (int64_t o = 0; o < ordinals; ++o) {
      for (; change != changes.end() && change->ordinal <= o; ++change) take(taken, *change);
      const int64_t excess = live[std::size_t(o)] - room;
      if (excess + m_reserve <= 0) continue;
      if (lowerAt(taken.byPlan, peaks, excess) || live[std::size_t(o)] <= most) continue;
      if (live[std::size_t(o)] - withoutCopies(taken) > most) return false;
    }
    return true;
  }

  // Records how much more each plan may take: the bytes that are always free on this tile while the plan's temporary data is
  // live. `gaps` bytes stay between temporaries.
  void raise(const compile::TileLayout& tile, int64_t gaps) {
    const int64_t ordinals = int64_t(m_e.program.ordinals.size());
    const std::vector<int64_t> live = liveOn(tile, ordinals);
    const int64_t room = m_memory - tile.alwaysLiveBytes - gaps;
    std::vector<Change> changes = changesOn(tile, ordinals);
    const std::vector<int64_t> peaks = peaksOf(changes);
    for (std::size_t plan = 0; plan < peaks.size(); ++plan)
      if (peaks[plan] > 0) m_peaks[plan] = std::max(m_peaks[plan], peaks[plan]);
    std::vector<int64_t> taken(peaks.size());
    std::set<std::size_t> running;
    auto change = changes.begin();
    for (int64_t o = 0; o < ordinals; ++o) {
      for (; change != changes.end() && change->ordinal <= o; ++change) {
        const std::size_t plan = m_owner[change->storage];
        if (plan == kNobody) continue;
        if ((taken[plan] += change->bytes) > 0)
          running.insert(plan);
        else
          running.erase(plan);
      }
      const int64_t free = std::max<int64_t>(0, room - live[std::size_t(o)]);
      for (const std::size_t plan : running) {
        const double factor = 1 + double(free) / double(taken[plan]);
        const auto [known, isNew] = m_factors.emplace(plan, factor);
        known->second = std::min(known->second, factor);
      }
    }
  }

  // The shares in `known` that may grow by at least an eighth if they get `part` (0 to 1) of the free bytes.
  graph::MemoryShares raisedShares(const graph::MemoryShares& known, double part) const {
    constexpr double kWorthwhile = 1.125;
    graph::MemoryShares raised;
    for (const auto& [plan, factor] : m_factors) {
      const std::string name = m_e.graph->fullName(m_e.graph->plans()[plan].context);
      const double share = (1 + (factor - 1) * part) * double(m_peaks.at(plan)) / double(m_memory);
      if (const auto found = known.find(name); found != known.end() && share > found->second * kWorthwhile) raised[name] = share;
    }
    return raised;
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
    int64_t bytes; // negative if the data ends here
  };
  struct Taken {
    std::vector<int64_t> byPlan;
    std::map<reports::DebugContextId, int64_t> byCopies; // for operand copies of functions, by the copy's context
  };

  static constexpr std::size_t kNobody = SIZE_MAX;

  static std::vector<std::size_t> planOfContexts(const graph::Graph& graph) {
    std::vector<std::size_t> planOf(graph.contexts().size(), kNobody);
    for (std::size_t p = 0; p < graph.plans().size(); ++p)
      if (graph.plans()[p].temporary.value() > 0) planOf[graph.plans()[p].context.value()] = p;
    for (std::size_t c = 0; c < planOf.size(); ++c) // parents have lower indices than their children
      if (const auto parent = graph.contexts()[c].parent; planOf[c] == kNobody && parent.valid())
        planOf[c] = planOf[parent.value()];
    return planOf;
  }

  // The plan that determined the size of this storage, or kNobody. Results have the context of their plan too, but no planned
  // size.
  std::size_t ownerOf(const compile::Storage& s) const {
    if (s.alwaysLive || !s.variable.valid() || !s.context.valid()) return kNobody;
    return m_e.graph->variable(s.variable).extraBytes.empty() ? kNobody : m_planOf[s.context.value()];
  }

  bool isOperandCopy(const compile::Storage& s) const {
    if (s.alwaysLive || !s.variable.valid() || !s.context.valid()) return false;
    const auto& context = m_e.graph->contexts()[s.context.value()];
    return context.kind == "CallCopy" && context.name == graph::kOperandCopies;
  }

  void take(Taken& taken, const Change& c) const {
    if (m_isCopy[c.storage]) {
      const auto sum = taken.byCopies.emplace(m_e.storage[c.storage].context, 0).first;
      if ((sum->second += c.bytes) == 0) taken.byCopies.erase(sum);
    }
    if (m_owner[c.storage] != kNobody) taken.byPlan[m_owner[c.storage]] += c.bytes;
  }

  // Bytes saved by lowering without shared functions. Every operation that shared a function then gets its own code, which is
  // always live: 12 KiB per tile for two functions of ResNet-50. So copies are only dropped if no plan can give back enough, and
  // small copies stay.
  int64_t withoutCopies(const Taken& taken) {
    int64_t saved = 0;
    for (const auto& [context, bytes] : taken.byCopies) {
      if (bytes < m_reserve) continue;
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

  std::vector<Change> changesOn(const compile::TileLayout& tile, int64_t ordinals) const {
    std::vector<Change> changes;
    for (const compile::Placement& p : tile.placements)
      if (m_owner[p.storage] != kNobody || m_isCopy[p.storage])
        for (const auto& span : m_e.storage[p.storage].live) {
          changes.push_back({span.begin, p.storage, p.size});
          changes.push_back({std::min(span.end, ordinals), p.storage, -p.size});
        }
    inOrder(changes, ordinals);
    return changes;
  }

  // Sorts by ordinal, with ends before begins, so that no partial sum exceeds the sum at its ordinal. A counting sort, because a
  // model that overflows needs this on a thousand tiles.
  static void inOrder(std::vector<Change>& changes, int64_t ordinals) {
    const auto bucket = [](const Change& c) { return std::size_t(2 * c.ordinal + (c.bytes > 0)); };
    std::vector<uint32_t> next(std::size_t(2 * ordinals) + 3, 0);
    for (const Change& c : changes) ++next[bucket(c) + 1];
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    std::vector<Change> sorted(changes.size());
    for (const Change& c : changes) sorted[next[bucket(c)]++] = c;
    changes.swap(sorted);
  }

  // The most bytes of each plan over all ordinals.
  std::vector<int64_t> peaksOf(const std::vector<Change>& changes) const {
    std::vector<int64_t> now(m_e.graph->plans().size(), 0), peaks(now.size(), 0);
    for (const Change& c : changes)
      if (const std::size_t plan = m_owner[c.storage]; plan != kNobody) peaks[plan] = std::max(peaks[plan], now[plan] += c.bytes);
    return peaks;
  }

  // The operation with the most bytes at this ordinal must give back the excess. If only the reserve is missing, an operation
  // must do so only at its own peak, because at other ordinals a smaller plan would give back too little for its cost.
  bool lowerAt(const std::vector<int64_t>& taken, const std::vector<int64_t>& peaks, int64_t excess) {
    const auto most = std::max_element(taken.begin(), taken.end());
    if (most == taken.end() || *most == 0) return false;
    const auto plan = std::size_t(most - taken.begin());
    if (excess <= 0 && *most < peaks[plan]) return false;
    const int64_t bound = *most - excess - m_reserve;
    if (bound < *most / kLeastPart) return false;
    const auto [known, isNew] = m_bounds.emplace(plan, bound);
    known->second = std::min(known->second, bound);
    return true;
  }

  const compile::Executable& m_e;
  const int64_t m_memory, m_reserve;
  const std::vector<std::size_t> m_planOf; // by context
  std::vector<std::size_t> m_owner;        // by storage
  std::vector<bool> m_isCopy;              // by storage
  std::map<std::size_t, int64_t> m_bounds; // bytes by plan
  std::map<std::size_t, int64_t> m_peaks;  // the most bytes of a tile by plan
  std::map<std::size_t, double> m_factors; // factors by which plans may grow
  std::set<reports::DebugContextId> m_noCopies;
};

// Predicted cycles of each operation, by the name of its share.
std::map<std::string, int64_t> predictedCycles(const graph::Graph& graph) {
  std::map<std::string, int64_t> cycles;
  for (const graph::Plan& plan : graph.plans()) cycles[graph.fullName(plan.context)] += plan.predicted.value();
  return cycles;
}

// One attempt: the requested shares, and the predicted cycles of each operation.
struct Trial {
  graph::MemoryShares shares;
  std::map<std::string, int64_t> cycles;
};

int64_t cyclesIn(const std::map<std::string, int64_t>& cycles, const std::string& name) {
  const auto found = cycles.find(name);
  return found == cycles.end() ? 0 : found->second;
}

// The shares without the last reduction of the operation that lost most cycles. Empty if no operation takes more than twice the
// cycles of its first plan.
std::optional<graph::MemoryShares> withoutDearest(const std::vector<Trial>& trials, const Trial& last) {
  std::string dearest;
  int64_t most = 0;
  for (const auto& [name, share] : last.shares) {
    const int64_t more = cyclesIn(last.cycles, name) - cyclesIn(trials.front().cycles, name);
    if (more > most) most = more, dearest = name;
  }
  if (most <= cyclesIn(trials.front().cycles, dearest)) return {};
  graph::MemoryShares shares = last.shares;
  for (auto before = trials.rbegin(); before != trials.rend(); ++before) {
    const auto share = before->shares.find(dearest);
    if (share == before->shares.end()) {
      shares.erase(dearest);
      return shares;
    }
    if (share->second > last.shares.at(dearest)) {
      shares[dearest] = share->second;
      return shares;
    }
  }
  return {};
}

// The free bytes of a program that fits, for operations whose memory was reduced.
Bounds freeFor(const compile::Executable& executable, const graph::MemoryShares& known) {
  Bounds bounds(executable, known, kReservePart);
  for (const compile::TileLayout& tile : executable.allocation.layouts)
    bounds.raise(tile, std::max<int64_t>(0, tile.totalBytes - tile.liveLowerBound));
  return bounds;
}

} // namespace

graph::MemoryShares sharesToFit(const compile::Executable& executable, const graph::MemoryShares& known, Gaps gaps,
                                int64_t reserve) {
  if (executable.allocation.fits()) return {};
  Bounds bounds(executable, known, reserve);
  const auto& layouts = executable.allocation.layouts;
  const int64_t memory = executable.graph->machine().tile.memory.value();
  // The allocator closes gaps only if, on every tile, all data live at the same time fits (allocate.cpp).
  const bool isTooMuchAlive =
      std::any_of(layouts.begin(), layouts.end(), [&](const auto& tile) { return tile.liveLowerBound > memory; });
  for (const compile::TileLayout& tile : layouts) {
    const int64_t between =
        gaps == Gaps::MayClose && isTooMuchAlive ? 0 : std::max<int64_t>(0, tile.totalBytes - tile.liveLowerBound);
    if (tile.overflowBytes > 0 && !bounds.lower(tile, between)) return {};
  }
  return bounds.shares();
}

namespace {

// One search for plans that fit.
class Fitting {
public:
  Fitting(const Replanning& replanning, const std::function<compile::Executable(const graph::Workload&)>& compile,
          const graph::Workload& workload)
      : m_replanning(replanning), m_compile(compile), m_given(workload) {
    m_best.executable = compile(workload);
    m_trials.push_back({{}, predictedCycles(*m_best.executable.graph)});
  }

  FittedProgram run() {
    if (m_replanning.build && m_replanning.most > 0 && !fits()) {
      std::map<int64_t, graph::MemoryShares, std::greater<>> generous; // by the part of memory that stays free
      for (int64_t part = kReservePart * 7 / 8; part >= kReservePart / 2; part -= kReservePart / 8)
        generous[part] = sharesToFit(m_best.executable, {}, Gaps::MayClose, part);
      lower();
      if (!fits()) lowerStrictly();
      for (const auto& [part, shares] : generous)
        if (!fits() && lacksLittle()) lowerGenerously(shares, part);
      if (m_plans > 1) takeBack();
    }
    // A program that does not fit keeps its first plan, so that the result does not depend on the number of attempts. It is
    // compiled again, because keeping it during the search would need too much of the host's memory.
    if (!fits() && m_best.workload) {
      m_best = {};
      m_best.executable = m_compile(m_given);
    }
    m_best.plans = m_plans;
    return std::move(m_best);
  }

private:
  bool fits() const { return m_best.executable.allocation.fits(); }

  FittedProgram planned(const graph::MemoryShares& shares) {
    FittedProgram again;
    again.workload = m_replanning.build(shares);
    again.executable = m_compile(*again.workload);
    again.shares = shares;
    m_trials.push_back({shares, predictedCycles(*again.executable.graph)});
    ++m_plans;
    return again;
  }

  static graph::MemoryShares lowest(graph::MemoryShares shares, const graph::MemoryShares& next) {
    for (const auto& [operation, share] : next) {
      const auto [known, isNew] = shares.emplace(operation, share);
      known->second = std::min(known->second, share);
    }
    return shares;
  }

  void keepBetter(FittedProgram again) {
    const compile::Allocation &now = again.executable.allocation, &before = m_best.executable.allocation;
    if (now.fits() || now.maxTileBytes < before.maxTileBytes) m_best = std::move(again);
  }

  // Requests the smallest reduction that may suffice.
  void lower() {
    graph::MemoryShares shares, next = sharesToFit(m_best.executable);
    for (int i = 0; i < m_replanning.most && !fits() && !next.empty(); ++i) {
      shares = lowest(shares, next);
      FittedProgram again = planned(shares);
      next = sharesToFit(again.executable, shares);
      if (i == 0) {
        m_strict = sharesToFit(again.executable, shares, Gaps::Stay);
        if (!m_strict.empty()) m_strict = lowest(shares, m_strict);
      }
      keepBetter(std::move(again));
    }
  }

  // Assumes, from the second plan on, that all gaps stay, so more operations must give back more bytes.
  void lowerStrictly() {
    graph::MemoryShares shares = m_strict;
    for (int i = 1; i < m_replanning.most && !fits() && !shares.empty(); ++i) {
      FittedProgram again = planned(shares);
      const graph::MemoryShares next = sharesToFit(again.executable, shares, Gaps::Stay);
      shares = next.empty() ? graph::MemoryShares() : lowest(shares, next);
      keepBetter(std::move(again));
    }
  }

  bool lacksLittle() const {
    const int64_t memory = m_best.executable.graph->machine().tile.memory.value();
    return m_best.executable.allocation.maxTileBytes - memory <= memory / kReservePart;
  }

  // Starts again from the first plan with a larger reserve: if a few bytes are missing, the reductions were often too small.
  void lowerGenerously(graph::MemoryShares shares, int64_t part) {
    for (int i = 0; i < m_replanning.most && !fits() && !shares.empty(); ++i) {
      FittedProgram again = planned(shares);
      const graph::MemoryShares next = sharesToFit(again.executable, shares, Gaps::MayClose, part);
      shares = next.empty() ? graph::MemoryShares() : lowest(shares, next);
      keepBetter(std::move(again));
    }
  }

  // A plan that fits may have lost more cycles than necessary. Gives back free bytes, then removes the most expensive reduction
  // while the program still fits.
  void takeBack() {
    if (!fits()) return;
    for (int i = 0; i < m_replanning.most && giveBack(); ++i) {
    }
    for (int i = 0; i < m_replanning.most; ++i) {
      const auto fewer = withoutDearest(m_trials, {m_best.shares, predictedCycles(*m_best.executable.graph)});
      if (!fewer || !takesIfBetter(*fewer)) return;
    }
  }

  // Gives back bytes to all operations at once. Returns false if this saves less than 1/50 of the cycles.
  bool giveBack() {
    const int64_t before = totalOf(predictedCycles(*m_best.executable.graph));
    const Bounds bounds = freeFor(m_best.executable, m_best.shares);
    for (const double part : {1.0, 0.5, 0.25}) { // smaller parts too, because another plan has other gaps
      const graph::MemoryShares raised = bounds.raisedShares(m_best.shares, part);
      if (raised.empty()) return false;
      graph::MemoryShares shares = m_best.shares;
      for (const auto& [name, share] : raised) shares[name] = share;
      if (takesIfBetter(shares)) return totalOf(m_trials.back().cycles) <= before - before / 50;
    }
    return false;
  }

  // Plans with these shares. If the program fits and is expected to be faster, it becomes the best one.
  bool takesIfBetter(const graph::MemoryShares& shares) {
    FittedProgram again = planned(shares);
    const bool isBetter = again.executable.allocation.fits() &&
                          totalOf(m_trials.back().cycles) < totalOf(predictedCycles(*m_best.executable.graph));
    if (isBetter) m_best = std::move(again);
    return isBetter;
  }

  static int64_t totalOf(const std::map<std::string, int64_t>& cycles) {
    int64_t total = 0;
    for (const auto& [name, each] : cycles) total += each;
    return total;
  }

  const Replanning& m_replanning;
  const std::function<compile::Executable(const graph::Workload&)>& m_compile;
  const graph::Workload& m_given;
  FittedProgram m_best;
  std::vector<Trial> m_trials; // in the order of compilation
  graph::MemoryShares m_strict;
  int m_plans = 1;
};

} // namespace

FittedProgram compileToFit(const graph::Workload& workload, const Replanning& replanning,
                           const std::function<compile::Executable(const graph::Workload&)>& compile) {
  return Fitting(replanning, compile, workload).run();
}

} // namespace simcore::run
