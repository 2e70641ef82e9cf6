#include "simcore/samples/x_drop.h"

#include "simcore/samples/compiled_loop.h"
#include "simcore/samples/sample_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <queue>
#include <random>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

namespace {

constexpr int32_t kDropped = INT32_MIN / 2;

// The live cells of an antidiagonal; cell i ends at base i of `a`.
struct Window {
  int64_t first = 0, last = -1;
  std::vector<int32_t> scores; // scores of the cells from `first` on
  bool empty() const { return last < first; }
  int32_t at(int64_t i) const { return i < first || i > last ? kDropped : scores[std::size_t(i - first)]; }
};

// Instructions per cell of the inner loop: load two bases, two scores and the score kept from the step before; a comparison and a
// select, four sums and maxima, the drop test and its select, the best score so far. Per antidiagonal: its bounds, and the
// rotation of three pointers.
constexpr CompiledLoop kCells{.loads = 4, .stores = 1, .floatOperations = 9, .addressing = 1, .perCell = 1, .perRow = 30};

std::vector<uint8_t> reversed(const std::vector<uint8_t>& v, int64_t end) { return {v.rend() - end, v.rend()}; }
std::vector<uint8_t> behind(const std::vector<uint8_t>& v, int64_t begin) { return {v.begin() + begin, v.end()}; }

// Extends both sides of the seed.
Extension aligned(const SeededPair& p, int32_t drop, int64_t room) {
  const Extension left = extend(reversed(p.a, p.seedA), reversed(p.b, p.seedB), drop, room),
                  right = extend(behind(p.a, p.seedA + SeededPair::kSeed), behind(p.b, p.seedB + SeededPair::kSeed), drop, room);
  return {left.score + right.score + int32_t(SeededPair::kSeed), left.cells + right.cells,
          left.antidiagonals + right.antidiagonals};
}

// The length of the longest antidiagonal of a pair.
int64_t longestOf(const SeededPair& p) { return std::int64_t(std::min(p.a.size(), p.b.size())) + 1; }

class Aligning {
public:
  Aligning(MeasuredGraph& g, std::vector<SeededPair> pairs, int32_t drop, int64_t window, int64_t tiles, bool longestFirst)
      : m_g(g), m_pairs(std::move(pairs)), m_drop(drop), m_window(window) {
    const int64_t workers = std::min(tiles * g.machine().tile.workers, count());
    m_ofWorker.resize(std::size_t(workers));
    longestFirst ? dealLongestFirst(tiles) : dealInOrder(tiles);
  }

  Tensor build() {
    addCodelet();
    const Tensor a = sequences("a", &SeededPair::a), b = sequences("b", &SeededPair::b);
    const Tensor facts = dealt("pairs", ElementType::Int32, 4, [](const Share&) { return int64_t(1); });
    std::vector<int32_t> values;
    forEachPair([&](const SeededPair& p) {
      for (const int64_t v : {int64_t(p.a.size()), int64_t(p.b.size()), p.seedA, p.seedB}) values.push_back(int32_t(v));
    });
    m_g.initialise(facts, [value = HostTensor::vector(values)] { return value; });
    const Tensor scores = dealt("scores", ElementType::Int32, 1, [](const Share&) { return int64_t(1); });
    const ComputeSetId set = m_g.graph().addComputeSet("align", m_g.context());
    Place at;
    for (const Worker& w : m_ofWorker) addVertex(set, w, a, b, facts, scores, at);
    m_g.main().add(program::execute(set, m_g.context()));
    return inOrder(scores);
  }

private:
  struct Worker {
    int64_t tile = 0, work = 0;
    std::vector<std::size_t> pairs;
  };
  struct Place { // positions in the variables, which are ordered by worker
    int64_t a = 0, b = 0, pair = 0;
  };
  using Share = SeededPair;

  int64_t count() const { return int64_t(m_pairs.size()); }

  // Gives each worker the same number of pairs, in the given order.
  void dealInOrder(int64_t tiles) {
    const auto workers = int64_t(m_ofWorker.size());
    for (int64_t w = 0; w < workers; ++w) {
      m_ofWorker[std::size_t(w)].tile = w * tiles / workers;
      for (int64_t i = w * count() / workers; i < (w + 1) * count() / workers; ++i)
        m_ofWorker[std::size_t(w)].pairs.push_back(std::size_t(i));
    }
  }
  // Gives the longest pairs first, each to the worker with the least work so far. The work is estimated by length, because it is
  // not known where a score drops.
  void dealLongestFirst(int64_t tiles) {
    std::vector<std::size_t> order(m_pairs.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    const auto length = [&](std::size_t i) { return int64_t(m_pairs[i].a.size() + m_pairs[i].b.size()); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return length(x) > length(y); });
    std::priority_queue<std::pair<int64_t, int64_t>, std::vector<std::pair<int64_t, int64_t>>, std::greater<>> least;
    for (int64_t w = 0; w < int64_t(m_ofWorker.size()); ++w) least.push({0, w});
    for (const std::size_t i : order) {
      const auto [work, w] = least.top();
      least.pop();
      m_ofWorker[std::size_t(w)].pairs.push_back(i);
      least.push({work + length(i), w});
    }
    for (std::size_t w = 0; w < m_ofWorker.size(); ++w)
      m_ofWorker[w].tile = int64_t(w) % tiles; // spreads the workers with the longest pairs over the tiles
  }

  template<class F> void forEachPair(F f) const {
    for (const Worker& w : m_ofWorker)
      for (const std::size_t i : w.pairs) f(m_pairs[i]);
  }

  // A variable with `per` x `size(pair)` elements for each pair, on the tile of the pair's worker.
  template<class F> Tensor dealt(const std::string& name, ElementType type, int64_t per, F size) {
    int64_t all = 0;
    forEachPair([&](const SeededPair& p) { all += per * size(p); });
    const Tensor t = m_g.graph().addVariable(type, {all}, name, m_g.context());
    int64_t at = 0;
    for (const Worker& w : m_ofWorker) {
      int64_t end = at;
      for (const std::size_t i : w.pairs) end += per * size(m_pairs[i]);
      m_g.graph().setTileMapping(t.slice(at, end), TileId(std::size_t(w.tile)));
      at = end;
    }
    return t;
  }
  Tensor sequences(const std::string& name, std::vector<uint8_t> SeededPair::*which) {
    const Tensor t = dealt(name, ElementType::UInt8, 1, [&](const SeededPair& p) { return int64_t((p.*which).size()); });
    std::vector<uint8_t> all;
    forEachPair([&](const SeededPair& p) { all.insert(all.end(), (p.*which).begin(), (p.*which).end()); });
    m_g.initialise(t, [value = HostTensor::vector(all)] { return value; });
    return t;
  }

  void addVertex(ComputeSetId set, const Worker& w, const Tensor& a, const Tensor& b, const Tensor& facts, const Tensor& scores,
                 Place& at) {
    const Place from = at;
    int64_t room = 1, cycles = kCells.start;
    for (const std::size_t i : w.pairs) {
      const SeededPair& p = m_pairs[i];
      at.a += int64_t(p.a.size()), at.b += int64_t(p.b.size()), ++at.pair;
      room = std::max(room, roomOf(p));
      const Extension e = aligned(p, m_drop, roomOf(p));
      cycles += kPerPair + e.antidiagonals * kCells.perRow + e.cells * kCells.step();
    }
    const TileId tile(std::size_t(w.tile));
    const Tensor antidiagonals = m_g.graph().addVariable(ElementType::Int32, {3 * room}, "antidiagonals", m_g.context());
    m_g.graph().setTileMapping(antidiagonals, tile);
    const VertexRef v = m_g.graph().addVertex(set, "XDrop",
                                              {{"a", a.slice(from.a, at.a)},
                                               {"b", b.slice(from.b, at.b)},
                                               {"pairs", facts.slice(4 * from.pair, 4 * at.pair)},
                                               {"antidiagonals", antidiagonals},
                                               {"scores", scores.slice(from.pair, at.pair)}});
    m_g.graph().setPerfEstimate(v, cycles);
    m_g.graph().setTileMapping(v, tile);
  }

  int64_t roomOf(const SeededPair& p) const { return m_window > 0 ? std::min(m_window, longestOf(p)) : longestOf(p); }

  void addCodelet() {
    Codelet codelet;
    codelet.name = "XDrop";
    for (const char* in : {"a", "b", "pairs"}) codelet.fields.push_back({in, FieldDirection::Input});
    for (const char* out : {"antidiagonals", "scores"}) codelet.fields.push_back({out, FieldDirection::Output});
    codelet.compute = [drop = m_drop, window = m_window](VertexFields& f) {
      const auto a = f.values<uint8_t>("a"), b = f.values<uint8_t>("b");
      const auto pairs = f.values<int32_t>("pairs");
      auto scores = f.mutableValues<int32_t>("scores");
      auto fromA = a.begin(), fromB = b.begin();
      for (std::size_t i = 0; i < scores.size(); ++i) {
        SeededPair p{{fromA, fromA + pairs[4 * i]}, {fromB, fromB + pairs[4 * i + 1]}, pairs[4 * i + 2], pairs[4 * i + 3]};
        fromA += pairs[4 * i], fromB += pairs[4 * i + 1];
        scores[i] = aligned(p, drop, window > 0 ? std::min(window, longestOf(p)) : longestOf(p)).score;
      }
    };
    m_g.graph().addCodelet(codelet);
  }

  // The scores in the order of the pairs.
  Tensor inOrder(const Tensor& scores) const {
    std::vector<Tensor> sorted(m_pairs.size());
    int64_t at = 0;
    for (const Worker& w : m_ofWorker)
      for (const std::size_t i : w.pairs) sorted[i] = scores.slice(at, at + 1), ++at;
    return concat(sorted);
  }

  static constexpr int64_t kPerPair = 80; // two calls, and finding the begin of the sequences

  MeasuredGraph& m_g;
  std::vector<SeededPair> m_pairs;
  int32_t m_drop;
  int64_t m_window;
  std::vector<Worker> m_ofWorker;
};

} // namespace

Extension extend(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b, int32_t drop, int64_t room) {
  const auto n = int64_t(a.size()), m = int64_t(b.size());
  Extension e;
  Window before, last{0, 0, {0}}; // the two previous antidiagonals
  for (int64_t k = 1; k <= n + m && !(before.empty() && last.empty()); ++k) {
    int64_t first = n + 1, end = -1; // range of cells with a live neighbour
    if (!last.empty()) first = last.first, end = last.last + 1;
    if (!before.empty()) first = std::min(first, before.first + 1), end = std::max(end, before.last + 1);
    first = std::max(first, k - m), end = std::min({end, n, k});
    Window now;
    int32_t best = e.score;
    if (first <= end) ++e.antidiagonals;
    for (int64_t i = first; i <= end; ++i) {
      ++e.cells;
      int32_t score = std::max(last.at(i - 1), last.at(i)) - 1;
      if (i > 0 && i < k)
        score = std::max(score, before.at(i - 1) + (a[std::size_t(i - 1)] == b[std::size_t(k - i - 1)] ? 1 : -1));
      if (score < e.score - drop) score = kDropped;
      if (now.scores.empty() && score == kDropped) continue;
      if (now.scores.empty()) now.first = i;
      now.scores.push_back(score);
      if (score != kDropped) now.last = i;
      best = std::max(best, score);
    }
    e.score = best;
    if (now.scores.empty()) now = {};
    if (now.last - now.first + 1 > room) break;
    before = std::move(last);
    last = std::move(now);
  }
  return e;
}

std::vector<SeededPair> seededPairsOf(const Parameters& p, int64_t seed) {
  const int64_t count = p.integer("pairs", 1, 1'000'000), length = p.integer("length", SeededPair::kSeed, 100'000);
  const double errors = p.number("errors", 0, 1), related = p.number("related", 0, 1), spread = p.number("spread", 0, 2);
  std::mt19937_64 random(uint64_t(seed) * 0x9e3779b97f4a7c15ull + 83);
  std::normal_distribution<double> normal;
  const auto chance = [&] { return double(random() >> 11) * 0x1p-53; };
  const auto base = [&] { return uint8_t(random() % 4); };
  const auto drawn = [&](int64_t n) {
    std::vector<uint8_t> v;
    for (int64_t i = 0; i < n; ++i) v.push_back(base());
    return v;
  };
  // Errors are substitutions, insertions and deletions with equal probability.
  const auto read = [&](const std::vector<uint8_t>& v) {
    std::vector<uint8_t> out;
    for (const uint8_t c : v) {
      if (chance() >= errors) {
        out.push_back(c);
        continue;
      }
      const uint64_t kind = random() % 3;
      if (kind == 0) out.push_back(uint8_t((c + 1 + random() % 3) % 4));
      if (kind == 1) out.insert(out.end(), {c, base()});
    }
    return out;
  };
  std::vector<SeededPair> pairs;
  for (int64_t i = 0; i < count; ++i) {
    const auto bases =
        std::clamp<int64_t>(int64_t(double(length) * std::exp(spread * normal(random))), SeededPair::kSeed, 8 * length);
    const int64_t left = int64_t(random() % uint64_t(bases - SeededPair::kSeed + 1)), right = bases - SeededPair::kSeed - left;
    const bool isRelated = chance() < related;
    const std::vector<uint8_t> middle = drawn(SeededPair::kSeed), before = drawn(left), after = drawn(right);
    SeededPair pair{before, isRelated ? read(before) : drawn(left), left, 0};
    pair.seedB = int64_t(pair.b.size());
    for (auto* list : {&pair.a, &pair.b}) list->insert(list->end(), middle.begin(), middle.end());
    pair.a.insert(pair.a.end(), after.begin(), after.end());
    const std::vector<uint8_t> other = isRelated ? read(after) : drawn(right);
    pair.b.insert(pair.b.end(), other.begin(), other.end());
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

Sample xDrop() {
  Sample s;
  s.name = "x-drop";
  s.title = "X-drop alignment";
  s.text = "Pairs of sequences with a common seed are aligned from the seed in both directions, antidiagonal by antidiagonal, "
           "until all scores fall 15 below the best: two readings of one sequence are aligned to their ends, pairs with a random "
           "seed stop soon. One step does all of it and nothing is exchanged, so look at the tile balance: lengths differ, every "
           "worker takes its pairs one after the other, and all wait for the worker with the most work. In Memory, three "
           "antidiagonals per worker are as long as its sequences, although only a few dozen of their cells are in use at a "
           "time; window=64 keeps only these. Cycles are counted from the cells that these sequences need, because their number "
           "depends on the data. The result (io=1) is the score of each pair.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "One compute set and no exchange: each pair of sequences is aligned on one tile."},
              {"tilescope:?view=insights&set.list=findings",
               "Imbalance is among the findings: the pairs take different times, and the slowest tile decides."},
              {"tilescope:?view=memory&set.breakdown=category",
               "Variables take more than half of the memory in use: sequences and antidiagonals of scores."}};
  s.parameters = {{"pairs", "1000", "pairs of sequences"},
                  {"length", "500", "median length of a sequence in bases"},
                  {"spread", "0.5", "standard deviation of the logarithm of lengths"},
                  {"errors", "0.1", "probability that a base was misread"},
                  {"related", "0.7", "share of pairs that are readings of the same sequence"},
                  {"drop", "15", "how far below the best a score may fall"},
                  {"window", "0", "cells of an antidiagonal that are kept; 0: as long as the sequences"},
                  {"deal",
                   "order",
                   "pairs of a worker: equal numbers in their order (order), or the longest first, each to the "
                   "worker that has least (longest)",
                   {"order", "longest"}},
                  {"tiles", "64", "tiles the pairs are spread over; 0: all"},
                  ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    std::vector<SeededPair> pairs = seededPairsOf(p, o.seed);
    MeasuredGraph g("x-drop", fmt::format("X-drop alignment of {} pairs", pairs.size()), o.machine);
    const bool longestFirst = p.choice("deal") == "longest";
    const Tensor scores = Aligning(g, std::move(pairs), int32_t(p.integer("drop", 0, 1 << 20)), p.integer("window", 0, 1 << 20),
                                   tilesOf(p, o.machine), longestFirst)
                              .build();
    return g.finish(scores, p.integer("io", 0, 1));
  };
  s.variant = {"tuned",
               {{"deal", "longest"}},
               "Pairs are dealt out by length, the longest first and each to the worker with the least work. The remaining "
               "imbalance depends on the data: nobody can foresee the point at which a score drops. Cycles fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples
