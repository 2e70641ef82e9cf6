#include "simcore/ops/plan/cut_search.h"

#include <algorithm>
#include <optional>

namespace simcore::ops {

namespace {

// The nodes are divided into at most kMostPlaces stretches (or two per IPU, if more); each has one possible position for a cut.
constexpr std::size_t kMostPlaces = 160;
// Number of limits tried for link cycles at a cut, from the smallest that allows enough cuts to unlimited.
constexpr std::size_t kCrossingLimits = 12;
// Bytes are an estimate, and operations use less memory if tiles overflow (run/fit.h), so a part may need up to kMost of an IPU's
// memory. A cut that fits without this may be slower by kSlowerToFit; one that leaves more free memory, down to kAmple, by
// kSlowerForRoom.
constexpr double kMost = 1.05, kAmple = 0.8;
constexpr double kSlowerToFit = 1.08, kSlowerForRoom = 1.04;
// Limits of bytes change by 1 / kLimitStep from one attempt to the next.
constexpr std::int64_t kLimitStep = 32;
// A cut with one part more than IPUs must be faster by this factor, because it makes the pipeline longer.
constexpr double kWorthSharing = 0.98;
// With more IPUs than this, no IPU is shared: the search would try every begin of the last part on every IPU, and models for that
// many IPUs are faster without sharing.
constexpr int kMostThatShare = 8;

// The last part, if it shares an IPU.
struct Tail {
  std::size_t begin = 0; // the position where it starts
  int ipu = 0;
};

struct Limits {
  std::int64_t cycles = 0, crossing = 0, bytes = 0; // cycles of an IPU, link cycles at a cut position, bytes of an IPU
};

// Sums over the nodes between two positions, by the first and the last position.
using BetweenPlaces = std::vector<std::vector<std::int64_t>>;
struct Sums {
  std::vector<std::int64_t> cycles; // by position: sum of the nodes before it
  BetweenPlaces fixedBytes;         // weights, sums, state, code
  BetweenPlaces keptBytes;          // for one micro-batch
  BetweenPlaces temporaryBytes;
};

// Sums the bytes of items that exist once for all nodes of a part.
class OnceEach {
public:
  explicit OnceEach(std::size_t things) : m_counted(things, false) {}
  bool isFirst(std::size_t thing) {
    const bool first = !m_counted[thing];
    m_counted[thing] = true;
    return first;
  }

private:
  std::vector<bool> m_counted;
};

// Sums over the nodes between any two positions.
class Summing {
public:
  Summing(const NodeCosts& costs, const std::vector<std::size_t>& places)
      : m_costs(costs), m_places(places), m_weightsOf(costs.nodes()) {
    for (std::size_t w = 0; w < costs.weights.size(); ++w)
      for (const std::size_t reader : costs.weights[w].readers) m_weightsOf[reader].push_back(w);
    for (const std::size_t place : places) {
      const auto [begin, end] = place < costs.nodes() ? costs.layerOf[place] : std::pair(place, place);
      m_ofLayerBefore.push_back(codeOf(begin, place));
      m_ofLayerBehind.push_back(begin < place ? codeOf(place, end) : 0);
    }
  }

  Sums sums(const NodeCosts::Passes& passes) const {
    Sums sums;
    sums.cycles.assign(m_places.size(), 0);
    for (std::size_t p = 1; p < m_places.size(); ++p) {
      sums.cycles[p] = sums.cycles[p - 1];
      for (std::size_t i = m_places[p - 1]; i < m_places[p]; ++i) sums.cycles[p] += passes.cycles[i];
    }
    sums.fixedBytes.assign(m_places.size(), std::vector<std::int64_t>(m_places.size(), 0));
    sums.keptBytes = sums.temporaryBytes = sums.fixedBytes;
    for (std::size_t begin = 0; begin + 1 < m_places.size(); ++begin) addBytesFrom(begin, passes, sums);
    return sums;
  }

private:
  std::int64_t codeOf(std::size_t begin, std::size_t end) const {
    std::int64_t bytes = 0;
    for (std::size_t i = begin; i < end; ++i)
      for (const std::size_t kind : m_costs.codeOf[i]) bytes += m_costs.codeBytes[kind];
    return bytes;
  }

  void addBytesFrom(std::size_t begin, const NodeCosts::Passes& passes, Sums& sums) const {
    OnceEach weights(m_costs.weights.size()), kinds(m_costs.codeBytes.size()), values(passes.keptBytes.size());
    std::int64_t fixed = 0, kept = 0, temporary = 0;
    for (std::size_t end = begin + 1; end < m_places.size(); ++end) {
      for (std::size_t i = m_places[end - 1]; i < m_places[end]; ++i) {
        temporary = std::max(temporary, passes.temporaryBytes[i]);
        for (const std::size_t w : m_weightsOf[i])
          if (weights.isFirst(w)) {
            const NodeCosts::Weight& weight = m_costs.weights[w];
            const bool isHome = weight.readers.front() >= m_places[begin];
            fixed += isHome ? weight.homeBytes : weight.copyBytes;
            if (isHome) temporary = std::max(temporary, weight.updateBytes);
          }
        for (const std::size_t kind : m_costs.codeOf[i])
          if (kinds.isFirst(kind)) fixed += m_costs.codeBytes[kind];
        for (const std::size_t value : passes.keptBy[i])
          if (values.isFirst(value)) kept += passes.keptBytes[value];
      }
      sums.fixedBytes[begin][end] = fixed + m_ofLayerBehind[begin] + m_ofLayerBefore[end];
      sums.keptBytes[begin][end] = kept;
      sums.temporaryBytes[begin][end] = temporary;
    }
  }

  const NodeCosts& m_costs;
  const std::vector<std::size_t>& m_places;
  std::vector<std::vector<std::size_t>> m_weightsOf;          // by node
  std::vector<std::int64_t> m_ofLayerBefore, m_ofLayerBehind; // by position: code of the cut layer before and after it
};

class CutSearch {
public:
  CutSearch(const NodeCosts& costs, const CutWish& wish) : m_costs(costs), m_wish(wish) {
    choosePlaces();
    const Summing summing(costs, m_places);
    m_inner = summing.sums(costs.inner);
    m_last = summing.sums(costs.last);
    for (std::size_t i = 0; i < costs.nodes(); ++i) m_leastCycles += std::min(costs.inner.cycles[i], costs.last.cycles[i]);
    for (const NodeCosts::Weight& weight : m_costs.weights)
      if (weight.readers.size() > 1) m_tied.push_back(&weight);
    for (std::size_t p = 1; p < last(); ++p) m_crossings.push_back(m_costs.crossing[m_places[p]]);
    std::sort(m_crossings.begin(), m_crossings.end());
  }

  FoundCut search() const {
    if (m_wish.ipus < 2) return {std::vector<int>(m_costs.nodes(), 0), {0}};
    std::int64_t limit = std::int64_t(kMost * double(m_wish.memoryBytes));
    Cut best = bestBelow(limit);
    while (best.ends.empty()) best = bestBelow(limit += 1 + limit / kLimitStep);
    Cut fitting = bestBelow(m_wish.memoryBytes);
    if (!fitting.ends.empty() && fitting.time <= best.time * kSlowerToFit) {
      best = std::move(fitting);
      limit = m_wish.memoryBytes;
    }
    // Bytes are an estimate, so one more step of the limits is allowed.
    const std::int64_t keep = m_wish.bytesToKeep + m_wish.bytesToKeep / kLimitStep;
    if (keep > 0 && keep < limit)
      if (Cut small = bestBelow(keep); !small.ends.empty()) {
        best = std::move(small);
        limit = keep;
      }
    leaveRoom(best, limit);
    return placed(cutBelow(best.tail, best.limits, true));
  }

private:
  struct Cut {
    std::vector<std::size_t> ends; // by part: the position of its end; empty: no cut
    std::optional<Tail> tail;
    Limits limits;   // limits that the cut stays below; `cycles`: of its slowest IPU
    double time = 0; // cycles of a run of the pipeline
  };

  // Among cuts with about the same time, prefers the one whose fullest IPU needs least memory.
  void leaveRoom(Cut& best, std::int64_t limit) const {
    const double slowest = best.time * kSlowerForRoom;
    while (double(limit -= limit / kLimitStep) > kAmple * double(m_wish.memoryBytes)) {
      Cut cut = bestBelow(limit);
      if (cut.ends.empty() || cut.time > slowest) return;
      best = std::move(cut);
    }
  }

  // Chooses in every stretch the begin of a layer, else the position with the least link traffic.
  void choosePlaces() {
    const std::size_t nodes = m_costs.nodes();
    const std::size_t stretches = std::min(nodes, std::max(kMostPlaces, std::size_t(2 * m_wish.ipus)));
    const auto badness = [&](std::size_t node) { return std::pair(m_costs.layerOf[node].first != node, m_costs.crossing[node]); };
    m_places = {0};
    for (std::size_t s = 0; s < stretches; ++s) {
      const std::size_t begin = std::max<std::size_t>(1, nodes * s / stretches), end = nodes * (s + 1) / stretches;
      std::size_t best = begin;
      for (std::size_t node = begin + 1; node < end; ++node)
        if (badness(node) < badness(best)) best = node;
      if (begin < end) m_places.push_back(best);
    }
    m_places.push_back(nodes);
  }
  std::size_t last() const { return m_places.size() - 1; }

  int parts(const std::optional<Tail>& tail) const { return m_wish.ipus + (tail ? 1 : 0); }
  // Cycles of a run of the pipeline (ops::StageRoutes); without a pipeline the IPUs work in turn.
  std::int64_t rounds(int parts) const {
    if (!m_wish.isPipeline) return 1;
    return m_wish.microBatches + (m_wish.isTraining ? 2 : 1) * (std::int64_t(parts) - 1);
  }
  // Micro-batches whose values a part keeps until its backward pass: 2 (number of later parts) + 1 (ops::StageRoutes).
  std::int64_t entries(std::size_t part, int parts) const {
    if (!m_wish.isTraining) return 0;
    return m_wish.isPipeline ? 2 * (parts - 1 - std::int64_t(part)) + 1 : 1;
  }

  const Sums& sumsAt(std::size_t end) const { return end == last() ? m_last : m_inner; }
  std::int64_t cyclesOf(std::size_t begin, std::size_t end) const {
    const Sums& sums = sumsAt(end);
    return sums.cycles[end] - sums.cycles[begin];
  }
  bool cutsLayer(std::size_t place) const { return place < last() && m_costs.layerOf[m_places[place]].first != m_places[place]; }
  // Bytes that stay on an IPU for a part.
  std::int64_t lastingBytes(std::size_t part, int parts, std::size_t begin, std::size_t end) const {
    const Sums& sums = sumsAt(end);
    return sums.fixedBytes[begin][end] + entries(part, parts) * sums.keptBytes[begin][end];
  }
  // Bytes on the IPU of a part, including the tail if it is on this IPU.
  std::int64_t bytesOf(std::size_t part, const std::optional<Tail>& tail, std::size_t begin, std::size_t end) const {
    const int all = parts(tail);
    std::int64_t lasting = lastingBytes(part, all, begin, end), temporary = sumsAt(end).temporaryBytes[begin][end];
    const bool withTail = tail && tail->ipu == int(part);
    if (withTail) {
      lasting += lastingBytes(std::size_t(all) - 1, all, tail->begin, last());
      temporary = std::max(temporary, m_last.temporaryBytes[tail->begin][last()]);
    }
    const std::size_t first = m_places[begin], behind = m_places[end], tailFirst = m_places[withTail ? tail->begin : last()];
    for (const NodeCosts::Weight* weight : m_tied) {
      const auto& readers = weight->readers;
      const auto own = std::lower_bound(readers.begin(), readers.end(), first);
      if (own == readers.end() || *own >= behind) continue;
      if (readers.back() >= tailFirst) lasting -= weight->copyBytes; // the tail needs no separate copy
      // During the update, the sums of readers on other IPUs arrive.
      const auto other = std::lower_bound(own, readers.end(), behind);
      if (own == readers.begin() && other != readers.end() && *other < tailFirst)
        temporary = std::max(temporary, weight->updateBytes + weight->copyBytes);
    }
    return lasting + temporary;
  }

  // The cut with the fastest slowest IPU among cuts within the limits, without its time; empty if there is none. With `inLayers`,
  // the cut that cuts the fewest layers instead. The best way to end part p at a position follows from the best ways of part p -
  // 1.
  Cut cutBelow(const std::optional<Tail>& tail, const Limits& limits, bool inLayers = false) const {
    const std::size_t end = tail ? tail->begin : last(), parts = std::size_t(m_wish.ipus);
    const auto mayCut = [&](std::size_t place) {
      return place == last() || m_costs.crossing[m_places[place]] <= limits.crossing;
    };
    const std::int64_t tailCycles = tail ? cyclesOf(tail->begin, last()) : 0;
    const std::int64_t leastCycles = tail ? cyclesOf(0, end) + tailCycles : m_leastCycles;
    if (end < parts || !mayCut(end) || leastCycles > limits.cycles * m_wish.ipus) return {};
    struct Way {
      std::int64_t cutLayers = INT64_MAX, slowest = INT64_MAX;
      std::size_t begin = 0; // begin of the part that ends here
    };
    std::vector<std::vector<Way>> ways(parts + 1, std::vector<Way>(end + 1));
    ways[0][0] = {0, 0, 0};
    for (std::size_t p = 0; p < parts; ++p)
      for (std::size_t begin = p; begin < end; ++begin) {
        if (ways[p][begin].slowest > limits.cycles) continue;
        const std::int64_t more = tail && tail->ipu == int(p) ? tailCycles : 0;
        const bool isLast = p + 1 == parts;
        for (std::size_t e = isLast ? end : begin + 1; e < end + isLast; ++e) {
          const std::int64_t cycles = more + cyclesOf(begin, e), worst = std::max(cycles, ways[p][begin].slowest);
          if (cycles > limits.cycles) break;
          const std::int64_t cut = inLayers ? ways[p][begin].cutLayers + cutsLayer(e) : 0;
          Way& way = ways[p + 1][e];
          if (std::pair(cut, worst) < std::pair(way.cutLayers, way.slowest) && mayCut(e) &&
              bytesOf(p, tail, begin, e) <= limits.bytes)
            way = {cut, worst, begin};
        }
      }
    const std::int64_t slowest = ways[parts][end].slowest;
    if (slowest > limits.cycles) return {};
    Cut cut{std::vector<std::size_t>(parts), tail, {slowest, limits.crossing, limits.bytes}, 0};
    std::size_t at = end;
    for (std::size_t p = parts; p-- > 0;) {
      cut.ends[p] = at;
      at = ways[p + 1][at].begin;
    }
    if (tail) cut.ends.push_back(last());
    return cut;
  }

  // The fastest cut whose IPUs hold at most this number of bytes.
  Cut bestBelow(std::int64_t bytes) const {
    Cut best;
    improve(best, std::nullopt, bytes);
    const int most = parts(Tail{});
    const bool canShare =
        m_wish.isPipeline && m_wish.ipus <= kMostThatShare && m_wish.microBatches >= (m_wish.isTraining ? 2 * most - 1 : most);
    if (!canShare) return best;
    for (std::size_t begin = std::size_t(m_wish.ipus); begin < last(); ++begin)
      for (int ipu = 0; ipu + 1 < m_wish.ipus; ++ipu) improve(best, Tail{begin, ipu}, bytes);
    return best;
  }

  // A cycle of a pipeline is the time of its slowest IPU plus that of its busiest link: looks for a cut with a lower sum of these
  // times.
  void improve(Cut& best, const std::optional<Tail>& tail, std::int64_t bytes) const {
    const std::int64_t all = std::max(m_inner.cycles.back(), m_last.cycles.back()), count = rounds(parts(tail));
    const auto cyclesToBeat = [&](std::int64_t crossing) {
      if (best.ends.empty()) return all;
      const double time = tail && !best.tail ? best.time * kWorthSharing : best.time;
      return std::int64_t(time / double(count)) - crossing - 1;
    };
    if (cutBelow(tail, {cyclesToBeat(0), crossingLimit(kCrossingLimits), bytes}).ends.empty()) return;
    for (std::size_t i = 0; i <= kCrossingLimits; ++i) {
      const std::int64_t crossing = crossingLimit(i);
      Cut cut = cutBelow(tail, {cyclesToBeat(crossing), crossing, bytes});
      if (cut.ends.empty()) continue;
      best = std::move(cut);
      best.time = double(count) * double(best.limits.cycles + crossing);
    }
  }
  std::int64_t crossingLimit(std::size_t i) const {
    if (m_crossings.empty()) return 0; // a single node
    const std::size_t first = std::min(m_crossings.size() - 1, std::size_t(std::max(0, m_wish.ipus - 2)));
    return m_crossings[first + (m_crossings.size() - 1 - first) * i / kCrossingLimits];
  }

  FoundCut placed(const Cut& cut) const {
    FoundCut found;
    for (std::size_t p = 0; p < cut.ends.size(); ++p) {
      found.partOfNode.resize(m_places[cut.ends[p]], int(p));
      found.ipuOfPart.push_back(p < std::size_t(m_wish.ipus) ? int(p) : cut.tail->ipu);
      if (p < std::size_t(m_wish.ipus))
        found.mostBytes = std::max(found.mostBytes, bytesOf(p, cut.tail, p ? cut.ends[p - 1] : 0, cut.ends[p]));
    }
    return found;
  }

  const NodeCosts& m_costs;
  const CutWish& m_wish;
  std::vector<std::size_t> m_places; // nodes before which a cut is possible, and the number of nodes
  Sums m_inner, m_last;
  std::int64_t m_leastCycles = 0; // of all nodes, each in the part where it costs least: no cut without a tail needs fewer
  std::vector<const NodeCosts::Weight*> m_tied; // weights that several nodes read
  std::vector<std::int64_t> m_crossings;        // link cycles of the possible cuts, ascending
};

} // namespace

FoundCut searchCut(const NodeCosts& costs, const CutWish& wish) { return CutSearch(costs, wish).search(); }

} // namespace simcore::ops
